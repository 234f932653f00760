"""Explanations from captured scans: where a node or a HyperNode stands, and which anomalies touch it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import numpy as np

from cli.ending import REFUSED, CommandError
from cli.explain.document import AdapterExplanation, HyperNodeExplanation, Level, NodeExplanation
from cli.explain.ports import adapters_of, ports_of
from cli.explain.reasons import why_unplaced
from cli.finding import as_typed, did_you_mean, find_name
from topology.anomaly import Anomaly
from topology.conclude import Conclusion
from topology.hierarchy import HyperNode
from topology.merge import switch_label

_GUID = re.compile(r"(?:0x)?([0-9a-f]{16})")


def explain_node(conclusion: Conclusion, typed: str) -> NodeExplanation | AdapterExplanation:
    """Where one node stands, named by its name or by the GUID of one of its adapters.

    CommandError (refused) when nothing in the scans is this node.
    """
    known = {host.node for host in conclusion.graph.hosts if host.node} | {one.node for one in conclusion.unplaced}
    node = find_name(typed, known)
    if node is not None:
        return _node(conclusion, node)
    adapter = _adapter_of_guid(conclusion, typed)
    if adapter is None:
        raise CommandError(_unknown(conclusion, typed, known), REFUSED)
    owner = conclusion.graph.hosts[int(conclusion.graph.adapters.host[adapter])]
    return _adapter(conclusion, adapter) if owner.node is None else _node(conclusion, owner.node)


def explain_hyper_node(conclusion: Conclusion, typed: str) -> HyperNodeExplanation:
    """What one HyperNode is made of. CommandError (refused) when there is none of this name."""
    by_name = {one.name: one for one in conclusion.hierarchy.hyper_nodes}
    name = find_name(typed, by_name)
    if name is None:
        near = did_you_mean(typed, by_name) or "; hyperscout map shows their names"
        raise CommandError(f"no HyperNode of these scans is called {as_typed(typed)}{near}", REFUSED)
    found = by_name[name]
    return HyperNodeExplanation(
        name=name,
        hyper_nodes=tuple(_upward(conclusion, found)),
        switches=found.switches,
        members=found.children or found.nodes,
        member_kind="HyperNode" if found.children else "Node",
        anomalies=_touching(conclusion, {*found.switches, *found.switch_guids}),
    )


def _node(conclusion: Conclusion, node: str) -> NodeExplanation:
    graph = conclusion.graph
    hosts = [index for index, host in enumerate(graph.hosts) if host.node == node]
    adapters = adapters_of(graph, hosts)
    ports = ports_of(graph, adapters)
    homes = [one for one in conclusion.hierarchy.hyper_nodes if not one.children and node in one.nodes]
    chain = tuple(_chain(conclusion, homes[0])) if homes else ()
    leaf = next((one for one in chain if one.switches), None)
    around = {*leaf.switches, *leaf.switch_guids} if leaf else {port.switch_guid for port in ports}
    reason = next((one.reason for one in conclusion.unplaced if one.node == node), None)
    spelled = {host.name for host in (graph.hosts[index] for index in hosts) if host.name}
    own = _touching(conclusion, spelled | {node} | {port.guid for port in ports})
    return NodeExplanation(
        name=node,
        hyper_nodes=tuple(map(_level, chain)),
        reason=reason,
        why=None if reason is None else why_unplaced(conclusion, node, reason),
        ports=ports,
        anomalies=own,
        domain_anomalies=tuple(one for one in _touching(conclusion, around) if one not in own),
    )


def _adapter(conclusion: Conclusion, adapter: int) -> AdapterExplanation:
    ports = ports_of(conclusion.graph, [adapter])
    guids = {port.guid for port in ports}
    return AdapterExplanation(
        name=ports[0].guid or "",
        description=conclusion.graph.adapters.description[adapter],
        ports=ports,
        anomalies=_touching(conclusion, guids),
    )


def _adapter_of_guid(conclusion: Conclusion, typed: str) -> int | None:
    """The adapter whose node or port GUID this is."""
    match = _GUID.fullmatch(typed.lower().replace(":", ""))
    if match is None:
        return None
    guid, graph = np.uint64(int(match[1], 16)), conclusion.graph
    own = np.flatnonzero(graph.adapters.guid == guid)
    by_port = graph.host_links.adapter[graph.host_links.port_guid == guid]
    return next(iter([*own.tolist(), *by_port.tolist()]), None)


def _unknown(conclusion: Conclusion, typed: str, known: Collection[str]) -> str:
    """What the name is, where it is something else; else what may be meant."""
    graph = conclusion.graph
    labels = {switch_label(graph, index).lower() for index in range(len(graph.switches))}
    if typed.lower() in labels:
        holders = [
            one.name for one in conclusion.hierarchy.hyper_nodes if typed.lower() in map(str.lower, one.switches)
        ]
        where = f"; it is one of HyperNode {holders[0]}" if holders else ""
        return f"{typed} is a switch of these scans and no node{where}"
    if find_name(typed, {host.name for host in graph.hosts if host.name}) is not None:
        return f"{typed} is a host of these scans, but no node by what --nodes says"
    near = did_you_mean(typed, known) or "; hyperscout map shows what there is, and the GUID of an adapter is found too"
    return f"no host of these scans is a node called {as_typed(typed)}{near}"


def _chain(conclusion: Conclusion, lowest: HyperNode) -> Iterator[HyperNode]:
    by_name = {one.name: one for one in conclusion.hierarchy.hyper_nodes}
    one: HyperNode | None = lowest
    while one is not None:
        yield one
        one = by_name.get(one.parent) if one.parent else None


def _upward(conclusion: Conclusion, lowest: HyperNode) -> Iterator[Level]:
    return map(_level, _chain(conclusion, lowest))


def _level(one: HyperNode) -> Level:
    return Level(one.name, one.tier, one.tier_name, len(one.nodes))


def _touching(conclusion: Conclusion, names: Collection[str | None]) -> tuple[Anomaly, ...]:
    wanted = {name for name in names if name}
    return tuple(
        one for one in conclusion.anomalies if any(end.name in wanted or end.guid in wanted for end in one.where)
    )
