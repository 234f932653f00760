"""A fabric small enough to judge by hand: 2 leaves, 2 spines, 4 nodes with 2 adapters each; every link is one cable.

Nodes n1 and n2 are on leaf l1, n3 and n4 on leaf l2, each by both adapters. Every leaf has a cable to both spines.
Leaf ports 1-4 go to adapters, 11 and 12 to the spines; a spine's port is the number of the leaf.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from discovery.reports import UP
from topology.hierarchy import Hierarchy, HyperNode
from topology.judging import judge_links
from topology.links import End, KnownLinks, Link, Places, PortEvidence, PortState, Verdict

LEAVES = {"l1": 0xA1, "l2": 0xA2}
SPINES = {"s1": 0xB1, "s2": 0xB2}
SWITCHES = {**LEAVES, **SPINES}
NODES = {"n1": "l1", "n2": "l1", "n3": "l2", "n4": "l2"}


def adapter(node: str, number: int) -> int:
    """The GUID of a node's adapter 1 or 2."""
    return 0xC0 + 16 * int(node[1]) + number


def host_link(node: str, number: int) -> Link:
    """The link of adapter 1 or 2 of a node."""
    port = 2 * ((int(node[1]) - 1) % 2) + number
    return Link(End(adapter(node, number), 1), End(LEAVES[NODES[node]], port))


def uplink(leaf: str, spine: str) -> Link:
    """The link of a leaf to a spine."""
    return Link(End(LEAVES[leaf], 10 + int(spine[1])), End(SPINES[spine], int(leaf[1])))


HOST_LINKS = tuple(host_link(node, number) for node in NODES for number in (1, 2))
UPLINKS = tuple(uplink(leaf, spine) for leaf in LEAVES for spine in SPINES)
PLACES = Places(
    level={**dict.fromkeys(LEAVES.values(), 0), **dict.fromkeys(SPINES.values(), 1)},
    node={adapter(node, number): node for node in NODES for number in (1, 2)},
    label={
        **{guid: name for name, guid in SWITCHES.items()},
        **{adapter(node, number): f"{node} hca{number}" for node in NODES for number in (1, 2)},
    },
)


def hyper_node(name: str, nodes: tuple[str, ...], switches: Mapping[str, int], children: tuple[str, ...]) -> HyperNode:
    guids = tuple(f"{guid:016x}" for guid in switches.values())
    tier = 3 if children else 2
    return HyperNode(name, "ib", tier, "spine" if children else "leaf", None, children, nodes, tuple(switches), guids)


HIERARCHY = Hierarchy(
    (
        hyper_node("leaf-1", ("n1", "n2"), {"l1": 0xA1}, ()),
        hyper_node("leaf-2", ("n3", "n4"), {"l2": 0xA2}, ()),
        hyper_node("root", ("n1", "n2", "n3", "n4"), SPINES, ("leaf-1", "leaf-2")),
    )
)


def evidence(
    cut: Iterable[Link] = (), silent: Iterable[str] = (), told: Mapping[End, Verdict] | None = None
) -> PortEvidence:
    """What all switches report: links in `cut` are gone, `silent` switches do not answer, `told` are other verdicts."""
    ports: dict[End, PortState] = {}
    gone = set(cut)
    for link in (*HOST_LINKS, *UPLINKS):
        if link not in gone:
            ports[link.upper] = PortState(Verdict(UP), peer=link.lower)
            if link.lower.guid in LEAVES.values():
                ports[link.lower] = PortState(Verdict(UP), peer=link.upper)
    dumb = {SWITCHES[name] for name in silent}
    ports = {end: state for end, state in ports.items() if end.guid not in dumb}
    for end, verdict in (told or {}).items():
        ports[end] = replace(ports.get(end, PortState(verdict)), verdict=verdict)
    switches = frozenset(SWITCHES.values())
    return PortEvidence.of(ports, switches - dumb, switches)


def ports_of(look: PortEvidence) -> dict[End, PortState]:
    """All ports in one mapping."""
    return {End(guid, port): state for guid, ports in look.devices.items() for port, state in ports.items()}


def with_ports(look: PortEvidence, ports: Mapping[End, PortState]) -> PortEvidence:
    """The look with these ports instead."""
    return PortEvidence.of(ports, look.answered, look.switches)


def judged(*looks: PortEvidence) -> KnownLinks:
    """The links as known after one look after the other."""
    known = KnownLinks()
    for look in looks:
        known = judge_links(known, look, PLACES, frozenset(NODES))
    return known
