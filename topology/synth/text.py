"""Scans as text: what ibnetdiscover of rdma-core prints for one (the grammar of infiniband-diags' ibnetdiscover.c)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discovery.scan import NodeKind, Scan, Speed
from topology.synth.draws import shuffle

Columns = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""Node, port and port GUID of one end of each cable."""

_LETTER = {NodeKind.SWITCH: "S", NodeKind.HOST: "H", NodeKind.ROUTER: "R", NodeKind.AGGREGATION: "H"}
_WORD = {NodeKind.HOST: ("Ca", "caguid"), NodeKind.ROUTER: ("Rt", "rtguid"), NodeKind.AGGREGATION: ("Ca", "caguid")}
_LIDS = 0xBFFF
"""Unicast LIDs end here; larger fabrics use some twice, for a LID is no identity."""


def write_text(scan: Scan, shuffle_seed: int | None = None) -> bytes:
    """The scan as ibnetdiscover prints it: switch blocks, then the others; or all blocks in a drawn order.

    LIDs are made up (a Scan has none). The port GUID of an end that has none is its node's.
    """
    heads, lines = _heads(scan), _port_lines(scan)
    kind = scan.nodes.kind
    order = np.argsort(kind != NodeKind.SWITCH, kind="stable")
    if shuffle_seed is not None:
        order = shuffle(shuffle_seed, "blocks", len(kind))
    blocks = ["\n".join((heads[node], *lines[node], "\n")) for node in order.tolist()]
    start = f"{int(scan.nodes.guid[order[-1]]):016x}" if len(order) else "0"
    preface = (
        f"#\n# Topology file: generated on Thu Jan  1 00:00:00 2026\n#\n# Initiated from node {start} port {start}\n\n"
    )
    return (preface + "".join(blocks)).encode()


def _lid(node: int) -> int:
    return 1 + node % _LIDS


def _heads(scan: Scan) -> list[str]:
    """The lines of each node's block that come before its ports."""
    nodes = scan.nodes
    columns = (nodes.kind, nodes.vendor_id, nodes.device_id, nodes.system_guid, nodes.guid, nodes.port_count)
    rows = zip(*(column.tolist() for column in columns), nodes.description, strict=True)
    heads = []
    for number, (kind, vendor, device, system, guid, ports, text) in enumerate(rows):
        box = f"vendid=0x{vendor:x}\ndevid=0x{device:x}\nsysimgguid=0x{system:x}\n"
        if kind == NodeKind.SWITCH:
            line = f'switchguid=0x{guid:x}({guid:x})\nSwitch\t{ports} "S-{guid:016x}"\t\t# "{text}" '
            heads.append(f"{box}{line}enhanced port 0 lid {_lid(number)} lmc 0")
        else:
            word, key = _WORD[kind]
            heads.append(f'{box}{key}=0x{guid:x}\n{word}\t{ports} "{_LETTER[kind]}-{guid:016x}"\t\t# "{text}"')
    return heads


def _port_lines(scan: Scan) -> list[list[str]]:
    """The port lines of each node, by port. A cable from a node to itself has a line for either end."""
    nodes = scan.nodes
    switch = (nodes.kind == NodeKind.SWITCH).tolist()
    pairs = zip(nodes.kind.tolist(), nodes.guid.tolist(), strict=True)
    names = [f'"{_LETTER[kind]}-{guid:016x}"' for kind, guid in pairs]
    tails = [f'"{text}" lid {_lid(number)} ' for number, text in enumerate(nodes.description)]
    lines: list[list[str]] = [[] for _ in names]
    for node, port, guid, far, far_port, far_guid, rate in _ends(scan):
        far_text = f"{names[far]}[{far_port}]"
        if switch[node]:
            peer = far_text if switch[far] else f"{far_text}({far_guid:x}) "
            lines[node].append(f"[{port}]\t{peer}\t\t# {tails[far]}{rate}")
        else:
            peer = far_text if switch[far] else f"{far_text} ({far_guid:x})"
            lines[node].append(f"[{port}]({guid:x}) \t{peer}\t\t# lid {_lid(node)} lmc 0 {tails[far]}{rate}")
    return lines


def _ends(scan: Scan) -> Iterator[tuple[int, int, int, int, int, int, str]]:
    """Node, port, port GUID; the same of the far end; the rate: for either end of each cable, by node and port."""
    links = scan.links
    guid = scan.nodes.guid
    a: Columns = (links.a_node, links.a_port, np.where(links.a_port_guid, links.a_port_guid, guid[links.a_node]))
    b: Columns = (links.b_node, links.b_port, np.where(links.b_port_guid, links.b_port_guid, guid[links.b_node]))
    columns = _stacked(a, b) + _stacked(b, a)
    order = np.lexsort((columns[1], columns[0]))
    rates = [_rate(width, speed) for width, speed in zip(links.width.tolist(), links.speed.tolist(), strict=True)]
    rate = map(rates.__getitem__, (order % len(rates)).tolist())
    return zip(*(column[order].tolist() for column in columns), rate, strict=True)


def _stacked(upper: Columns, lower: Columns) -> list[NDArray[Any]]:
    return [np.concatenate([one, other]) for one, other in zip(upper, lower, strict=True)]


def _rate(width: int, speed: int) -> str:
    return f"{width or '??'}{'x' if width else ''}{Speed(speed).name if speed else '???'}"
