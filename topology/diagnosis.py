"""Health: from the verdicts of links, the cabling and the age of the evidence to conditions of HyperNodes and nodes.

A host link belongs to its node and to the node's lowest HyperNode, an uplink to the domain of its lower switch. A
HyperNode judges only its own links; what is wrong below it is not repeated. A node's NVLink belongs to the same two as
its links. It, cabling and old evidence alone make nothing unready, so that waiting for Ready succeeds on real sites.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from discovery.identity import guid_number
from discovery.reports import DOWN
from topology.anomaly import Anomaly
from topology.conditions import (
    cabling_condition,
    freshness_condition,
    links_condition,
    ready,
    with_never_up,
    with_nvlink,
)
from topology.health import (
    DISPUTED,
    FABRIC_HEALTHY,
    LINKS_HEALTHY,
    MISCABLED,
    Condition,
    Findings,
    Health,
    HyperNodeHealth,
    Limits,
    NvlinkFault,
)
from topology.hierarchy import Hierarchy, HyperNode
from topology.links import KnownLinks, Link, Verdict

DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True, eq=False)
class Diagnosis:
    """One look at the health of all, and what the next one can go on from."""

    health: Health
    hierarchy: Hierarchy
    findings: Findings
    limits: Limits
    owners: _Owners

    def holds(self, hierarchy: Hierarchy, findings: Findings, limits: Limits) -> bool:
        """Whether all but changed links, findings and ages is the very same."""
        mine = self.findings
        return (
            self.hierarchy is hierarchy
            and mine.known.node is findings.known.node
            and mine.places.label is findings.places.label
            and mine.places.leg is findings.places.leg
            and self.limits == limits
        )

    def owner(self, link: Link) -> str | None:
        """The HyperNode that judges a link."""
        return self.owners.owner(link, self.findings.known)


def judge_health(hierarchy: Hierarchy, findings: Findings, limits: Limits = DEFAULT_LIMITS) -> Health:
    """Conditions of every HyperNode of the tree and of every node with a link."""
    return diagnose(hierarchy, findings, limits).health


def diagnose(
    hierarchy: Hierarchy,
    findings: Findings,
    limits: Limits,
    last: Diagnosis | None = None,
    changed: AbstractSet[Link] = frozenset(),
) -> Diagnosis:
    """The same, going on from the last look. `changed`: links that are new, gone, settled or otherwise since then."""
    nodes: Mapping[str, Condition]
    if last is None or not last.holds(hierarchy, findings, limits):
        owners = _Owners.of(hierarchy, findings.known)
        links = {found.name: _judge_links(found, owners, findings, limits) for found in hierarchy.hyper_nodes}
        nodes = {node: found for node in sorted(owners.adapters) if (found := _node(node, owners, findings))}
    else:
        owners = last.owners
        turned = _turned(last.findings.nvlink, findings.nvlink) | _turned(last.findings.never_up, findings.never_up)
        near = {owners.owner(link, findings.known) for link in changed} | {owners.by_node.get(node) for node in turned}
        links = {
            found.name: _judge_links(found, owners, findings, limits)
            if found.name in near
            else last.health.hyper_nodes[found.name]
            for found in hierarchy.hyper_nodes
        }
        nodes = _nodes_again(last, changed, turned, owners, findings)
    health = Health(_with_evidence(links, hierarchy, findings, limits, owners, last), nodes)
    return Diagnosis(health, hierarchy, findings, limits, owners)


def _turned(before: Mapping[str, object], now: Mapping[str, object]) -> set[str]:
    """The nodes of which something else is said than was."""
    if before is now:
        return set()
    return {node for node in before.keys() | now.keys() if before.get(node) != now.get(node)}


def _nodes_again(
    last: Diagnosis, changed: AbstractSet[Link], turned: AbstractSet[str], owners: _Owners, findings: Findings
) -> Mapping[str, Condition]:
    near = ({findings.known.node.get(link.lower.guid) for link in changed} - {None}) | turned
    if not near:
        return last.health.nodes
    nodes = dict(last.health.nodes)
    for node in near:
        found = _node(node or "", owners, findings)
        if found is None:
            nodes.pop(node or "", None)
        else:
            nodes[node or ""] = found
    return nodes


@dataclass(frozen=True, slots=True, eq=False)
class _Owners:
    """Which HyperNode judges the links of a node, and those upward from a switch."""

    by_node: Mapping[str, str]
    by_switch: Mapping[int, str]
    adapters: Mapping[str, Sequence[int]]
    """By node, the GUIDs of the adapters that it has or had."""
    guids: Mapping[str, frozenset[int]]
    """By HyperNode, those of its switches."""

    @staticmethod
    def of(hierarchy: Hierarchy, known: KnownLinks) -> _Owners:
        guids = {
            found.name: frozenset(guid_number(guid) for guid in found.switch_guids if guid)
            for found in hierarchy.hyper_nodes
        }
        adapters: dict[str, list[int]] = defaultdict(list)
        for guid, node in known.node.items():
            adapters[node].append(guid)
        return _Owners(
            by_node={node: found.name for found in hierarchy.hyper_nodes if not found.children for node in found.nodes},
            by_switch={guid: name for name, of_one in guids.items() for guid in of_one},
            adapters=adapters,
            guids=guids,
        )

    def owner(self, link: Link, known: KnownLinks) -> str | None:
        """The HyperNode that judges a link."""
        node = known.node.get(link.lower.guid)
        return self.by_node.get(node) if node is not None else self.by_switch.get(link.lower.guid)

    def own(self, found: HyperNode, known: KnownLinks) -> Iterator[Link]:
        """The links that a HyperNode judges."""
        if not found.children:
            for node in found.nodes:
                if self.by_node[node] == found.name:
                    yield from self.of_node(node, known)
        for guid in self.guids[found.name]:
            if self.by_switch[guid] == found.name and guid not in known.node:
                yield from _upward(guid, known)

    def faults(self, found: HyperNode, faults: Mapping[str, NvlinkFault]) -> dict[str, NvlinkFault]:
        """Those of the nodes that a HyperNode judges."""
        if found.children or not faults:
            return {}
        return {node: faults[node] for node in found.nodes if node in faults and self.by_node[node] == found.name}

    def of_node(self, node: str, known: KnownLinks) -> Iterator[Link]:
        """The links of a node."""
        for guid in self.adapters.get(node, ()):
            yield from _upward(guid, known)


def _upward(guid: int, known: KnownLinks) -> Iterator[Link]:
    return (link for link in known.at.get(guid, ()) if link.lower.guid == guid)


def _node(node: str, owners: _Owners, findings: Findings) -> Condition | None:
    links = {link: findings.counted(link) for link in owners.of_node(node, findings.known)}
    if not links:
        return None
    faults = {node: fault} if (fault := findings.nvlink.get(node)) else {}
    condition = with_nvlink(links_condition(FABRIC_HEALTHY, links, findings), faults)
    return with_never_up(condition, findings.never_up.get(node, ()))


def _judge_links(found: HyperNode, owners: _Owners, findings: Findings, limits: Limits) -> HyperNodeHealth:
    """All that follows from its links."""
    known = findings.known.links
    links: Mapping[Link, Verdict] = {link: known[link] for link in owners.own(found, findings.known)}
    counted = {link: findings.counted(link) for link in links} if findings.settling else links
    healthy = with_nvlink(links_condition(LINKS_HEALTHY, counted, findings), owners.faults(found, findings.nvlink))
    return HyperNodeHealth(
        unhealthy=sum(verdict.unhealthy for verdict in counted.values()),
        total=len(links),
        lost=tuple(sorted(link for link, verdict in links.items() if verdict.word == DOWN)),
        conditions=(ready(found, counted, findings, limits), healthy),
    )


def _with_evidence(
    links: Mapping[str, HyperNodeHealth],
    hierarchy: Hierarchy,
    findings: Findings,
    limits: Limits,
    owners: _Owners,
    last: Diagnosis | None,
) -> dict[str, HyperNodeHealth]:
    """With the conditions that follow from findings and ages; what did not change is the same object as before."""
    cabling = _cabling_findings(findings.anomalies, owners)
    judged: dict[str, HyperNodeHealth] = {}
    for found in hierarchy.hyper_nodes:
        name, of_links = found.name, links[found.name]
        now = replace(
            of_links,
            conditions=(
                *of_links.conditions[:2],
                cabling_condition(cabling[name]),
                freshness_condition(found, owners.guids[name], findings.freshness, limits),
            ),
        )
        before = last.health.hyper_nodes.get(name) if last is not None else None
        judged[name] = before if before is not None and before == now else now
    return judged


def _cabling_findings(anomalies: Iterable[Anomaly], owners: _Owners) -> dict[str, list[Anomaly]]:
    """By HyperNode: of the nodes at the ends where there are any, else of the switches."""
    found: dict[str, list[Anomaly]] = defaultdict(list)
    for anomaly in anomalies:
        if anomaly.kind not in MISCABLED and anomaly.kind != DISPUTED:
            continue
        names = {(end.name or "").lower() for end in anomaly.where}
        guids = {guid_number(end.guid) for end in anomaly.where if end.guid}
        hosts = {owners.by_node[name] for name in names & owners.by_node.keys()}
        switches = {owners.by_switch[guid] for guid in guids & owners.by_switch.keys()}
        for owner in hosts or switches:
            found[owner].append(anomaly)
    return found
