"""Small made-up fabrics for property tests, how ibnetdiscover would print them, and what a scan says of itself.

The writer here knows nothing of the parser: it follows rdma-core's output forms, so it can be the parser's oracle.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from discovery.scan import NodeKind, Scan, Speed

LETTERS = {NodeKind.SWITCH: "S", NodeKind.HOST: "H", NodeKind.ROUTER: "R"}
WORDS = {NodeKind.SWITCH: "Switch", NodeKind.HOST: "Ca", NodeKind.ROUTER: "Rt"}
ATTRIBUTES = {NodeKind.SWITCH: "switchguid", NodeKind.HOST: "caguid", NodeKind.ROUTER: "rtguid"}

End = tuple[int, int]
"""GUID and port."""


@dataclass(frozen=True, slots=True)
class Node:
    guid: int
    kind: NodeKind
    system_guid: int
    vendor_id: int
    device_id: int
    ports: int
    description: str


@dataclass(frozen=True, slots=True)
class Cable:
    ends: tuple[tuple[int, int], tuple[int, int]]
    """Index of the node and port, of both ends."""
    width: int
    speed: Speed

    def rate(self) -> str:
        return f"{f'{self.width}x' if self.width else '??'}{self.speed.name if self.speed else '???'}"


@dataclass(frozen=True, slots=True)
class Fabric:
    nodes: tuple[Node, ...]
    cables: tuple[Cable, ...]

    def links(self) -> dict[frozenset[End], tuple[int, int]]:
        """By the two ends, width and speed."""
        return {
            frozenset((self.nodes[node].guid, port) for node, port in cable.ends): (cable.width, int(cable.speed))
            for cable in self.cables
        }


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a dump is spelled; the default is the tool's own way."""

    tab: str = "\t"
    """What stands for a tab; "" where a terminal ate it."""
    line_end: str = "\n"
    between_blocks: str = "\n"
    external_ports: bool = False
    full: bool = False
    """With ` s=%d w=%d v=%d` behind the rate (-f)."""

    def write(self, fabric: Fabric) -> bytes:
        """The dump."""
        lines = ["#", "# Topology file: generated on Thu Jan  1 00:00:00 2026", "#", ""]
        for index, node in enumerate(fabric.nodes):
            lines += self._head(node)
            lines += [self._port(fabric, index, *pair) for pair in _ends_at(fabric, index)]
            if self.between_blocks:
                lines.append(self.between_blocks.strip("\n"))
        return self.line_end.join([*lines, ""]).replace("\t", self.tab).encode()

    def _head(self, node: Node) -> list[str]:
        lines = [f"vendid=0x{node.vendor_id:x}", f"devid=0x{node.device_id:x}"]
        if node.system_guid:
            lines.append(f"sysimgguid=0x{node.system_guid:x}")
        is_switch = node.kind == NodeKind.SWITCH
        own = f"{node.guid:x}({node.guid:x})" if is_switch else f"{node.guid:x}"
        lines.append(f"{ATTRIBUTES[node.kind]}=0x{own}")
        tail = " enhanced port 0 lid 7 lmc 0" if is_switch else ""
        name = f'"{LETTERS[node.kind]}-{node.guid:016x}"'
        lines.append(f'{WORDS[node.kind]}\t{node.ports} {name}\t\t# "{node.description}"{tail}')
        return lines

    def _port(self, fabric: Fabric, index: int, cable: Cable, near: int) -> str:
        (_, port), (far, far_port) = cable.ends[near], cable.ends[1 - near]
        node, peer = fabric.nodes[index], fabric.nodes[far]
        external = f"[ext {port}]" if self.external_ports else ""
        far_guid = "" if peer.kind == NodeKind.SWITCH else f"({peer.guid + far_port:x}) "
        text = f'"{LETTERS[peer.kind]}-{peer.guid:016x}"[{far_port}]{external}'
        rate = f"lid 9 {cable.rate()}{' s=1 w=2 v=4' if self.full else ''}"
        if node.kind == NodeKind.SWITCH:
            return f'[{port}]{external}\t{text}{far_guid}\t\t# "{peer.description}" {rate}'
        guid = f"({node.guid + port:x}) "
        return f'[{port}]{guid}\t{text}{far_guid}\t\t# lid 5 lmc 0 "{peer.description}" {rate}'


def _ends_at(fabric: Fabric, index: int) -> list[tuple[Cable, int]]:
    return [
        (cable, near)
        for cable in fabric.cables
        for near in ((0, 1) if cable.ends[0] != cable.ends[1] else (0,))
        if cable.ends[near][0] == index
    ]


printable = st.characters(min_codepoint=0x20, max_codepoint=0x7E)
descriptions = st.one_of(
    st.sampled_from(["gpu-01 mlx5_0", "MF0;leaf:MQM9700/U1", "", 'a "b" # c', "[1](2)", "x  "]),
    st.text(printable, max_size=64),
)
spellings = st.builds(
    Spelling,
    tab=st.sampled_from(["\t", "", " ", "        "]),
    line_end=st.sampled_from(["\n", "\r\n", "\r\r\n", " \n"]),
    between_blocks=st.sampled_from(["\n", "", " \n", "\n\n\n"]),
    external_ports=st.booleans(),
    full=st.booleans(),
)


@st.composite
def nodes(draw: st.DrawFn, guid: int) -> Node:
    kind = draw(st.sampled_from([NodeKind.SWITCH, NodeKind.HOST, NodeKind.ROUTER]))
    return Node(
        guid=guid,
        kind=kind,
        system_guid=draw(st.one_of(st.just(0), st.integers(1, 2**64 - 1))),
        vendor_id=draw(st.integers(1, 2**32 - 1)),
        device_id=draw(st.integers(1, 2**32 - 1)),
        ports=draw(st.integers(0, 254)),
        description=draw(descriptions),
    )


@st.composite
def fabrics(draw: st.DrawFn) -> Fabric:
    """Up to 8 nodes, any cables between them, self-cables too, each port used once."""
    guids = draw(st.lists(st.integers(1, 2**64 - 300), min_size=1, max_size=8, unique=True))
    made = tuple(draw(nodes(guid)) for guid in guids)
    ends = draw(
        st.lists(st.tuples(st.integers(0, len(made) - 1), st.integers(1, 254)), min_size=0, max_size=16, unique=True)
    )
    rates = st.tuples(
        st.sampled_from([0, 1, 2, 4, 8, 12]), st.sampled_from([speed for speed in Speed if speed <= Speed.XDR])
    )
    cables = tuple(Cable((a, b), *draw(rates)) for a, b in zip(ends[::2], ends[1::2], strict=False))
    return Fabric(made, cables)


def links_of(scan: Scan) -> dict[frozenset[End], tuple[int, int]]:
    """By the two ends (GUID and port), width and speed."""
    links, guid = scan.links, scan.nodes.guid.tolist()
    columns = (links.a_node, links.a_port, links.b_node, links.b_port, links.width, links.speed)
    return {
        frozenset(((guid[a], a_port), (guid[b], b_port))): (width, speed)
        for a, a_port, b, b_port, width, speed in zip(*(column.tolist() for column in columns), strict=True)
    }


def nodes_of(scan: Scan) -> dict[int, Node]:
    """The nodes that have a block of their own, by GUID."""
    rows = scan.nodes
    return {
        int(rows.guid[index]): Node(
            guid=int(rows.guid[index]),
            kind=NodeKind(rows.kind[index]),
            system_guid=int(rows.system_guid[index]),
            vendor_id=int(rows.vendor_id[index]),
            device_id=int(rows.device_id[index]),
            ports=int(rows.port_count[index]),
            description=rows.description[index],
        )
        for index in range(len(rows))
        if rows.described[index]
    }
