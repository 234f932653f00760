"""What a replay concluded, as JSON: the answer for scripts, and the expected results of a recording.

Everything stands under a name, so that a difference can be told in a line. docs/reference/fixtures.md describes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from cli.replay.playing import Play
from controller.conclusion.standing import ASSUMED, LINKS
from controller.decide import Outcome
from discovery.reports import FAILED, UNPROVISIONED, UP, NodeReport, Port
from topology.documents import Document


class HyperNodeRow(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One HyperNode."""

    tier: int
    tier_name: str
    members: tuple[str, ...]
    conditions: Mapping[str, str]
    """By type: status and reason."""
    links: str = ""
    """Unhealthy and all of its own links."""
    assumed: bool = False


class NodeCounts(msgspec.Struct, frozen=True, rename="camel"):
    """How much is known of one node, whether well or not."""

    ports: Mapping[str, int]
    """By verdict."""
    interfaces: int
    neighbours: int
    """Heard on all of them."""


class NodeRow(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One node that has a report."""

    hyper_node: str | None = None
    placed: str = ""
    fabric_healthy: str = ""
    """Status, reason and message."""
    nvlink: str = ""
    ports: Mapping[str, str] = {}
    """Those that are not Up: verdict and reason."""
    failed: Mapping[str, str] = {}
    """Probes that failed, and why."""
    counts: NodeCounts | None = None
    """None in expected results of older versions alone: they say nothing of it."""


class ReplayDocument(msgspec.Struct, frozen=True, rename="camel"):
    """All of it, as it stands at the end; `sweeps` and `events` are what happened until then."""

    waiting: str
    """Why nothing was concluded; empty where something was."""
    hyper_nodes: Mapping[str, HyperNodeRow]
    nodes: Mapping[str, NodeRow]
    switch_ports: Mapping[str, str]
    """Ports of switches that are not Up: verdict and reason."""
    anomalies: tuple[str, ...]
    sweeps: tuple[str, ...]
    """Where one went otherwise than the one before it."""
    events: tuple[str, ...]


def replay_document(play: Play) -> ReplayDocument:
    """Of a recording that was played to its end."""
    controller = play.controller
    outcome = controller.outcome
    last = controller.last
    told = sorted(controller.told, key=lambda one: (one.second, one.happening.about.kind, one.happening.about.name))
    return ReplayDocument(
        waiting=last.waiting if last is not None else "",
        hyper_nodes={document.name: _hyper_node(document, play) for document in outcome.desired} if outcome else {},
        nodes={name: _node(name, report, outcome, play) for name, report in sorted(play.reports.items())},
        switch_ports=dict(sorted(_switch_ports(play))),
        anomalies=tuple(sorted(f"{one.severity} {one.kind}: {one.detail}" for one in outcome.anomalies))
        if outcome
        else (),
        sweeps=tuple(
            f"{clock(told.second)} {told.sweeper} {told.outcome}" + "".join(f"; {reason}" for reason in told.reasons)
            for told in play.sweeps
        ),
        events=tuple(
            f"{clock(one.second)} {one.happening.type} {one.happening.about.kind}/{one.happening.about.name} "
            f"{one.happening.reason}: {one.happening.message}"
            for one in told
        ),
    )


def clock(second: int) -> str:
    """Hours, minutes and seconds since the first moment."""
    return f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"


def _hyper_node(document: Document, play: Play) -> HyperNodeRow:
    found = play.controller.hyper_nodes[document.name]
    notes = dict(document.annotations)
    return HyperNodeRow(
        tier=document.tier,
        tier_name=document.tier_name,
        members=document.members,
        conditions={one.type: f"{one.status} {one.reason}".rstrip() for one in found.status.conditions},
        links=notes.get(LINKS, ""),
        assumed=notes.get(ASSUMED) == "true",
    )


def _node(name: str, report: NodeReport, outcome: Outcome | None, play: Play) -> NodeRow:
    placement = outcome.placements.get(name) if outcome is not None else None
    condition = play.controller.nodes.get(name)
    nvlink = report.nvlink
    return NodeRow(
        hyper_node=placement.hyper_node if placement is not None else None,
        placed=placement.reason if placement is not None else "",
        fabric_healthy=f"{condition.status} {condition.reason}: {condition.message}" if condition is not None else "",
        nvlink=_words(nvlink.state, nvlink.clusterUuid, nvlink.cliqueId, nvlink.healthSummary) if nvlink else "",
        ports={f"{port.device}/{port.port}": _words(port.verdict, port.reason) for port in report.ports if _odd(port)},
        failed={probe.name: probe.reason or "" for probe in report.probes if probe.outcome == FAILED},
        counts=NodeCounts(
            ports=dict(sorted(Counter(port.verdict for port in report.ports).items())),
            interfaces=len(report.interfaces),
            neighbours=sum(len(interface.neighbours) for interface in report.interfaces),
        ),
    )


def _switch_ports(play: Play) -> Iterable[tuple[str, str]]:
    for sweeper in play.sweepers.values():
        for name, report in sweeper.reports.items():
            for port in report.ports:
                if port.verdict not in (UP, UNPROVISIONED) and not (port.peer is None and not port.reason):
                    yield f"{report.description or name} {port.name or port.number}", _words(port.verdict, port.reason)


def _odd(port: Port) -> bool:
    return port.verdict != UP


def _words(*words: object) -> str:
    return " ".join(str(word) for word in words if word is not None)
