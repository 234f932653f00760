"""Every real capture gives the counts that its row of the captures' index states."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from discovery.errors import NothingReadError
from discovery.ibnetdiscover import parse
from discovery.scan import NodeKind, Scan, Speed


def scan_of(folder: Path, name: str) -> Scan:
    return parse((folder / "ib" / name).read_bytes(), name)


def count(scan: Scan, kind: NodeKind) -> int:
    return int((scan.nodes.kind == kind).sum())


def speeds(scan: Scan) -> set[str]:
    return {Speed(speed).name for speed in scan.links.speed.tolist()}


def self_links(scan: Scan) -> int:
    return int((scan.links.a_node == scan.links.b_node).sum())


def pair_counts(scan: Scan, some: set[str], others: set[str]) -> Counter[frozenset[str]]:
    """How many cables join each pair of one of `some` with one of `others`, by description."""
    text = scan.nodes.description
    pairs = ({text[a], text[b]} for a, b in zip(scan.links.a_node.tolist(), scan.links.b_node.tolist(), strict=True))
    return Counter(frozenset(pair) for pair in pairs if pair & some and pair & others)


def test_superpod(shared_data: Path) -> None:
    scan = scan_of(shared_data, "superpod-ndr.txt")
    kinds = (count(scan, NodeKind.SWITCH), count(scan, NodeKind.HOST), count(scan, NodeKind.AGGREGATION))
    assert kinds == (40, 542, 40)
    assert scan.problems == ()
    assert scan.complete
    switches = scan.nodes.kind == NodeKind.SWITCH
    assert set(scan.nodes.port_count[switches].tolist()) == {65}
    names = [text for text, switch in zip(scan.nodes.description, switches.tolist(), strict=True) if switch]
    leaves = {name for name in names if "IBLEAF" in name}
    spines = {name for name in names if "IBSPINE" in name}
    assert (len(leaves), len(spines)) == (31, 9)
    pairs = pair_counts(scan, leaves, spines)
    assert Counter(pairs.values()) == {2: 263, 1: 6}
    assert Counter(scan.nodes.description).most_common(1)[0][1] == 69


def test_superpod_aggregation_nodes_hang_on_port_65(shared_data: Path) -> None:
    scan = scan_of(shared_data, "superpod-ndr.txt")
    aggregation = scan.nodes.kind == NodeKind.AGGREGATION
    ports = np.concatenate(
        (scan.links.a_port[aggregation[scan.links.b_node]], scan.links.b_port[aggregation[scan.links.a_node]])
    )
    assert ports.tolist() == [65] * 40


def test_selene(shared_data: Path) -> None:
    scan = scan_of(shared_data, "selene-compute.txt")
    kinds = (count(scan, NodeKind.SWITCH), count(scan, NodeKind.HOST), count(scan, NodeKind.AGGREGATION))
    assert kinds == (666, 3675, 666)
    assert len(scan.links) == 12_852
    assert scan.problems == ()
    assert set(scan.links.reported_by.tolist()) == {3}
    assert speeds(scan) == {"HDR"}
    assert set(scan.links.width.tolist()) == {4}
    hosts = {text.split()[0] for text in scan.nodes.description if text.startswith("luna-")}
    assert len(hosts) == 458


def test_mixed_rates_and_self_links(shared_data: Path) -> None:
    scan = scan_of(shared_data, "mixed-fdr-hdr.txt")
    # 13 adapters, one of them the switch's aggregation node
    assert (count(scan, NodeKind.SWITCH), count(scan, NodeKind.HOST), count(scan, NodeKind.AGGREGATION)) == (2, 12, 1)
    assert speeds(scan) == {"FDR", "FDR10", "EDR", "HDR"}
    assert self_links(scan) == 2


def test_an_adapter_without_a_link_is_a_scan(shared_data: Path) -> None:
    scan = scan_of(shared_data, "ca-only-gb200.txt")
    assert scan.nodes.description == ("dgx-gb200-n01-c1 HCA-1",)
    assert len(scan.links) == 0


@pytest.mark.parametrize(
    ("name", "switches", "hosts", "links"),
    [("old-1.topo", 2, 4, 7), ("old-2.topo", 1, 2, 2), ("old-3.topo", 2, 6, 10), ("old-4.topo", 1, 1, 1)],
)
def test_old_dumps(shared_data: Path, name: str, switches: int, hosts: int, links: int) -> None:
    scan = scan_of(shared_data, name)
    assert (count(scan, NodeKind.SWITCH), count(scan, NodeKind.HOST), len(scan.links)) == (switches, hosts, links)


def test_an_error_of_the_tool_makes_the_scan_incomplete(shared_data: Path) -> None:
    scan = scan_of(shared_data, "old-3.topo")
    assert not scan.complete
    assert [problem.line for problem in scan.problems] == [1]
    assert self_links(scan) == 3
    assert speeds(scan) == {"EDR", "FDR", "QDR", "SDR"}


def test_the_slower_end_counts(shared_data: Path) -> None:
    """Two cables of old-1 are 4xSDR at one end and 1xSDR at the other."""
    scan = scan_of(shared_data, "old-1.topo")
    assert sorted(scan.links.width.tolist()) == [1, 1, 4, 4, 4, 4, 4]


def test_two_spines(shared_data: Path) -> None:
    scan = scan_of(shared_data, "qdr-two-spines.topo")
    assert (count(scan, NodeKind.SWITCH), count(scan, NodeKind.HOST)) == (8, 144)
    leaves, spines = ({f"MF0;ib{n}:SX6036/U1" for n in numbers} for numbers in (range(1, 7), range(7, 9)))
    pairs = pair_counts(scan, leaves, spines)
    odd = {pair: cables for pair, cables in pairs.items() if cables != 4}
    assert len(pairs) == 12
    assert odd == {frozenset({"MF0;ib1:SX6036/U1", "MF0;ib8:SX6036/U1"}): 3}


def test_port_lists(shared_data: Path) -> None:
    scan = scan_of(shared_data, "portlist-1.txt")
    assert (count(scan, NodeKind.SWITCH), count(scan, NodeKind.HOST), len(scan.links)) == (4, 3, 4)
    unknown = scan.nodes.description.index("ib-i1l2s01")
    assert not scan.nodes.described[unknown]
    assert "ib-i7l2s01" in scan.nodes.description


def test_a_port_list_with_an_aggregation_node(shared_data: Path) -> None:
    scan = scan_of(shared_data, "portlist-2.txt")
    assert count(scan, NodeKind.AGGREGATION) == 1
    assert "5FB0405-leaf-IB01 " in scan.nodes.description


def test_a_port_list_without_a_good_line_says_so(shared_data: Path) -> None:
    with pytest.raises(NothingReadError, match=r"portlist-bad.txt: .*line 1.*single quotes"):
        scan_of(shared_data, "portlist-bad.txt")
