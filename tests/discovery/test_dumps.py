"""Whole dumps written by hand (fixtures/ibnetdiscover), and small ones: what the lines mean together."""

from __future__ import annotations

from pathlib import Path

import pytest

from discovery.ibnetdiscover import parse
from discovery.scan import NodeKind, Scan, Speed, spell_guid
from tests.discovery.fabrics import links_of, nodes_of

DUMPS = Path(__file__).parents[2] / "fixtures" / "ibnetdiscover"


def dump(name: str) -> Scan:
    return parse((DUMPS / name).read_bytes(), name)


def kinds(scan: Scan) -> dict[str, NodeKind]:
    return {text: NodeKind(kind) for text, kind in zip(scan.nodes.description, scan.nodes.kind.tolist(), strict=True)}


def bad_lines(scan: Scan) -> list[int]:
    return [problem.line for problem in scan.problems]


def test_a_terminal_log_is_a_scan() -> None:
    scan = dump("terminal-log.txt")
    leaf, spine = 0xFC6A1C0300000100, 0xFC6A1C0300000200
    assert links_of(scan) == {
        frozenset({(leaf, 1), (0xA088C20300000010, 1)}): (4, Speed.NDR),
        frozenset({(leaf, 2), (0xA088C20300000020, 1)}): (4, Speed.NDR),
        frozenset({(leaf, 33), (spine, 1)}): (4, Speed.NDR),
        frozenset({(leaf, 34), (spine, 2)}): (4, Speed.NDR),
        frozenset({(leaf, 65), (0xFC6A1C0300000108, 1)}): (4, Speed.NDR),
    }
    assert nodes_of(scan)[leaf].ports == 65
    assert kinds(scan)["Mellanox Technologies Aggregation Node"] == NodeKind.AGGREGATION
    assert bad_lines(scan) == [1, 2, 3, 4, 49, 50]
    assert scan.complete


def test_a_director_with_a_router_and_every_option() -> None:
    scan = dump("chassis.txt")
    assert scan.problems == ()
    spine, line, box = 0x0002C902004A0F01, 0x0002C902004A0F02, 0x0002C902004A0F00
    assert {nodes_of(scan)[guid].system_guid for guid in (spine, line)} == {box}
    assert kinds(scan)["edge router"] == NodeKind.ROUTER
    assert links_of(scan)[frozenset({(spine, 1), (line, 19)})] == (4, Speed.FDR)
    assert links_of(scan)[frozenset({(line, 5), (0x00139702010000A0, 1)})] == (4, Speed.QDR)
    assert len(scan.links) == 5


def test_odd_names_and_rates() -> None:
    scan = dump("odd-names.txt")
    leaf, host = 0xFC6A1C0300000300, 0xA088C20300000030
    assert scan.nodes.description[0] == 'MF0;leaf #3 - "new" [row 7]:MQM9790/U1'
    assert 'a "quoted" name # with lid 5 4xSDR' in scan.nodes.description
    assert "trailing blanks   " in scan.nodes.description
    rates = {
        port: rate
        for ends, rate in links_of(scan).items()
        for guid, port in ends
        if guid == leaf and any(far >= host and far < host + 16 for far, _ in ends)
    }
    assert rates == {
        1: (2, Speed.NDR),
        2: (1, Speed.NDR),
        3: (4, Speed.HDR),
        4: (0, Speed.UNKNOWN),
        5: (4, Speed.UNKNOWN),
        6: (0, Speed.UNKNOWN),
    }
    assert frozenset({(leaf, 8), (leaf, 9)}) in links_of(scan)
    assert frozenset({(leaf, 10)}) in links_of(scan)
    assert bad_lines(scan) == [9]


def test_redacted_guids_keep_their_spelling() -> None:
    scan = dump("redacted.txt")
    assert {spell_guid(guid, scan.spelled) for guid in scan.nodes.guid.tolist()} == {"SWITCH-A", "HOST-01", "HOST-02"}
    assert set(scan.links.reported_by.tolist()) == {1, 3}
    assert scan.problems == ()


def test_a_difference_shows_the_present_and_says_that_it_is_a_difference() -> None:
    scan = dump("diff.txt")
    assert set(scan.nodes.description) == {"leaf", "came HCA-1"}
    assert not scan.complete
    assert "--diff" in scan.problems[0].reason


def test_a_port_list() -> None:
    scan = dump("portlist.txt")
    assert set(scan.nodes.description) == {"node1 HCA-1", "leaf - one", "it's the spine", "router"}
    assert kinds(scan)["router"] == NodeKind.ROUTER
    assert len(scan.links) == 3
    assert scan.problems == ()


def test_nothing_good_is_lost_with_something_bad() -> None:
    scan = dump("damaged.txt")
    one, two = 0xB8599F0300000001, 0xB8599F0300000002
    assert links_of(scan) == {
        frozenset({(one, 1), (0xB8599F0300000010, 1)}): (4, Speed.HDR),
        frozenset({(one, 2), (0xB8599F0300000011, 1)}): (4, Speed.HDR),
        # its second header is cut, but `switchguid=` says whose line it is; the slower end counts
        frozenset({(one, 4), (two, 1)}): (4, Speed.EDR),
    }
    assert bad_lines(scan) == [1, 8, 9, 10, 12, 13, 14, 19, 21, 22]
    assert not scan.complete


LEAF = b'Switch\t41 "S-b8599f0300000001"\t\t# "leaf" enhanced port 0 lid 1 lmc 0\n'
SPINE = b'Switch\t41 "S-b8599f0300000002"\t\t# "spine" enhanced port 0 lid 2 lmc 0\n'


def cable(port: int, peer: int, peer_port: int) -> bytes:
    return b'[%d]\t"S-%016x"[%d]\t\t# "x" lid 1 4xHDR\n' % (port, peer, peer_port)


def test_a_port_keeps_the_cable_that_both_ends_report() -> None:
    one, two, three = 0xB8599F0300000001, 0xB8599F0300000002, 0xB8599F0300000003
    scan = parse(LEAF + cable(1, two, 1) + cable(1, three, 1) + SPINE + cable(1, one, 1), "dump")
    assert set(links_of(scan)) == {frozenset({(one, 1), (two, 1)})}
    assert bad_lines(scan) == [3]


def test_a_port_that_two_lines_claim_keeps_the_later() -> None:
    one, two, three = 0xB8599F0300000001, 0xB8599F0300000002, 0xB8599F0300000003
    scan = parse(LEAF + cable(1, two, 1) + cable(1, three, 1), "dump")
    assert set(links_of(scan)) == {frozenset({(one, 1), (three, 1)})}
    assert bad_lines(scan) == [2]


def test_a_cable_of_one_end_is_a_row_and_its_peer_is_a_node() -> None:
    scan = parse(LEAF + cable(7, 0xB8599F0300000002, 9), "dump")
    assert scan.links.reported_by.tolist() == [1]
    assert scan.nodes.described.tolist() == [True, False]
    assert scan.nodes.kind.tolist() == [NodeKind.SWITCH, NodeKind.SWITCH]


def test_a_line_behind_a_header_that_cannot_be_read_is_not_the_previous_nodes() -> None:
    scan = parse(LEAF + b'Switch\t41 "S-b8\n' + cable(1, 0xB8599F0300000003, 1), "dump")
    assert len(scan.links) == 0
    assert bad_lines(scan) == [2, 3]


def test_a_node_takes_its_description_from_its_own_block() -> None:
    host = b'[1]\t"H-b8599f0300000009"[1](b8599f0300000009) \t\t# "mapped name" lid 1 4xHDR\n'
    scan = parse(LEAF + host + b'Ca\t1 "H-b8599f0300000009"\t\t# "own HCA-1"\n', "dump")
    assert scan.nodes.description == ("leaf", "own HCA-1")


@pytest.mark.parametrize("separator", [b"\r", b"\r\n", b"\n\r\n", b"\r\r\n"])
def test_any_line_end(separator: bytes) -> None:
    data = (LEAF + cable(1, 0xB8599F0300000002, 1) + SPINE + cable(1, 0xB8599F0300000001, 1)).replace(b"\n", separator)
    scan = parse(data, "dump")
    assert len(scan.links) == 1
    assert scan.problems == ()


def test_a_carriage_return_begins_a_line_anew() -> None:
    scan = parse(b"scanning 17 %\r" + LEAF + cable(1, 0xB8599F0300000002, 1), "dump")
    assert len(scan.links) == 1
    assert bad_lines(scan) == [1]


def test_bytes_that_are_no_utf8_stay_apart() -> None:
    scan = parse(b'Ca\t1 "H-01"\t\t# "n\xe9e"\nCa\t1 "H-02"\t\t# "n\xe8e"\n', "dump")
    assert scan.nodes.description == ("n\\xe9e", "n\\xe8e")


def test_a_line_may_cross_the_border_of_a_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    data = (DUMPS / "terminal-log.txt").read_bytes()
    whole = links_of(parse(data, "dump"))
    for size in (1, 7, 64, 500):
        monkeypatch.setattr("discovery.ibnetdiscover.CHUNK_BYTES", size)
        scan = parse(data, "dump")
        assert links_of(scan) == whole
        assert bad_lines(scan) == [1, 2, 3, 4, 49, 50]


def test_progress_ends_with_all_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discovery.ibnetdiscover.CHUNK_BYTES", 500)
    data, told = (DUMPS / "terminal-log.txt").read_bytes(), list[int]()
    parse(data, "dump", told.append)
    assert told == sorted(told)
    assert told[-1] == len(data)
    assert len(told) > 2
