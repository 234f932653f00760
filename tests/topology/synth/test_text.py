"""Text in the exact form of ibnetdiscover (rdma-core), checked by hand and, on real size, by reading it back."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from discovery.scan import LinkColumns, NodeColumns, NodeKind, Scan, Speed
from topology.synth.evidence import scan_of
from topology.synth.spec import Tree, units_of
from topology.synth.text import write_text
from topology.synth.tree import draw_tree

BY_HAND = """\
#
# Topology file: generated on Thu Jan  1 00:00:00 2026
#
# Initiated from node 0c42a10300000002 port 0c42a10300000002

vendid=0x2c9
devid=0xd2f2
sysimgguid=0xc42a10300000001
switchguid=0xc42a10300000001(c42a10300000001)
Switch\t65 "S-0c42a10300000001"\t\t# "MF0;leaf:MQM9700/U1" enhanced port 0 lid 1 lmc 0
[1]\t"H-0c42a10300000002"[1](c42a10300000003) \t\t# "n1 mlx5_0" lid 2 4xNDR
[7]\t"S-0c42a10300000001"[9]\t\t# "MF0;leaf:MQM9700/U1" lid 1 ?????
[9]\t"S-0c42a10300000001"[7]\t\t# "MF0;leaf:MQM9700/U1" lid 1 ?????

vendid=0x2c9
devid=0x1021
sysimgguid=0xc42a10300000002
caguid=0xc42a10300000002
Ca\t1 "H-0c42a10300000002"\t\t# "n1 mlx5_0"
[1](c42a10300000003) \t"S-0c42a10300000001"[1]\t\t# lid 2 lmc 0 "MF0;leaf:MQM9700/U1" lid 1 4xNDR

"""


def small_scan() -> Scan:
    """One switch with a cable to itself, one host on it."""
    switch, host, port = 0x0C42A10300000001, 0x0C42A10300000002, 0x0C42A10300000003
    guid = np.array([switch, host], np.uint64)
    nodes = NodeColumns(
        guid=guid,
        system_guid=guid,
        kind=np.array([NodeKind.SWITCH, NodeKind.HOST], np.uint8),
        vendor_id=np.array([0x2C9, 0x2C9], np.uint32),
        device_id=np.array([0xD2F2, 0x1021], np.uint32),
        port_count=np.array([65, 1], np.uint16),
        described=np.ones(2, np.bool_),
        description=("MF0;leaf:MQM9700/U1", "n1 mlx5_0"),
    )
    links = LinkColumns(
        a_node=np.array([0, 0], np.int32),
        a_port=np.array([1, 7], np.int16),
        b_node=np.array([1, 0], np.int32),
        b_port=np.array([1, 9], np.int16),
        a_port_guid=np.zeros(2, np.uint64),
        b_port_guid=np.array([port, 0], np.uint64),
        width=np.array([4, 0], np.uint8),
        speed=np.array([Speed.NDR, Speed.UNKNOWN], np.uint8),
        reported_by=np.full(2, 3, np.uint8),
    )
    return Scan("by hand", nodes, links)


def test_both_blocks_of_a_link_have_the_spelling_of_their_kind() -> None:
    assert write_text(small_scan()).decode() == BY_HAND


def test_every_line_has_the_shape_of_a_line_of_a_real_dump(shared_data: Path) -> None:
    def shape(line: str) -> str:
        line = re.sub(r'"([SH])-[0-9a-f]{16}"', r'"\1-G"', line)
        line = re.sub(r'# (.*)"[^"]*"', r'# \1"D"', re.sub(r"\([0-9a-f]+\)", "(G)", line))
        return re.sub(r"0x[0-9a-f]+", "0xG", re.sub(r"\b\d+\b", "N", line))

    real = (shared_data / "ib" / "superpod-ndr.txt").read_text().splitlines()
    ours = write_text(scan_of(draw_tree(Tree(units=units_of(64))))).decode().splitlines()
    known = {shape(line) for line in real if not line.startswith("#")}
    assert {shape(line) for line in ours if not line.startswith("#")} <= known


def test_blocks_come_in_another_order_on_request_and_lose_nothing() -> None:
    scan = scan_of(draw_tree(Tree(units=units_of(64))))
    straight, mixed, again = write_text(scan), write_text(scan, 1), write_text(scan, 1)
    assert mixed == again
    assert mixed != straight
    head = straight.index(b"vendid")
    assert sorted(straight[head:].split(b"\n\n")) == sorted(mixed[mixed.index(b"vendid") :].split(b"\n\n"))
