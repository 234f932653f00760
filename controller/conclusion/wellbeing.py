"""How all links and HyperNodes are: judged from the ports, and anew only where a port or a place changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from controller.conclusion.evidence import Devices, Past, answering, missing_switches
from controller.conclusion.findings import believable
from controller.conclusion.keeping import Keeper
from controller.conclusion.lost_switches import Losses, find_losses
from controller.conclusion.nvlink import faults_of
from controller.conclusion.outages import Outages, excuse, excused, follow
from controller.conclusion.ports import Ports, never_up, read_ports, units_of
from controller.conclusion.reading import Owned, adapter_labels, legs_of_bonds, reports_of_adapters, resting
from controller.conclusion.rounds import NODES
from controller.conclusion.tree import Concluded
from controller.settings import ControllerSettings
from controller.snapshot import Snapshot
from kube.types import NodeReportObject
from topology.diagnosis import Diagnosis, diagnose
from topology.health import Findings, Freshness, Health
from topology.judging import Judged, judge
from topology.links import End, Places, PortEvidence, find_places
from topology.told import Told


@dataclass(frozen=True, slots=True, eq=False)
class Wellbeing:
    """One look at all links."""

    findings: Findings
    health: Health
    outages: Outages
    ports: Ports
    losses: Losses


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """The evidence of one look, to see at the next what changed."""

    reports: Sequence[NodeReportObject]
    owned: Sequence[Owned]
    places: Mapping[int, tuple[int, ...]]
    past: Past
    switches: Mapping[str, Told]
    plain: bool


def judge_all(
    keeper: Keeper, snapshot: Snapshot, concluded: Concluded, freshness: Freshness, settings: ControllerSettings
) -> Wellbeing:
    """From the evidence of a look and the tree concluded at it."""
    shown, owned, memory = concluded.shown, concluded.owned, concluded.memory
    ports = keeper.keep("ports", read_ports(keeper.value("ports"), snapshot.node_reports, memory.was_up))
    outages = excuse(memory.outages, keeper.made("resting", resting, concluded.named), (), memory.at)
    read = _Read(
        reports=snapshot.node_reports,
        owned=owned,
        places=keeper.made("reports of adapters", reports_of_adapters, owned),
        past=Past(excused(outages), concluded.known, ports.was_up),
        switches=memory.cables.switches,
        plain=settings.plain_ethernet,
    )
    labels = keeper.made("labels of adapters", adapter_labels, owned)
    places = keeper.made("places", find_places, shown.graph, shown.structure)
    places = keeper.made("labelled places", _labelled, places, labels, keeper.made("legs", legs_of_bonds, owned))
    last: Judged | None = keeper.value("links")
    near = _touched(keeper.value("evidence"), read)
    keeper.keep("evidence", read)
    judged = judge(
        concluded.known,
        _evidence(snapshot, read),
        places,
        concluded.names,
        last if near is not None else None,
        near or frozenset(),
    )
    anomalies = keeper.made("believable", believable, shown.anomalies, missing_switches(snapshot, 1))
    outages, lost = follow(outages, concluded.known, judged, memory.at, settings.times.link_hold)
    findings = Findings(
        judged.known,
        places,
        anomalies,
        freshness,
        keeper.made("nvlink faults", faults_of, memory.sick_nvlinks, read.past.excused.nodes),
        frozenset(outages.settling),
        keeper.made(
            "never up", never_up, ports.unused, ports.used, keeper.made("units", units_of, concluded.hierarchy)
        ),
    )
    before: Diagnosis | None = keeper.value("health")
    goes_on = before is not None and last is not None and before.findings.known is last.known and not judged.afresh
    changed = judged.changed | (findings.settling ^ memory.outages.settling.keys())
    diagnosis = diagnose(concluded.hierarchy, findings, settings.limits, before if goes_on else None, changed)
    keeper.keep("links", judged)
    keeper.keep("health", diagnosis)
    return Wellbeing(findings, diagnosis.health, outages, ports, find_losses(outages, lost, diagnosis))


def _labelled(places: Places, labels: Mapping[int, str], legs: Mapping[End, str]) -> Places:
    """With the names of adapters that no sweep sees any more, and of the legs of bonds."""
    return replace(places, label={**labels, **places.label}, leg=legs)


def _evidence(snapshot: Snapshot, read: _Read) -> PortEvidence:
    """All ports of the switches that the newest sweep reached, or that nodes alone tell of, and of all nodes."""
    answered = answering(snapshot, read.switches)
    named = {told.guid: [told] for told in read.switches.values() if told.sweeper == NODES}
    devices = Devices({**named, **answered}, read.reports, read.places, read.past, read.plain)
    return PortEvidence(
        devices, answered.keys(), {told.guid for told in read.switches.values()}, named.keys() - answered.keys()
    )


def _touched(last: _Read | None, now: _Read) -> AbstractSet[int] | None:
    """GUIDs of which a port may have changed since then; None: who knows."""
    if last is None or last.places is not now.places or len(last.reports) != len(now.reports):
        return None
    turned = last.past.excused.nodes ^ now.past.excused.nodes
    guids = {
        adapter.guid
        for before, found, owned in zip(last.reports, now.reports, now.owned, strict=True)
        if before.spec is not found.spec or owned.node in turned
        for adapter in owned.adapters
    }
    guids |= last.past.excused.switches ^ now.past.excused.switches
    silent = turned.difference(owned.node for owned in now.owned) if turned else turned
    if silent:
        guids |= {guid for guid, node in now.past.known.node.items() if node in silent}
    for name in last.switches.keys() | now.switches.keys():
        before, told = last.switches.get(name), now.switches.get(name)
        if before is not told:
            guids |= {found.guid for found in (before, told) if found is not None}
    return guids
