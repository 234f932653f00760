"""Conditions in words: status, reason and message of each, from links, findings and ages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from discovery.reports import DEGRADED, DOWN, FLAPPING
from topology.anomaly import Anomaly
from topology.health import (
    CABLING_CONSISTENT,
    DISPUTED,
    EVIDENCE_FRESH,
    MISCABLED,
    NEVER_UP,
    NVLINK_UNHEALTHY,
    READY,
    Condition,
    Findings,
    Freshness,
    Limits,
    NvlinkFault,
)
from topology.hierarchy import HyperNode
from topology.links import NOWHERE, SETTLING, End, Link, Verdict

_REASONS: Mapping[str, str] = {
    DOWN: "LinksDown",
    FLAPPING: "LinksFlapping",
    DEGRADED: "LinksDegraded",
    SETTLING: "LinksDown",
}
"""Worst first. One that is up again only just keeps the reason: nothing is over yet."""
_TOLD: Mapping[str, str] = {SETTLING: "up again and not for long"}
_AGE_UNKNOWN = "the controller has just started; how old the evidence is shows within two periods of reports"
_NAMED = 3
"""So many links, nodes or findings a message names."""


def links_condition(kind: str, links: Mapping[Link, Verdict], findings: Findings) -> Condition:
    """Of that type: whether all of the links are well, with their names where they are not."""
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
        f"{len(by_word[word])} {_TOLD.get(word, word.lower())} ({_names(by_word[word], findings)})"
        for word in _REASONS
        if by_word[word]
    ]
    bad = sum(map(len, by_word.values()))
    return Condition(kind, "False", reason, f"{bad} of {_count(len(links), 'link')} unhealthy: {', '.join(parts)}")


def with_nvlink(condition: Condition, faults: Mapping[str, NvlinkFault]) -> Condition:
    """The condition of these nodes' links, with what is wrong with their NVLink. Links that are not up come first."""
    if not faults:
        return condition
    worst = min(faults.values(), key=lambda fault: fault.reason != NVLINK_UNHEALTHY)
    told = _some(
        [f"{node}: {fault.message}" if len(faults) > 1 else fault.message for node, fault in faults.items()], "; "
    )
    if condition.status == "False":
        return replace(condition, message=f"{condition.message}; NVLink: {told}")
    return Condition(condition.type, "False", worst.reason, f"NVLink: {told}; {condition.message}")


def with_never_up(condition: Condition, ports: Sequence[str]) -> Condition:
    """The condition of a node's links, with those of its ports that never were up although its peers use theirs."""
    if not ports:
        return condition
    told = f"{_count(len(ports), 'port')} never up, and in use at its peers ({_some(ports)})"
    if condition.status == "False":
        return replace(condition, message=f"{condition.message}; {told}")
    return Condition(condition.type, "False", NEVER_UP, f"{told}; {condition.message}")


def ready(hyper_node: HyperNode, links: Mapping[Link, Verdict], findings: Findings, limits: Limits) -> Condition:
    """Ready: whether every host and switch has a usable link, and few of its own links are unwell."""
    bad = sum(verdict.unhealthy for verdict in links.values())
    dark_hosts, dark_switches = _dark(links, findings)
    why = []
    if dark_hosts:
        why.append(f"{_count(len(dark_hosts), 'node')} without a usable link ({_some(dark_hosts)})")
    if dark_switches:
        why.append(f"{_count(len(dark_switches), 'switch')} without an uplink ({_some(dark_switches)})")
    if bad > limits.unhealthy_links * len(links):
        why.append(f"{bad} of {_count(len(links), 'link')} unhealthy, more than {limits.unhealthy_links:.0%}")
    reason = links_condition(READY, links, findings).reason
    if why:
        return Condition(READY, "False", reason, "; ".join(why))
    rest = f"{bad} of {_count(len(links), 'own link')} unhealthy" if bad else "no unhealthy link of its own"
    return Condition(READY, "True", reason, f"{_count(len(hyper_node.nodes), 'node')}, {rest}")


def _dark(links: Mapping[Link, Verdict], findings: Findings) -> tuple[list[str], list[str]]:
    """Nodes whose links are all down, or were until lately, and switches whose uplinks are."""
    usable: dict[tuple[bool, str], bool] = {}
    for link, verdict in links.items():
        node = findings.known.node.get(link.lower.guid)
        key = (node is not None, node or _device(link.lower, findings))
        usable[key] = usable.get(key, False) or (verdict.word != DOWN and link not in findings.settling)
    dark = sorted(key for key, found in usable.items() if not found)
    return [name for host, name in dark if host], [name for host, name in dark if not host]


def cabling_condition(found: Sequence[Anomaly]) -> Condition:
    """CablingConsistent, by the findings that count for it."""
    miscabled = [anomaly.detail for anomaly in found if anomaly.kind in MISCABLED]
    disputed = [anomaly.detail for anomaly in found if anomaly.kind == DISPUTED]
    if miscabled:
        message = f"{_count(len(miscabled), 'finding')}: {_some(miscabled, '; ')}"
        return Condition(CABLING_CONSISTENT, "False", "CablesSwapped", message)
    if disputed:
        message = f"{_count(len(disputed), 'port')} in dispute: {_some(disputed, '; ')}"
        return Condition(CABLING_CONSISTENT, "Unknown", "SourcesDisagree", message)
    return Condition(CABLING_CONSISTENT, "True", "CablingAsExpected", "no cable is in another's place")


def freshness_condition(
    hyper_node: HyperNode, guids: AbstractSet[int], freshness: Freshness, limits: Limits
) -> Condition:
    """EvidenceFresh: whether its switches (by GUID) are swept and its nodes report."""
    if not freshness.known:
        return Condition(EVIDENCE_FRESH, "Unknown", "AgeUnknown", _AGE_UNKNOWN)
    stale = freshness.stale_switches.intersection(guids)
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
    message = ("swept; " if guids else "") + _who_reports(len(reporting - silent), len(hyper_node.nodes))
    return Condition(EVIDENCE_FRESH, "True", "EvidenceCurrent", message)


def _who_reports(reporting: int, nodes: int) -> str:
    """Without ages: what a condition says should change only when something does."""
    return f"{reporting or 'none'} of its {_count(nodes, 'node')} report{'' if reporting > 1 else 's'}"


def _device(end: End, findings: Findings) -> str:
    node = findings.known.node.get(end.guid)
    return findings.places.label.get(end.guid) or f"{node or ''} {end.guid:016x}".strip()


def _port(end: End, findings: Findings) -> str:
    """By number, and the leg of a bond by its interface: the device itself has one port only."""
    leg = findings.places.leg.get(end)
    return f"{_device(end, findings)} {leg}" if leg else f"{_device(end, findings)}/{end.port}"


def _names(links: Iterable[Link], findings: Findings) -> str:
    return _some(
        [
            _port(link.lower, findings) + ("" if link.upper == NOWHERE else f" to {_port(link.upper, findings)}")
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
