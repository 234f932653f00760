"""The tree that should stand: concluded from the known cabling, with everybody who does not move yet in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from controller.conclusion.cabling import Evidence, Gone, find_scans
from controller.conclusion.ethernet import find_ethernet, listen
from controller.conclusion.foreign import Foreign, with_free_names
from controller.conclusion.identities import (
    PortClaims,
    node_aliases,
    nodes_by_fabric,
    port_claims,
    without_refused,
)
from controller.conclusion.keeping import Keeper
from controller.conclusion.memory import Memory, left_switches, still_held, whole_sweeps
from controller.conclusion.moves import Trees, find_homes
from controller.conclusion.nvlink import Sick, nvlink_domains, read_label, read_told, remembered_sick, sick_nvlinks
from controller.conclusion.reading import Named, Owned, read_hosts, read_named, read_owned, read_owned_plainly
from controller.conclusion.refuting import refuted_roots
from controller.conclusion.rounds import with_rounds
from controller.conclusion.standing import FOR_TREE, lost_links, remembered_nvlink, standing_tree
from controller.settings import ControllerSettings
from controller.snapshot import Snapshot
from topology.conclude import Cluster, Conclusion, conclude
from topology.documents import Document
from topology.hierarchy import Hierarchy
from topology.links import KnownLinks
from topology.staying import keep_in_place


@dataclass(frozen=True, slots=True, eq=False)
class Concluded:
    """One conclusion, and what is kept in mind of it."""

    memory: Memory
    hierarchy: Hierarchy
    held: Conclusion
    """From the known cabling."""
    shown: Conclusion
    """The same with every contradiction of it taken at its word: for what is told of the evidence, not for the tree."""
    known: KnownLinks
    """All links that were known before."""
    names: frozenset[str]
    """The nodes that are ours to place."""
    owned: tuple[Owned, ...]
    """By the NodeReports, in their order."""
    named: tuple[Named, ...]
    """By the Nodes, in their order."""


def conclude_tree(
    memory: Memory,
    snapshot: Snapshot,
    standing: tuple[Document, ...],
    foreign: Foreign,
    settings: ControllerSettings,
    keeper: Keeper | None = None,
) -> Concluded:
    """From a memory that has taken note of the snapshot."""
    keeper = keeper or Keeper(memory.kept)
    nodes = snapshot.node_names | still_held(memory)
    names = nodes - foreign.nodes
    nvlink, sick = _nvlink(memory, snapshot, standing, keeper, nodes)
    # A held name keeps its place and not its ports: a new one may have them.
    present = snapshot.node_names - foreign.nodes
    named = keeper.each("named", read_named, snapshot.nodes)
    aliases = keeper.made("aliases", node_aliases, named)
    owned, claims = _find_owners(memory, snapshot, keeper, Naming(aliases, present, plain=settings.plain_ethernet))
    cluster = Cluster(names, aliases, claims.holder, claims.contested, nvlink)
    before = keeper.made("standing tree", standing_tree, _for_tree(standing))
    known = memory.known if memory.known is not None else lost_links(standing)
    heard = listen(keeper, snapshot, memory, settings)
    ethernet = find_ethernet(keeper, snapshot, heard, claims.refused)
    gone = Gone(
        left_switches(memory, snapshot, settings.patience.missing) - ethernet.named,
        frozenset(guid for guid, name in known.node.items() if name not in nodes),
    )
    sweeps = with_rounds(whole_sweeps(memory, settings), memory.rounds, heard.rounds)
    scans = find_scans(memory.cables, snapshot, Evidence(ethernet, owned, known), gone, sweeps)
    held = keeper.made("held", conclude, scans.held, cluster, settings.tree, before)
    shown = held
    if scans.shown is not None:
        shown = keeper.made("shown", conclude, scans.shown, cluster, settings.tree, before)
    trees = Trees(before, held.hierarchy, shown.hierarchy, refuted_roots(before, held, shown, snapshot))
    homes = keeper.made("homes", find_homes, memory.moves, trees, names, sweeps)
    hierarchy = keeper.made("kept in place", keep_in_place, held.hierarchy, before, homes.nodes, homes.parents)
    return Concluded(
        memory=replace(
            memory,
            nvlink=nvlink,
            sick_nvlinks=sick,
            holder=claims.settled,
            moves=homes.moves,
            cables=scans.cables,
            rounds=heard.rounds,
        ),
        hierarchy=keeper.made("free names", with_free_names, hierarchy, foreign.names),
        held=held,
        shown=shown,
        known=known,
        names=names,
        owned=owned,
        named=named,
    )


@dataclass(frozen=True, slots=True)
class Naming:
    """Who can have ports, by what names; `plain`: also by interfaces that have no RDMA device."""

    aliases: Mapping[str, str | None]
    present: frozenset[str]
    plain: bool


def _find_owners(
    memory: Memory, snapshot: Snapshot, keeper: Keeper, naming: Naming
) -> tuple[tuple[Owned, ...], PortClaims]:
    """Whose ports are whose: a report that claims those of another node moves nothing, and judges nothing."""
    hosts = keeper.each("hosts", read_hosts, snapshot.switch_reports)
    fabric = keeper.made("nodes by fabric", nodes_by_fabric, hosts, naming.aliases)
    read = read_owned_plainly if naming.plain else read_owned
    owned = keeper.each("owned", read, snapshot.node_reports)
    claims = keeper.made("claims", port_claims, owned, naming.present, memory.holder, fabric)
    return keeper.made("held ports", without_refused, owned, claims), claims


def _nvlink(
    memory: Memory, snapshot: Snapshot, standing: tuple[Document, ...], keeper: Keeper, nodes: frozenset[str]
) -> tuple[Mapping[str, str | None], Sick]:
    """The NVLink domains, and the nodes whose NVLink is not well. A controller that starts goes on from what stands."""
    told = keeper.each("told domains", read_told, snapshot.node_reports)
    labels = keeper.each("labelled domains", read_label, snapshot.nodes)
    last = memory.sick_nvlinks if memory.known is not None else remembered_sick(snapshot.nodes)
    domains = nvlink_domains(told, labels, memory.nvlink or remembered_nvlink(standing))
    return domains, sick_nvlinks(snapshot.node_reports, last, nodes)


def _for_tree(standing: tuple[Document, ...]) -> tuple[Document, ...]:
    """Without the annotations that say nothing of the tree."""
    return tuple(
        replace(document, annotations=tuple(item for item in document.annotations if item[0] in FOR_TREE))
        for document in standing
    )
