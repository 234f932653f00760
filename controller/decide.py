"""The decision: from a snapshot and the memory to all that should stand in the API. Pure; nothing is written here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from controller.conclusion.adoption import Adoption, find_adoptions
from controller.conclusion.ethernet import hears_a_switch
from controller.conclusion.evidence import switch_number
from controller.conclusion.fabric_notes import fabric_notes, switch_notes
from controller.conclusion.findings import to_tell
from controller.conclusion.foreign import Foreign, find_foreign
from controller.conclusion.keeping import Keeper
from controller.conclusion.lost_switches import Losses
from controller.conclusion.memory import Memory, freshness_of, left_switches, look, silent_sources
from controller.conclusion.placing import Placement, place
from controller.conclusion.ports import note_waiting
from controller.conclusion.rounds import NODES
from controller.conclusion.standing import (
    ASSUMED,
    FABRIC,
    LINKS,
    LOST_LINKS,
    MOST_LOST,
    NVLINK_DOMAIN,
    SWITCHES,
    standing_documents,
)
from controller.conclusion.tiers import settle
from controller.conclusion.tree import conclude_tree
from controller.conclusion.wellbeing import judge_all
from controller.hyper_nodes.recreating import stand_in, to_recreate
from controller.nodes.taints import HeldBack
from controller.nodes.work import Judged, NodeWork, find_work
from controller.notices import FOREIGN, WAITING, Notice
from controller.settings import ControllerSettings
from controller.snapshot import Snapshot
from topology.anomaly import Anomaly
from topology.documents import Document, annotated, documents
from topology.health import Health
from topology.hierarchy import Hierarchy
from topology.links import KnownLinks, write_lost
from topology.members import faults


@dataclass(frozen=True, slots=True)
class Outcome:
    """What should stand in the API."""

    standing: tuple[Document, ...]
    desired: tuple[Document, ...]
    node_counts: Mapping[str, int]
    health: Health
    anomalies: Sequence[Anomaly]
    """What is wrong or worth knowing in the cabling."""
    placements: Mapping[str, Placement]
    reports: Mapping[str, str]
    """Foreign HyperNodes to report, each with a sentence."""
    holders: Mapping[str, str] = field(default_factory=dict)
    """Node to the HyperNode of others that holds it."""
    notices: tuple[Notice, ...] = ()
    """What an operator should know of."""
    adoptions: tuple[Adoption, ...] = ()
    """HyperNodes of others to take over."""
    recreating: tuple[Document, ...] = ()
    """What stood, of those that are deleted and created again."""
    losses: Losses = field(default_factory=Losses)
    """Switches that lost many links together, and who has no other loss."""
    news: frozenset[Anomaly] = frozenset()
    """Findings about the evidence itself that did not stand at the last look."""
    nodes: NodeWork = field(default_factory=NodeWork)
    held_back: tuple[HeldBack, ...] = ()
    """Limits that keep nodes from the taint and did not at the last look."""


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
    keeper = Keeper(memory.kept)
    standing = keeper.made("standing", standing_documents, snapshot.ours)
    table = settle(memory.tiers, standing, settings)
    settings = table.settings
    names = (found.metadata.name for found in snapshot.foreign)
    before = stand_in(memory.recreating, standing, names, table.tiers)
    members = {node for document in before if document.member_kind == "Node" for node in document.members}
    memory = look(memory, snapshot, now, members, settings.times)
    waiting = _waiting(memory, snapshot, settings)
    if waiting:
        return Decision(memory, None, waiting)
    adopting = find_adoptions(memory, snapshot, before, settings)
    memory = replace(memory, tiers=table.tiers, adopted=adopting.names)
    foreign = find_foreign(snapshot.foreign, snapshot.nodes, frozenset(document.name for document in standing))
    concluded = conclude_tree(replace(memory, warm=True), snapshot, before, foreign, settings, keeper)
    told = memory.told
    memory, hierarchy = concluded.memory, concluded.hierarchy
    freshness = freshness_of(memory, snapshot, settings.times)
    found = judge_all(keeper, snapshot, concluded, freshness, settings)
    health, known = found.health, found.findings.known
    annotations = _annotations(hierarchy, health, known, memory.nvlink, before)
    desired = annotated(keeper.made("documents", _documents, hierarchy), annotations)
    recreating = to_recreate(memory.recreating, standing, desired)
    memory = replace(
        memory,
        known=known,
        told=to_tell(found.findings.anomalies),
        recreating=recreating,
        outages=found.outages,
        was_up=found.ports.was_up,
        waiting=note_waiting(memory.waiting, found.ports, hierarchy, now),
    )
    nodes = find_work(snapshot, Judged(hierarchy, health, found.findings, foreign.nodes), settings.nodes)
    outcome = Outcome(
        standing=standing,
        desired=desired,
        node_counts={found.name: len(found.nodes) for found in hierarchy.hyper_nodes},
        health=health,
        anomalies=found.findings.anomalies,
        placements=keeper.made(
            "placements", place, concluded.owned, snapshot.node_names, hierarchy, concluded.held.unplaced, foreign.nodes
        ),
        reports=foreign.reports,
        holders=foreign.holders,
        notices=(*table.notices, *adopting.notices, *_of_others(foreign, members), *_waits(memory)),
        adoptions=adopting.steps,
        recreating=recreating,
        news=memory.told - told,
        losses=found.losses,
        nodes=nodes,
        held_back=tuple(held for held in nodes.taints.held_back if held.place not in memory.limited),
    )
    return Decision(replace(memory, limited=nodes.limited, kept=keeper.kept), outcome)


def _of_others(foreign: Foreign, members: AbstractSet[str]) -> Iterator[Notice]:
    for told in (foreign.reports, foreign.took(members)):
        yield from (Notice(FOREIGN, name, sentence) for name, sentence in told.items())


def _waits(memory: Memory) -> Iterator[Notice]:
    return (Notice(WAITING, root, waiting.sentence) for root, waiting in memory.waiting.items())


def _waiting(memory: Memory, snapshot: Snapshot, settings: ControllerSettings) -> str:
    """Why nothing is concluded yet; "" when there is enough to go on."""
    silent = silent_sources(snapshot, settings.sweepers)
    late = memory.at - memory.started >= settings.times.cold_start
    if not (memory.warm or late or (snapshot.sweeps and not silent)):
        return _incomplete(silent, settings.times.cold_start)
    gone = left_switches(memory, snapshot, settings.patience.missing)
    if any(switch_number(report.spec) not in gone for report in snapshot.switch_reports):
        return ""
    heard = any(told.sweeper == NODES for told in memory.cables.switches.values())
    if heard or hears_a_switch(snapshot.node_reports, settings):
        return ""
    return "there is no SwitchReport to conclude from"


def _incomplete(silent: Sequence[str], cold_start: float) -> str:
    """The same text at every look, so that it is logged once."""
    until = f"or until {cold_start:g} s after the start (the setting times.coldStart)"
    if not silent:
        return f"no complete view yet of any sweeper: nothing is written until one is there, {until}"
    return (
        f"no complete view yet of {', '.join(silent)}: nothing is written until it is there, {until}; "
        "if one of these sweepers is not wanted, name only the wanted ones in the setting sweepers"
    )


def _documents(hierarchy: Hierarchy) -> tuple[Document, ...]:
    """Without annotations. ValueError: they are no tree."""
    desired = documents(hierarchy)
    refused = faults(desired)
    if refused:
        raise ValueError(f"the concluded tree is refused, the one that stands stays: {'; '.join(refused[:3])}")
    return desired


def _annotations(
    hierarchy: Hierarchy,
    health: Health,
    known: KnownLinks,
    nvlink: Mapping[str, str | None],
    standing: Sequence[Document],
) -> dict[str, dict[str, str]]:
    """By HyperNode. Once there, the list of lost links stays and gets empty: a value is taken over from whoever wrote
    it, a removed one is not."""
    fabrics, switches = fabric_notes(hierarchy, standing), switch_notes(hierarchy, standing)
    listed = {document.name for document in standing if LOST_LINKS in dict(document.annotations)}
    annotations: dict[str, dict[str, str]] = {}
    for found in hierarchy.hyper_nodes:
        judged = health.hyper_nodes[found.name]
        own = {LINKS: f"{judged.unhealthy}/{judged.total}"}
        if judged.lost or found.name in listed:
            own[LOST_LINKS] = write_lost(judged.lost, known.node, MOST_LOST)
        if found.name in fabrics:
            own[FABRIC] = fabrics[found.name]
        if found.name in switches:
            own[SWITCHES] = switches[found.name]
        if found.assumed:
            own[ASSUMED] = "true"
        domain = next((nvlink[node] for node in found.nodes if nvlink.get(node)), None)
        if found.tier_name == "nvlink" and domain is not None:
            own[NVLINK_DOMAIN] = domain
        annotations[found.name] = own
    return annotations
