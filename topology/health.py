"""Health: from the verdicts of links, the cabling and the age of the evidence to conditions of HyperNodes and nodes.

A host link belongs to its node and to the node's lowest HyperNode, an uplink to the domain of its lower switch. A
HyperNode judges only its own links; what is wrong below it is not repeated. Cabling and old evidence alone make nothing
unready, so that waiting for Ready succeeds on real sites.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from discovery.identity import guid_number
from discovery.reports import DEGRADED, DOWN, FLAPPING
from topology.anomaly import Anomaly
from topology.hierarchy import Hierarchy, HyperNode
from topology.links import NOWHERE, End, KnownLinks, Link, Places, Verdict

READY, LINKS_HEALTHY, CABLING_CONSISTENT, EVIDENCE_FRESH = (
    "Ready", "LinksHealthy", "CablingConsistent", "EvidenceFresh",
)  # fmt: skip
"""Condition types of HyperNodes."""
FABRIC_HEALTHY = "FabricHealthy"
"""Condition type of Nodes."""

MISCABLED = frozenset({"swapped-rails", "swapped-cables", "stray-cable", "nvlink-across-leaves"})
"""The only anomalies that make cabling inconsistent."""
DISPUTED = "sources-disagree"
"""The anomaly that leaves open whether cabling is consistent."""

_REASONS: Mapping[str, str] = {DOWN: "LinksDown", FLAPPING: "LinksFlapping", DEGRADED: "LinksDegraded"}
"""Worst first."""
_AGE_UNKNOWN = "the controller has just started; how old the evidence is shows within two periods of reports"
_NAMED = 3
"""So many links, nodes or findings a message names."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition without its times."""

    type: str
    status: str
    """True, False or Unknown."""
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Freshness:
    """How old the evidence is, by whoever keeps the clock. `known` False: nobody can say yet (just started).

    Then EvidenceFresh is Unknown, which says less than any earlier word and should take the place of none.
    """

    known: bool = False
    reporting: frozenset[str] = frozenset()
    """Nodes that have a report."""
    stale_nodes: frozenset[str] = frozenset()
    stale_switches: frozenset[int] = frozenset()
    """GUIDs of switches whose last whole sweep is too old."""
    partly_swept: frozenset[int] = frozenset()
    """Those among them whose sweeper does answer, but with partial sweeps."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a HyperNode is unready, when its evidence is stale: shares of its own links and of its nodes' reports."""

    unhealthy_links: float = 0.1
    stale_reports: float = 0.1


@dataclass(frozen=True, slots=True)
class HyperNodeHealth:
    """One HyperNode's own links counted, and what follows."""

    unhealthy: int
    total: int
    lost: tuple[Link, ...]
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Health:
    """By name."""

    hyper_nodes: Mapping[str, HyperNodeHealth]
    nodes: Mapping[str, Condition]
    """FabricHealthy of every node that has, or had, a link."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What health is concluded from, beside the tree."""

    known: KnownLinks
    places: Places
    anomalies: Sequence[Anomaly] = ()
    freshness: Freshness = Freshness()


def judge_health(hierarchy: Hierarchy, findings: Findings, limits: Limits = Limits()) -> Health:
    """Conditions of every HyperNode of the tree and of every node with a link."""
    owners = _Owners.of(hierarchy)
    own: dict[str, dict[Link, Verdict]] = defaultdict(dict)
    by_node: dict[str, dict[Link, Verdict]] = defaultdict(dict)
    for link, verdict in findings.known.links.items():
        node = findings.known.node.get(link.lower.guid)
        if node is not None:
            by_node[node][link] = verdict
        owner = owners.by_node.get(node) if node is not None else owners.by_switch.get(link.lower.guid)
        if owner is not None:
            own[owner][link] = verdict
    cabling = _cabling_findings(findings.anomalies, owners)
    hyper_nodes = {
        hyper_node.name: _judge(hyper_node, own[hyper_node.name], cabling[hyper_node.name], findings, limits)
        for hyper_node in hierarchy.hyper_nodes
    }
    nodes = {node: _links_condition(FABRIC_HEALTHY, links, findings) for node, links in sorted(by_node.items())}
    return Health(hyper_nodes, nodes)


@dataclass(frozen=True, slots=True)
class _Owners:
    by_node: Mapping[str, str]
    by_switch: Mapping[int, str]

    @staticmethod
    def of(hierarchy: Hierarchy) -> _Owners:
        by_node = {node: found.name for found in hierarchy.hyper_nodes if not found.children for node in found.nodes}
        by_switch = {guid: found.name for found in hierarchy.hyper_nodes for guid in _guids(found)}
        return _Owners(by_node, by_switch)


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


def _judge(
    hyper_node: HyperNode,
    links: Mapping[Link, Verdict],
    cabling: Sequence[Anomaly],
    findings: Findings,
    limits: Limits,
) -> HyperNodeHealth:
    healthy = _links_condition(LINKS_HEALTHY, links, findings)
    ready, fresh = _ready(hyper_node, links, findings, limits), _fresh(hyper_node, findings.freshness, limits)
    return HyperNodeHealth(
        unhealthy=sum(verdict.unhealthy for verdict in links.values()),
        total=len(links),
        lost=tuple(sorted(link for link, verdict in links.items() if verdict.word == DOWN)),
        conditions=(ready, healthy, _cabling(cabling), fresh),
    )


def _links_condition(kind: str, links: Mapping[Link, Verdict], findings: Findings) -> Condition:
    by_word: dict[str, list[Link]] = defaultdict(list)
    for link, verdict in links.items():
        if verdict.unhealthy:
            by_word[verdict.word].append(link)
    if not links:
        return Condition(kind, "True", "AllLinksUp", "it has no links of its own")
    if not by_word:
        return Condition(kind, "True", "AllLinksUp", f"all {_count(len(links), 'link')} up")
    reason = next(reason for word, reason in _REASONS.items() if word in by_word)
    parts = [
        f"{len(by_word[word])} {word.lower()} ({_names(by_word[word], findings)})" for word in _REASONS if by_word[word]
    ]
    bad = sum(map(len, by_word.values()))
    return Condition(kind, "False", reason, f"{bad} of {_count(len(links), 'link')} unhealthy: {', '.join(parts)}")


def _ready(hyper_node: HyperNode, links: Mapping[Link, Verdict], findings: Findings, limits: Limits) -> Condition:
    bad = sum(verdict.unhealthy for verdict in links.values())
    dark_hosts, dark_switches = _dark(links, findings)
    why = []
    if dark_hosts:
        why.append(f"{_count(len(dark_hosts), 'node')} without a usable link ({_some(dark_hosts)})")
    if dark_switches:
        why.append(f"{_count(len(dark_switches), 'switch')} without an uplink ({_some(dark_switches)})")
    if bad > limits.unhealthy_links * len(links):
        why.append(f"{bad} of {_count(len(links), 'link')} unhealthy, more than {limits.unhealthy_links:.0%}")
    reason = _links_condition(READY, links, findings).reason
    if why:
        return Condition(READY, "False", reason, "; ".join(why))
    rest = f"{bad} of {_count(len(links), 'own link')} unhealthy" if bad else "no unhealthy link of its own"
    return Condition(READY, "True", reason, f"{_count(len(hyper_node.nodes), 'node')}, {rest}")


def _dark(links: Mapping[Link, Verdict], findings: Findings) -> tuple[list[str], list[str]]:
    """Nodes whose links are all down, and switches whose uplinks are."""
    usable: dict[tuple[bool, str], bool] = {}
    for link, verdict in links.items():
        node = findings.known.node.get(link.lower.guid)
        key = (node is not None, node or _device(link.lower, findings))
        usable[key] = usable.get(key, False) or verdict.word != DOWN
    dark = sorted(key for key, found in usable.items() if not found)
    return [name for host, name in dark if host], [name for host, name in dark if not host]


def _cabling(found: Sequence[Anomaly]) -> Condition:
    miscabled = [anomaly.detail for anomaly in found if anomaly.kind in MISCABLED]
    disputed = [anomaly.detail for anomaly in found if anomaly.kind == DISPUTED]
    if miscabled:
        message = f"{_count(len(miscabled), 'finding')}: {_some(miscabled, '; ')}"
        return Condition(CABLING_CONSISTENT, "False", "CablesSwapped", message)
    if disputed:
        message = f"{_count(len(disputed), 'port')} in dispute: {_some(disputed, '; ')}"
        return Condition(CABLING_CONSISTENT, "Unknown", "SourcesDisagree", message)
    return Condition(CABLING_CONSISTENT, "True", "CablingAsExpected", "no cable is in another's place")


def _fresh(hyper_node: HyperNode, freshness: Freshness, limits: Limits) -> Condition:
    if not freshness.known:
        return Condition(EVIDENCE_FRESH, "Unknown", "AgeUnknown", _AGE_UNKNOWN)
    stale = freshness.stale_switches.intersection(_guids(hyper_node))
    reporting = freshness.reporting.intersection(hyper_node.nodes)
    silent = freshness.stale_nodes.intersection(reporting)
    if stale:
        partly = stale <= freshness.partly_swept
        why = "swept only in part" if partly else "not swept"
        reason = "PartialSweep" if partly else "EvidenceStale"
        message = f"{_count(len(stale), 'switch')} {why} for three periods"
        return Condition(EVIDENCE_FRESH, "False", reason, message)
    if len(silent) > limits.stale_reports * len(reporting):
        message = f"{len(silent)} of {_count(len(reporting), 'node report')} older than three periods ({_some(silent)})"
        return Condition(EVIDENCE_FRESH, "False", "EvidenceStale", message)
    return Condition(EVIDENCE_FRESH, "True", "EvidenceCurrent", "swept, and its nodes report")


def _guids(hyper_node: HyperNode) -> set[int]:
    return {guid_number(guid) for guid in hyper_node.switch_guids if guid}


def _device(end: End, findings: Findings) -> str:
    node = findings.known.node.get(end.guid)
    return findings.places.label.get(end.guid) or f"{node or ''} {end.guid:016x}".strip()


def _names(links: Iterable[Link], findings: Findings) -> str:
    return _some(
        [
            f"{_device(link.lower, findings)}/{link.lower.port}"
            + ("" if link.upper == NOWHERE else f" to {_device(link.upper, findings)}/{link.upper.port}")
            for link in links
        ]
    )


def _some(names: Iterable[str], separator: str = ", ") -> str:
    ordered = sorted(names)
    more = f"{separator}and {len(ordered) - _NAMED} more" if len(ordered) > _NAMED else ""
    return separator.join(ordered[:_NAMED]) + more


def _count(number: int, noun: str) -> str:
    plural = "es" if noun.endswith("ch") else "s"
    return f"{number} {noun}{'' if number == 1 else plural}"
