"""The tree that should stand: concluded from the known cabling, with everybody who does not move yet in place."""

from __future__ import annotations

from dataclasses import dataclass, replace

from controller.cabling import Gone, find_scans
from controller.evidence import nvlink_domains
from controller.foreign import Foreign, with_free_names
from controller.identities import node_aliases, port_claims
from controller.memory import Memory, left_switches, still_held, whole_sweeps
from controller.moves import Trees, find_homes
from controller.settings import ControllerSettings
from controller.snapshot import Snapshot
from controller.standing import lost_links, remembered_nvlink, standing_tree
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


def conclude_tree(
    memory: Memory, snapshot: Snapshot, standing: tuple[Document, ...], foreign: Foreign, settings: ControllerSettings
) -> Concluded:
    """From a memory that has taken note of the snapshot."""
    nodes = snapshot.node_names | still_held(memory)
    names = nodes - foreign.nodes
    nvlink = nvlink_domains(snapshot.node_reports, memory.nvlink or remembered_nvlink(standing))
    # A held name keeps its place and not its ports: a new one may have them.
    present = snapshot.node_names - foreign.nodes
    claims = port_claims(snapshot.node_reports, present, memory.holder)
    cluster = Cluster(names, node_aliases(snapshot.nodes), claims.holder, claims.contested, nvlink)
    before = standing_tree(standing)
    known = memory.known if memory.known is not None else lost_links(standing)
    gone = Gone(
        left_switches(memory, snapshot, settings.patience.missing),
        frozenset(guid for guid, name in known.node.items() if name not in nodes),
    )
    sweeps = whole_sweeps(memory, settings)
    scans = find_scans(memory.cables, snapshot, known, gone, sweeps)
    held = conclude(scans.held, cluster, settings.tree, before)
    shown = conclude(scans.shown, cluster, settings.tree, before) if scans.shown is not None else held
    homes = find_homes(memory.moves, Trees(before, held.hierarchy, shown.hierarchy), names, sweeps)
    hierarchy = keep_in_place(held.hierarchy, before, homes.nodes, homes.parents)
    return Concluded(
        memory=replace(memory, nvlink=nvlink, holder=claims.holder, moves=homes.moves, cables=scans.cables),
        hierarchy=with_free_names(hierarchy, foreign.names),
        held=held,
        shown=shown,
        known=known,
        names=names,
    )
