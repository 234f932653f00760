"""The decision: from a snapshot and the memory to all that should stand in the API. Pure; nothing is written here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from controller.evidence import (
    adapter_labels,
    missing_switches,
    nvlink_domains,
    port_evidence,
    switch_number,
)
from controller.findings import believable, to_tell
from controller.foreign import find_foreign, with_free_names
from controller.identities import node_aliases, port_claims
from controller.memory import Memory, find_homes, freshness_of, look, silent_sources, still_held
from controller.placing import Placement, place
from controller.settings import ControllerSettings
from controller.snapshot import Snapshot, is_whole, sweeper_of
from controller.standing import (
    LINKS,
    LOST_LINKS,
    MOST_LOST,
    NVLINK_DOMAIN,
    lost_links,
    remembered_nvlink,
    standing_documents,
    standing_tree,
)
from discovery.reported import scan_from_reports
from discovery.reports import SwitchReport
from discovery.scan import Scan
from topology.anomaly import Anomaly
from topology.conclude import Cluster, conclude
from topology.documents import Document, documents
from topology.health import Findings, Health, judge_health
from topology.hierarchy import Hierarchy
from topology.links import KnownLinks, find_places, judge_links, write_lost
from topology.members import faults
from topology.staying import keep_in_place


@dataclass(frozen=True, slots=True)
class Outcome:
    """What should stand in the API."""

    standing: tuple[Document, ...]
    desired: tuple[Document, ...]
    node_counts: Mapping[str, int]
    health: Health
    placements: Mapping[str, Placement]
    reports: Mapping[str, str]
    """Foreign HyperNodes to report, each with a sentence."""
    news: frozenset[Anomaly] = frozenset()
    """Findings about the evidence itself that did not stand at the last look."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do after one look. `outcome` None: nothing, and `waiting` says why."""

    memory: Memory
    outcome: Outcome | None
    waiting: str = ""

    @property
    def known(self) -> KnownLinks:
        """All links that are known."""
        return self.memory.known or KnownLinks()


def decide(memory: Memory, snapshot: Snapshot, now: float, settings: ControllerSettings) -> Decision:
    """Conclude from one snapshot at one time (seconds, monotonic). ValueError: the tree that came out is no tree."""
    standing = standing_documents(snapshot.ours)
    members = {node for document in standing if document.member_kind == "Node" for node in document.members}
    last = memory.swept
    memory = look(memory, snapshot, now, members, settings.times)
    silent = silent_sources(snapshot, settings.sweepers)
    awaited = ", ".join(silent) or "any sweeper"
    late = now - memory.started >= settings.times.cold_start
    if not (memory.warm or late or (snapshot.sweeps and not silent)):
        return Decision(memory, None, f"no complete view yet of {awaited}")
    memory = replace(memory, warm=True)
    gone = missing_switches(snapshot, settings.patience.missing)
    scans = _scans(snapshot, gone)
    if not scans:
        return Decision(memory, None, "there is no SwitchReport to conclude from")
    foreign = find_foreign(snapshot.foreign, snapshot.nodes, frozenset(document.name for document in standing))
    names = (snapshot.node_names | still_held(memory, now)) - foreign.nodes
    nvlink = nvlink_domains(snapshot.node_reports, memory.nvlink or remembered_nvlink(standing))
    claims = port_claims(snapshot.node_reports, names, memory.holder)
    cluster = Cluster(names, node_aliases(snapshot.nodes), claims.holder, claims.contested, nvlink)
    before = standing_tree(standing)
    conclusion = conclude(scans, cluster, settings.tree, before)
    anomalies = believable(conclusion.anomalies, missing_switches(snapshot, 1))
    swept = any(found.whole and found != last.get(name) for name, found in memory.swept.items())
    homes = find_homes(memory, before, conclusion.hierarchy, names, settings.patience, swept=swept)
    hierarchy = with_free_names(keep_in_place(conclusion.hierarchy, before, homes.kept), foreign.names)
    known = memory.known if memory.known is not None else lost_links(standing)
    places = find_places(conclusion.graph, conclusion.structure)
    places = replace(places, label={**adapter_labels(snapshot), **places.label})
    known = judge_links(known, port_evidence(snapshot, gone), places, names)
    findings = Findings(known, places, anomalies, freshness_of(memory, snapshot, now, settings.times))
    health = judge_health(hierarchy, findings, settings.limits)
    desired = documents(hierarchy, _annotations(hierarchy, health, known, nvlink, standing))
    refused = faults(desired)
    if refused:
        raise ValueError(f"the concluded tree is refused, the one that stands stays: {'; '.join(refused[:3])}")
    outcome = Outcome(
        standing=standing,
        desired=desired,
        node_counts={found.name: len(found.nodes) for found in hierarchy.hyper_nodes},
        health=health,
        placements=place(snapshot, hierarchy, conclusion.unplaced, foreign.nodes),
        reports=foreign.reports,
        news=to_tell(anomalies) - memory.told,
    )
    memory = replace(memory, nvlink=nvlink, known=known, holder=claims.holder, told=to_tell(anomalies))
    return Decision(replace(memory, moves=homes.moves), outcome)


def _scans(snapshot: Snapshot, gone: frozenset[int]) -> list[Scan]:
    """One scan a sweeper, of the switches that have not left the graph."""
    by_sweeper: dict[str, list[SwitchReport]] = defaultdict(list)
    for report in snapshot.switch_reports:
        if switch_number(report.spec) not in gone:
            by_sweeper[sweeper_of(report)].append(report.spec)
    whole = {sweep.metadata.name for sweep in snapshot.sweeps if is_whole(sweep)}
    return [
        replace(scan_from_reports(reports, sweeper), complete=sweeper in whole)
        for sweeper, reports in sorted(by_sweeper.items())
    ]


def _annotations(
    hierarchy: Hierarchy,
    health: Health,
    known: KnownLinks,
    nvlink: Mapping[str, str | None],
    standing: Sequence[Document],
) -> dict[str, dict[str, str]]:
    """By HyperNode. Once there, the list of lost links stays and gets empty: a value is taken over from whoever wrote
    it, a removed one is not."""
    listed = {document.name for document in standing if LOST_LINKS in dict(document.annotations)}
    annotations: dict[str, dict[str, str]] = {}
    for found in hierarchy.hyper_nodes:
        judged = health.hyper_nodes[found.name]
        own = {LINKS: f"{judged.unhealthy}/{judged.total}"}
        if judged.lost or found.name in listed:
            own[LOST_LINKS] = write_lost(judged.lost, known.node, MOST_LOST)
        domain = next((nvlink[node] for node in found.nodes if nvlink.get(node)), None)
        if found.tier_name == "nvlink" and domain is not None:
            own[NVLINK_DOMAIN] = domain
        annotations[found.name] = own
    return annotations
