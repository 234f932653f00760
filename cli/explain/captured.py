"""Explanations from captured scans: where a node or a HyperNode stands, and which anomalies touch it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from cli.captured import captured_tree
from cli.ending import REFUSED, CommandError
from cli.explain.chain import chain_lines, home_of
from topology.anomaly import Anomaly
from topology.conclude import Conclusion

CHILDREN_SHOWN = 20


def explain_node(conclusion: Conclusion, name: str) -> list[str]:
    """Where one node stands. CommandError (refused) when no host of the scans is this node."""
    tree = captured_tree(conclusion)
    node = name.lower()
    if node not in tree.position:
        raise CommandError(
            f"no host of these scans is a node called {name}; hyperscout map shows what there is", REFUSED
        )
    spelled = {host.name for host in conclusion.graph.hosts if host.node == node and host.name}
    reasons = [one.reason for one in conclusion.unplaced if one.node == node]
    return [
        f"node {node}",
        *chain_lines(tree, home_of(tree, node), lambda _: ()),
        *(f"  not placed: {reason}" for reason in reasons),
        *_anomalies(conclusion, spelled | {node}),
    ]


def explain_hyper_node(conclusion: Conclusion, name: str) -> list[str]:
    """What one HyperNode is made of. CommandError (refused) when there is none of this name."""
    found = {one.name: one for one in conclusion.hierarchy.hyper_nodes}.get(name)
    if found is None:
        raise CommandError(f"no HyperNode is called {name}; hyperscout map shows their names", REFUSED)
    tree = captured_tree(conclusion)
    members = found.children or found.nodes
    return [
        f"hypernode {name}",
        *chain_lines(tree, tree.index[name], lambda _: ()),
        f"  switches: {_some(found.switches)}",
        f"  {'HyperNodes' if found.children else 'nodes'} in it: {_some(members)}",
        *_anomalies(conclusion, {*found.switches, *found.switch_guids}),
    ]


def _anomalies(conclusion: Conclusion, names: Collection[str]) -> Iterator[str]:
    touching = [one for one in conclusion.anomalies if any(end.name in names or end.guid in names for end in one.where)]
    if not touching:
        yield "  no anomaly names it"
    yield from (_sentence(one) for one in touching[:CHILDREN_SHOWN])
    if len(touching) > CHILDREN_SHOWN:
        yield f"  ... and {len(touching) - CHILDREN_SHOWN} more anomalies"


def _sentence(anomaly: Anomaly) -> str:
    return f"  {anomaly.severity} {anomaly.kind}: {anomaly.detail}"


def _some(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:CHILDREN_SHOWN]) or "none"
    return shown if len(names) <= CHILDREN_SHOWN else f"{shown} and {len(names) - CHILDREN_SHOWN} more"
