"""Explanations from captured scans for people, one fact a line; long lists are cut and counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cli.explain.document import AdapterExplanation, Explanation, HyperNodeExplanation, Level, NodeExplanation, Port
from topology.anomaly import Anomaly

MEMBERS_SHOWN = 20
PORTS_SHOWN = 64


def to_lines(explanation: Explanation) -> list[str]:
    match explanation:
        case NodeExplanation():
            return list(_node(explanation))
        case HyperNodeExplanation():
            return list(_hyper_node(explanation))
        case AdapterExplanation():
            return list(_adapter(explanation))


def _node(node: NodeExplanation) -> Iterator[str]:
    yield f"node {node.name}"
    yield from _levels(node.hyper_nodes)
    if node.reason:
        yield f"  not placed: {node.reason} ({node.why})"
    yield from _ports(node.ports)
    yield from _anomalies(node.anomalies, "no anomaly names it")
    if node.domain_anomalies:
        yield f"  {'in its leaf domain' if node.hyper_nodes else 'at the switches that it hangs on'}:"
        yield from (f"  {line}" for line in _anomalies(node.domain_anomalies, ""))


def _hyper_node(found: HyperNodeExplanation) -> Iterator[str]:
    yield f"hypernode {found.name}"
    yield from _levels(found.hyper_nodes)
    yield f"  switches: {_some(found.switches)}"
    yield f"  {'nodes' if found.member_kind == 'Node' else 'HyperNodes'} in it: {_some(found.members)}"
    yield from _anomalies(found.anomalies, "no anomaly names it")


def _adapter(adapter: AdapterExplanation) -> Iterator[str]:
    yield f"adapter {adapter.name}"
    yield f"  calls itself {adapter.description or 'nothing'}; that is no node"
    yield from _ports(adapter.ports)
    yield from _anomalies(adapter.anomalies, "no anomaly names it")


def _levels(levels: Sequence[Level]) -> Iterator[str]:
    if not levels:
        yield "  in no HyperNode"
        return
    name, tier = (max(map(len, column)) for column in ([one.name for one in levels], [_tier(one) for one in levels]))
    for one in levels:
        yield f"  {one.name:{name}}  {_tier(one):{tier}}  {one.nodes:,} {'node' if one.nodes == 1 else 'nodes'}"


def _tier(level: Level) -> str:
    return f"tier {level.tier} ({level.tier_name})"


def _ports(ports: Sequence[Port]) -> Iterator[str]:
    width = max((len(_near(port)) for port in ports), default=0)
    for port in ports[:PORTS_SHOWN]:
        yield f"  {_near(port):{width}}  -> {_far(port)}"
    if len(ports) > PORTS_SHOWN:
        yield f"  ... and {len(ports) - PORTS_SHOWN} more ports"


def _near(port: Port) -> str:
    name = port.device or port.guid or "adapter"
    return f"{name} port {port.port}" if port.port else name


def _far(port: Port) -> str:
    if port.switch is None:
        return "no cable to a switch in these scans"
    where = f"{port.switch} port {port.switch_port}" if port.switch_port else port.switch
    rate = f"{port.width or '?'}x{port.speed or '?'}"
    return f"{where}, {rate if rate != '?x?' else 'width and speed unknown'}"


def _anomalies(anomalies: Sequence[Anomaly], none: str) -> Iterator[str]:
    if not anomalies:
        yield f"  {none}"
    yield from (f"  {one.severity} {one.kind}: {one.detail}" for one in anomalies[:MEMBERS_SHOWN])
    rest = len(anomalies) - MEMBERS_SHOWN
    if rest > 0:
        yield f"  ... and {rest} more {'anomaly' if rest == 1 else 'anomalies'} (-o json shows all)"


def _some(names: Sequence[str]) -> str:
    rest = len(names) - MEMBERS_SHOWN
    return (", ".join(names[:MEMBERS_SHOWN]) or "none") + (f" and {rest} more" if rest > 0 else "")
