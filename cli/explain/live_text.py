"""Explanations of live nodes and HyperNodes for people, one fact a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cli.explain.live_document import LiveHyperNode, LiveLevel, LiveNode, Report, State, Story
from cli.explain.live_report_text import report_lines

SHOWN = 8


def to_lines(explained: LiveNode | LiveHyperNode) -> list[str]:
    return list(_node(explained) if isinstance(explained, LiveNode) else _hyper_node(explained))


def _node(node: LiveNode) -> Iterator[str]:
    yield f"node {node.name}" + ("  (cordoned)" if node.cordoned else "")
    yield from level_lines(node.hyper_nodes)
    yield from map(condition_line, node.conditions)
    yield from _report(node.report)
    yield f"  pods on it: {some(node.pods)}"
    yield from event_lines(node.events)


def _hyper_node(found: LiveHyperNode) -> Iterator[str]:
    yield f"hypernode {found.name}"
    yield from level_lines(found.hyper_nodes)
    yield f"  {'nodes' if found.member_kind == 'Node' else 'HyperNodes'} in it: {some(found.members)}"
    yield from (f"  not understood: {phrase}" for phrase in found.not_understood)
    yield from (f"  {problem}" for problem in found.problems)
    yield from event_lines(found.events)


def level_lines(levels: Sequence[LiveLevel]) -> Iterator[str]:
    """One line a HyperNode, the lowest first, with its conditions and its own links below it."""
    if not levels:
        yield "  in no HyperNode"
        return
    name, label = max(len(one.name) for one in levels), max(len(one.label) for one in levels)
    for one in levels:
        yield f"  {one.name:{name}}  {one.label:{label}}  {_counted(one.nodes, 'node')}"
        yield from (f"    {condition_line(condition)}" for condition in one.conditions)
        if one.assumed:
            yield "      assumed: nobody sweeps the switches of some of it, so nothing is known of their uplinks"
        if one.links is not None:
            verb = "is" if one.unhealthy_links == 1 else "are"
            yield f"      {one.unhealthy_links} of its own {_counted(one.links, 'link')} {verb} unhealthy"


def condition_line(condition: State) -> str:
    because = ": ".join(part for part in (condition.reason, condition.message) if part)
    return f"  {condition.type}={condition.status}" + (f"  {because}" if because else "")


def event_lines(events: Sequence[Story]) -> Iterator[str]:
    yield from (f"  {event.type.lower()} event {event.reason}: {event.message}" for event in events)


def some(found: Sequence[str]) -> str:
    """The first few of a list, the others counted."""
    shown = ", ".join(found[:SHOWN]) or "none"
    return shown if len(found) <= SHOWN else f"{shown} and {len(found) - SHOWN} more"


def _report(report: Report | None) -> Iterator[str]:
    """What the node's own agent reports, and what became of it."""
    if report is None:
        yield "  no NodeReport: no agent has reported this node"
        return
    yield from map(condition_line, report.conditions)
    yield from report_lines(report)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
