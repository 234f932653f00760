"""From the structure to the tree of HyperNodes: uniform depth, one parent each, tier numbers from one table.

Only domains with nodes below become HyperNodes, but levels and names come from the whole structure, so that they are
the same whichever of the fabric's hosts are in the cluster.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from discovery.scan import spell_guid
from topology.anomaly import Anomaly
from topology.graph import Graph, Unplaced
from topology.hierarchy import Hierarchy, HyperNode, tier_name, tier_number
from topology.merge import switch_label
from topology.names import cut, keep_names, legal, nvlink_stems, stem_of
from topology.nvlink import NvlinkLevel, settle_nvlink
from topology.structure import Domain, Structure


@dataclass(slots=True)
class Branch:
    """One HyperNode in the making."""

    fabric: str
    tier_name: str
    stem: str | None
    fallback: str
    switches: tuple[int, ...] = ()
    nodes: set[str] = field(default_factory=set)
    children: list[Branch] = field(default_factory=list)
    name: str = ""
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class Tree:
    """The finished tree, with what was found on the way."""

    hierarchy: Hierarchy
    anomalies: tuple[Anomaly, ...]
    unplaced: tuple[Unplaced, ...]


def build_tree(
    graph: Graph,
    structure: Structure,
    nvlink: Mapping[str, str | None],
    tiers: Mapping[str, int],
    nvlink_tier: bool | None = None,
    previous: Sequence[HyperNode] = (),
) -> Tree:
    """Build the tree of all fabrics that place nodes. `previous` is the tree as it stands: its names are kept."""
    leaf_of_node, unplaced = place_nodes(graph, structure)
    fabric_of_leaf = {leaf: structure.domains[leaf].fabric for leaf in set(leaf_of_node.values())}
    level = settle_nvlink(leaf_of_node, nvlink, nvlink_tier, fabric_of_leaf)
    branches: list[Branch] = []
    domains_of: dict[int, list[int]] = defaultdict(list)
    for number, domain in enumerate(structure.domains):
        domains_of[domain.fabric].append(number)
    for fabric, nodes_of in sorted(_nodes_by_leaf(structure, level).items()):
        branches.extend(_grow_fabric(graph, structure, domains_of[fabric], nodes_of, level))
    _name_branches(branches, previous)
    hyper_nodes = _finish(graph, branches, tiers)
    return Tree(Hierarchy(hyper_nodes, dict(tiers)), level.anomalies, unplaced)


def place_nodes(graph: Graph, structure: Structure) -> tuple[dict[str, int], tuple[Unplaced, ...]]:
    """By node the leaf domain that holds it, and the nodes that none holds, each with its reason."""
    placed: dict[str, int] = {}
    missing: dict[str, str] = {}
    linked = set(graph.host_links.host.tolist())
    for index, host in enumerate(graph.hosts):
        if host.node is None:
            continue
        fabric = int(structure.tree_of_host[index])
        domain = int(structure.home[fabric, index]) if fabric >= 0 else -1
        if domain >= 0:
            placed.setdefault(host.node, domain)
        elif index not in linked:
            missing.setdefault(host.node, "no-switch")
        else:
            missing.setdefault(host.node, "NoFabricPort" if fabric < 0 else "AmbiguousDomain")
    unplaced = [Unplaced(node, reason) for node, reason in missing.items() if node not in placed]
    unplaced += [entry for entry in graph.unplaced if entry.node not in placed]
    return placed, tuple(sorted(unplaced, key=lambda entry: entry.node))


def _nodes_by_leaf(structure: Structure, nvlink: NvlinkLevel) -> dict[int, dict[int, set[str]]]:
    """By fabric that places nodes and by leaf domain of it: its nodes."""
    found: dict[int, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for node, leaf in nvlink.leaf_of_node.items():
        found[structure.domains[leaf].fabric][leaf].add(node)
    return found


def _grow_fabric(
    graph: Graph, structure: Structure, own: Sequence[int], nodes_of: Mapping[int, set[str]], nvlink: NvlinkLevel
) -> list[Branch]:
    """All branches of one fabric, children before parents, ending in one root. `own`: its domains."""
    name = structure.fabrics[structure.domains[own[0]].fabric].name
    stems = _stems(graph, structure, own)
    branch_of = {number: _branch(graph, structure.domains[number], name, stems[number]) for number in own}
    called = nvlink_stems(nvlink.domains)
    lowest: list[Branch] = []
    for leaf, nodes in nodes_of.items():
        branch_of[leaf].nodes = nodes
        lowest.extend(_grow_nvlink(branch_of[leaf], nodes, nvlink.domains, called))
    _join_switches(nvlink, branch_of)
    return lowest + _raise_levels(graph, structure, own, branch_of, nodes_of, name)


def _stems(graph: Graph, structure: Structure, own: Sequence[int]) -> dict[int, str | None]:
    """The stem of each domain; None where another domain of its level has the same one."""
    stems = {number: stem_of([graph.switches[s].name for s in structure.domains[number].switches]) for number in own}
    seen: dict[tuple[int, str | None], int] = defaultdict(int)
    for number, stem in stems.items():
        seen[structure.domains[number].level, stem] += 1
    return {
        number: stem if seen[structure.domains[number].level, stem] == 1 else None for number, stem in stems.items()
    }


def _branch(graph: Graph, domain: Domain, fabric: str, stem: str | None) -> Branch:
    guid = min(graph.switches[switch].guid for switch in domain.switches)
    fallback = spell_guid(guid, graph.spelled) or switch_label(graph, domain.switches[0])
    return Branch(fabric, tier_name(domain.level), stem, fallback, domain.switches)


def _grow_nvlink(
    leaf: Branch, nodes: set[str], domains: Mapping[str, tuple[str, ...]], called: Mapping[str, str]
) -> list[Branch]:
    """The NVLink branches below one leaf branch: one a domain, and one for each node that is in none."""
    if not domains:
        return []
    rest = set(nodes)
    grown = []
    for domain, members in sorted(domains.items()):
        if members[0] in nodes:
            grown.append(Branch(leaf.fabric, "nvlink", None, called[domain], nodes=set(members)))
            rest -= set(members)
    grown += [Branch(leaf.fabric, "nvlink", None, node, nodes={node}) for node in sorted(rest)]
    leaf.children = grown
    return grown


def _join_switches(nvlink: NvlinkLevel, branch_of: Mapping[int, Branch]) -> None:
    """Leaf domains that NVLink domains have made one keep the switches of all of them."""
    for leaf, target in nvlink.joined.items():
        if leaf != target and leaf in branch_of:
            branch_of[target].switches = tuple(sorted({*branch_of[target].switches, *branch_of[leaf].switches}))


def _raise_levels(
    graph: Graph,
    structure: Structure,
    own: Sequence[int],
    branch_of: dict[int, Branch],
    nodes_of: Mapping[int, set[str]],
    fabric: str,
) -> list[Branch]:
    """Leaf branches, then level by level their parents up to one root; a level that a branch lacks is filled in."""
    top = max(structure.domains[number].level for number in own)
    unswept = _unswept_domains(graph, structure, own)
    current = {number: branch_of[number] for number in sorted(nodes_of)}
    grown = list(current.values())
    for height in range(1, top + 1):
        tops = [number for number in own if structure.domains[number].level == height == top]
        above: dict[int, Branch] = {}
        for number, branch in current.items():
            parent = _parent_at(structure, number, height)
            if parent is None and len(tops) == 1:
                parent = tops[0]  # cut off today, or not swept: it belongs to the one top of its fabric
                branch_of[parent].assumed |= number in unswept
            if parent is None:
                above[number] = Branch(fabric, tier_name(height), branch.stem, branch.fallback)
            else:
                above.setdefault(parent, branch_of[parent])
            _adopt(above[number if parent is None else parent], branch)
        grown += above.values()
        current = above
    if len(current) > 1 or sum(structure.domains[number].level == top for number in own) > 1:
        assumed = structure.fabrics[structure.domains[own[0]].fabric].assumed
        root = Branch(fabric, tier_name(top + 1), "root", "root", assumed=assumed)
        for branch in current.values():
            _adopt(root, branch)
        grown.append(root)
    return grown


def _unswept_domains(graph: Graph, structure: Structure, own: Sequence[int]) -> frozenset[int]:
    """Those of whose switches nobody swept any: that nothing joins them is no evidence."""
    unswept = {switch for switch in graph.unswept if graph.switches[switch].ethernet}
    if not unswept:
        return frozenset()
    return frozenset(number for number in own if unswept.issuperset(structure.domains[number].switches))


def _parent_at(structure: Structure, number: int, height: int) -> int | None:
    """The parent of a domain where it stands one level below `height`; None for a branch that lacks this level."""
    domain = structure.domains[number]
    return domain.parent if domain.level == height - 1 else None


def _adopt(parent: Branch, child: Branch) -> None:
    parent.children.append(child)
    parent.nodes |= child.nodes


def _name_branches(branches: Sequence[Branch], previous: Sequence[HyperNode]) -> None:
    """Fresh names by stem, then the names that the same members had before."""
    tiers: dict[str, list[Branch]] = defaultdict(list)
    for branch in branches:
        tiers[branch.tier_name].append(branch)
    for tier, level in tiers.items():
        fresh = [cut(f"{branch.fabric}-{tier}-{branch.stem or legal(branch.fallback)}") for branch in level]
        before = {node.name: frozenset(node.nodes) for node in previous if node.tier_name == tier}
        names = keep_names(fresh, [frozenset(branch.nodes) for branch in level], before)
        for branch, name in zip(level, names, strict=True):
            branch.name = name


def _finish(graph: Graph, branches: Sequence[Branch], tiers: Mapping[str, int]) -> tuple[HyperNode, ...]:
    parent_of = {id(child): branch.name for branch in branches for child in branch.children}
    return tuple(
        HyperNode(
            name=branch.name,
            fabric=branch.fabric,
            tier=tier_number(tiers, branch.tier_name),
            tier_name=branch.tier_name,
            parent=parent_of.get(id(branch)),
            assumed=branch.assumed,
            children=tuple(sorted(child.name for child in branch.children)),
            nodes=tuple(sorted(branch.nodes)),
            switches=tuple(sorted(switch_label(graph, switch) for switch in branch.switches)),
            switch_guids=tuple(
                sorted(
                    spell_guid(guid, graph.spelled) or ""
                    for switch in branch.switches
                    for guid in graph.switches[switch].guids
                )
            ),
        )
        for branch in branches
    )
