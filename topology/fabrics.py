"""Which connected parts are one fabric, and what each fabric is for.

Parts that reach substantially the same hosts with the same kind of port are planes of ONE fabric; a small part whose
hosts are all in a larger one of its kind has lost its uplinks and still belongs to it; what nobody swept belongs
together (`topology.unswept`). Where hosts have ports in several fabrics, `choices` says which one makes their tree.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topology.choices import NOTHING_KEPT, Choice, KeptFabrics, choose_trees
from topology.columns import mode
from topology.graph import Graph
from topology.parts import Part, describe_parts
from topology.structure import Fabric
from topology.unswept import join_unswept

SAME_HOSTS = 0.5
"""Parts are planes of one fabric where they have this share of the larger one's hosts in common."""


@dataclass(frozen=True, slots=True, eq=False)
class FabricSplit:
    """The fabrics, and by switch and by host to which they belong."""

    fabrics: tuple[Fabric, ...]
    fabric_of_switch: NDArray[np.int32]
    tree_of_host: NDArray[np.int32]
    """By host: the fabric that makes its tree; -1 for a host that no fabric places."""


def split_fabrics(graph: Graph, kept: KeptFabrics = NOTHING_KEPT) -> FabricSplit:
    """Split the graph into fabrics, largest first, and choose for every host the fabric that makes its tree."""
    parts = describe_parts(graph)
    groups = join_unswept(_join_planes(parts))
    groups.sort(key=lambda group: _rank(graph, group))
    fabric_of_part = np.zeros(max(len(parts), 1), np.int32)
    for number, group in enumerate(groups):
        for part in group:
            fabric_of_part[part.number] = number
    fabric_of_switch = fabric_of_part[graph.component] if len(graph.component) else graph.component
    fabric_of_link = fabric_of_switch[graph.host_links.switch]
    choice = choose_trees(graph, fabric_of_switch, len(groups), kept)
    tree_of_host = choice.tree_of_host
    roles = _roles(graph, fabric_of_link, choice, len(groups))
    for number, (role, _) in enumerate(roles):
        if role == "storage":
            tree_of_host[tree_of_host == number] = -1
    names = _names(groups)
    fabrics = tuple(
        _fabric(graph, number, group, (names[number], *roles[number]), fabric_of_switch, fabric_of_link)
        for number, group in enumerate(groups)
    )
    return FabricSplit(fabrics, fabric_of_switch, tree_of_host)


def _join_planes(parts: list[Part]) -> list[list[Part]]:
    """Group parts, the largest first: a part joins the first group whose hosts and ports are like its own."""
    groups: list[list[Part]] = []
    candidates: dict[int, list[int]] = defaultdict(list)  # host -> groups that have it, so that few pairs are compared
    for part in sorted(parts, key=lambda part: (-len(part.hosts), -part.switches, part.number)):
        near = sorted({group for host in part.hosts for group in candidates[host]})
        home = next((group for group in near if _is_like(part, groups[group][0])), None)
        if home is None:
            home = len(groups)
            groups.append([])
        groups[home].append(part)
        for host in part.hosts:
            if home not in candidates[host]:
                candidates[host].append(home)
    return groups


def _is_like(part: Part, largest: Part) -> bool:
    """True for a plane beside the largest part of a group, and for a piece of it that has lost its uplinks."""
    return is_plane(part, largest) or _is_piece(part, largest)


def is_plane(part: Part, largest: Part) -> bool:
    """True where a part reaches substantially the same hosts as the largest one through the same kind of ports."""
    same_ports = _kind(part) == _kind(largest) and part.ports == largest.ports
    return same_ports and len(part.hosts & largest.hosts) >= SAME_HOSTS * len(largest.hosts)


def _is_piece(part: Part, largest: Part) -> bool:
    same_kind = _kind(part) == _kind(largest)
    smaller = part.switches <= largest.switches and len(part.hosts) < len(largest.hosts)
    return same_kind and smaller and 2 * len(part.hosts & largest.hosts) > len(part.hosts)


def _kind(part: Part) -> tuple[bool, int, int]:
    return part.ethernet, part.device, part.speed


def _names(groups: list[list[Part]]) -> list[str]:
    """`ib`, `ib2` and so on; `eth` for those of Ethernet, which count for themselves."""
    names: list[str] = []
    for group in groups:
        prefix = "eth" if group[0].ethernet else "ib"
        number = 1 + sum(name.startswith(prefix) for name in names)
        names.append(prefix if number == 1 else f"{prefix}{number}")
    return names


def _rank(graph: Graph, group: list[Part]) -> tuple[int, int]:
    """Fabrics with most hosts come first, then by lowest GUID, so that names do not depend on the input's order."""
    numbers = np.array([part.number for part in group])
    members = np.flatnonzero(np.isin(graph.component, numbers))
    lowest = min(graph.switches[switch].guid for switch in members.tolist())
    return -len(frozenset().union(*(part.hosts for part in group))), lowest


def _roles(graph: Graph, fabric_of_link: NDArray[np.int32], choice: Choice, count: int) -> list[tuple[str, str]]:
    """Role and deciding rule of each fabric."""
    node = np.array([host.node is not None for host in graph.hosts], np.bool_)
    roles = []
    for number in range(count):
        hosts = np.unique(graph.host_links.host[fabric_of_link == number])
        counted = hosts[node[hosts]] if node[hosts].any() else hosts
        if not len(counted):
            roles.append(("unknown", "no-hosts"))
        elif count == 1:
            roles.append(("compute", "only-fabric"))
        else:
            most = 2 * (choice.tree_of_host[counted] == number).sum() >= len(counted)
            makes = most or number in choice.making
            rule = "kept" if number in choice.kept else "nominal-bandwidth"
            roles.append(("compute" if makes else "storage", rule))
    return roles


def _fabric(
    graph: Graph,
    number: int,
    group: list[Part],
    called: tuple[str, str, str],
    fabric_of_switch: NDArray[np.int32],
    fabric_of_link: NDArray[np.int32],
) -> Fabric:
    """`called`: its name, its role, and the rule that decided the role."""
    switches = np.flatnonzero(fabric_of_switch == number)
    trunks = fabric_of_switch[graph.trunks.a] == number
    hosts = np.unique(graph.host_links.host[fabric_of_link == number])
    asics = np.array([graph.switches[switch].asics for switch in switches.tolist()], np.int64)
    name, role, rule = called
    planes = sum(part is group[0] or (is_plane(part, group[0]) and not part.unswept) for part in group)
    return Fabric(
        name=name,
        link_layer="ethernet" if group[0].ethernet else "infiniband",
        role=role,
        rule=rule,
        planes=planes * max(1, mode(asics)),
        switches=tuple(switches.tolist()),
        hosts=tuple(hosts.tolist()),
        links=int(trunks.sum() + (fabric_of_link == number).sum()),
        assumed=len(group) > 1 and any(part.unswept for part in group),
    )
