"""Lists of names in few characters: what is listed is what there is, no more and no less."""

from __future__ import annotations

import re
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.ranges import compressed


def spelled(count: int, *missing: int) -> list[str]:
    return [f"b07-p1-dgx-07-c{number:02}" for number in range(1, count + 1) if number not in missing]


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (spelled(18, 5, 15), "b07-p1-dgx-07-c[01-04,06-14,16-18]"),
        (["node-7"], "node-7"),
        (["tank1", "tank2"], "tank[1-2]"),
        (["login", "tank2"], "login, tank2"),
        (["n9", "n10", "n11"], "n[9-11]"),
        (["n09", "n10", "n11"], "n[09-11]"),
        (["n1", "n01"], "n[1,01]"),
        (["rack1-node1", "rack1-node2", "rack2-node2"], "rack1-node[1-2], rack2-node2"),
        (["gpu1.dc2", "gpu2.dc2", "gpu4.dc2"], "gpu[1-2,4].dc2"),
        ([], ""),
    ],
)
def test_names_that_differ_in_one_number_are_one_range(names: list[str], text: str) -> None:
    assert compressed(names) == text


def test_long_lists_are_bounded_and_say_how_many_are_left() -> None:
    odd = [f"n{number:03}" for number in range(1, 200, 2)]
    assert compressed(odd, most=3) == "n[001,003,005] and 97 more"
    assert compressed([f"host-{letter}" for letter in "abcdefg"], most=2) == "host-a, host-b and 5 more"


def expanded(text: str) -> list[str]:
    """As nodeset tools read it: one bracket a name at most, zeros kept as in the first number of a range."""
    if not text:
        return []
    return list(chain.from_iterable(_expand(part) for part in re.split(r", ", text)))


def _expand(part: str) -> list[str]:
    match = re.fullmatch(r"(.*)\[(.*)\](.*)", part)
    if match is None:
        return [part]
    names = []
    for piece in match[2].split(","):
        first, _, last = piece.partition("-")
        width = len(first)
        names += [f"{match[1]}{number:0{width}}{match[3]}" for number in range(int(first), int(last or first) + 1)]
    return names


NAMES = st.from_regex(r"\A(n|r1-n|r01c)[0-9]{1,3}(\.a|-b)?\Z") | st.sampled_from(["login", "a-b"])


@given(st.sets(NAMES, max_size=40))
def test_the_list_read_back_is_the_set_of_names(names: set[str]) -> None:
    read = expanded(compressed(names, most=1000))
    assert len(read) == len(names)
    assert set(read) == names
