"""What the tool got no answer from. Lines as ibnetdiscover 44.0 prints them; the map is drawn by hand:

host A port 1 -- leaf port 1;  leaf port 2 -- host B;  leaf port 8 -- spine port 3;  spine port 4 -- other leaf
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discovery.ibnetdiscover import parse
from discovery.ibnetdiscover.unanswered import EVERY_PORT, Doubt, find_doubt, read_words
from discovery.identity import Guid

A, B, LEAF, SPINE, OTHER = (Guid(f"{number:016x}") for number in (0xA, 0xB, 0x10, 0x20, 0x30))
MAP = f"""
switchguid=0x10(10)
Switch	40 "S-{LEAF}"		# "leaf" enhanced port 0 lid 1 lmc 0
[1]	"H-{A}"[1](a) 		# "a mlx5_0" lid 2 4xHDR
[2]	"H-{B}"[1](b) 		# "b mlx5_0" lid 3 4xHDR
[8]	"S-{SPINE}"[3]		# "spine" lid 4 4xHDR

switchguid=0x20(20)
Switch	40 "S-{SPINE}"		# "spine" enhanced port 0 lid 4 lmc 0
[3]	"S-{LEAF}"[8]		# "leaf" lid 1 4xHDR
[4]	"S-{OTHER}"[8]		# "other" lid 5 4xHDR
"""
SCAN = parse(MAP.encode(), "map")


def line(path: str, attribute: str = "11:0", reason: str = "bad status 110; Connection timed out") -> str:
    where = f"DR path slid 0; dlid 0; {path}"
    return f"src/query_smp.c:197; umad ({where} Attr 0x{attribute}) {reason}"


def doubt(*lines: str, start: Guid | None = A) -> Doubt:
    return find_doubt(read_words("\n".join(lines)).unanswered, SCAN, start)


def ports(found: Doubt) -> dict[Guid, set[int]]:
    return {guid: set(numbers) for guid, numbers in found.ports.items()}


def test_what_lies_behind_the_last_port_of_the_path_is_in_doubt_and_nothing_else() -> None:
    found = doubt(line("0,1,5"))
    assert ports(found) == {LEAF: {5}}
    assert found.ports[LEAF][5] == "bad status 110; Connection timed out"
    assert ports(doubt(line("0,1,8,9"), line("0,1,8,10"), line("0,1,2"))) == {SPINE: {9, 10}, LEAF: {2}}


def test_a_path_begins_at_the_node_that_the_tool_started_at() -> None:
    assert ports(doubt(line("0,8,9"), start=LEAF)) == {SPINE: {9}}


def test_a_port_of_a_switch_that_answered_is_in_doubt_by_itself_and_without_port_0_all_of_them_are() -> None:
    assert ports(doubt(line("0,1,8", "15:7"))) == {SPINE: {7}}
    assert ports(doubt(line("0,1,8", "15:0"))) == {SPINE: {EVERY_PORT}}
    assert ports(doubt(line("0,1,8", "12:0"))) == {SPINE: {EVERY_PORT}}


def test_of_an_adapter_that_answered_in_part_the_port_of_its_switch_is_in_doubt() -> None:
    assert ports(doubt(line("0,1,2", "15:1"))) == {LEAF: {2}}


def test_a_node_that_did_not_tell_its_name_is_nameless_and_there() -> None:
    assert doubt(line("0,1,2", "10:0")) == Doubt(nameless=frozenset({B}))


def test_a_vendors_question_without_an_answer_leaves_nothing_unknown() -> None:
    assert doubt(line("0,1,8", "ff90:7")) == Doubt()


def test_other_bad_answers_are_none_either() -> None:
    assert ports(doubt(line("0,1,5", reason="bad status 0x1c").replace("umad", "mad"))) == {LEAF: {5}}


@pytest.mark.parametrize("path", ["0,1,7,3", "0,9", "0,1,8,5,1", "0"])
def test_a_path_that_leads_nowhere_leaves_all_in_doubt(path: str) -> None:
    found = doubt(line(path))
    assert ports(found) == {}
    assert found.unresolved == (f"no answer at the directed path {path}: bad status 110; Connection timed out",)


def test_without_a_start_no_path_leads_anywhere() -> None:
    assert len(doubt(line("0,1,5"), start=None).unresolved) == 1


def test_a_path_that_begins_at_a_lid_is_not_followed_and_told() -> None:
    words = read_words(line("0,5").replace("slid 0; dlid 0", "slid 7; dlid 65535"))
    assert not words.unanswered
    assert len(words.trouble) == 1


def test_lines_that_tell_of_an_error_are_trouble_and_others_are_not() -> None:
    words = read_words(
        "ibwarn: [7] sim_connect: attached as client 0\n"
        "src/ibnetdisc.c:793; can't open MAD port (mlx5_0:1)\n"
        "src/ibnetdisc.c:390; Duplicate Port: Port with guid 0x10 already exists in ports DB\n"
    )
    assert words.trouble == ("src/ibnetdisc.c:793; can't open MAD port (mlx5_0:1)",)


def test_more_paths_than_are_followed_are_trouble() -> None:
    words = read_words("\n".join([line("0,1,5")] * 20_010))
    assert (len(words.unanswered), len(words.trouble)) == (20_000, 10)


@given(st.text(max_size=200), st.integers(0, 300))
def test_whatever_the_tool_says_it_raises_nothing(text: str, cut: int) -> None:
    for words in (text, line("0,1,5")[:cut] + text):
        find_doubt(read_words(words).unanswered, SCAN, A)
