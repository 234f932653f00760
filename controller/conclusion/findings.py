"""Findings about the evidence itself, which somebody should hear of: which of them count, and at whom they are told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from controller.conclusion.evidence import number_of, switch_number
from controller.reasons import FINDINGS, Happening, found
from controller.snapshot import Snapshot
from kube.types import Node, SwitchReportObject
from topology.anomaly import Anomaly

DISAGREE = "sources-disagree"


def believable(anomalies: Iterable[Anomaly], missing: frozenset[int]) -> tuple[Anomaly, ...]:
    """All but disagreements with the last words of switches that are `missing`: those are old, and known to be."""
    return tuple(
        anomaly
        for anomaly in anomalies
        if anomaly.kind != DISAGREE or missing.isdisjoint(number_of(end.guid) for end in anomaly.where)
    )


def to_tell(anomalies: Iterable[Anomaly]) -> frozenset[Anomaly]:
    """Those that are told as Events; the others are in the map, and in conditions where they matter there."""
    return frozenset(anomaly for anomaly in anomalies if anomaly.kind in FINDINGS)


def told_at(snapshot: Snapshot, news: Iterable[Anomaly]) -> Iterator[Happening]:
    """Each finding at the last of its ends that has an object: the node that has no claim, the far end in dispute."""
    nodes = {node.metadata.name: node for node in snapshot.nodes}
    switches = {switch_number(report.spec): report for report in snapshot.switch_reports}
    for finding in sorted(news, key=lambda finding: (finding.kind, finding.detail)):
        ends: list[Node | SwitchReportObject | None] = [
            nodes.get((end.name or "").lower()) or switches.get(number_of(end.guid)) for end in finding.where
        ]
        about = next((end for end in reversed(ends) if end is not None), None)
        if about is not None:
            yield found(about, finding)
