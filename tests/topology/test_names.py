"""Names of HyperNodes: from what switches are called, and kept when members stay."""

from __future__ import annotations

import pytest

from topology.names import MAX_NAME, cut, keep_names, nvlink_stems, stem_of


@pytest.mark.parametrize(
    ("names", "stem"),
    [
        (["LG01-1", "LG01-2", "LG01-3"], "lg01"),
        (["A09-P1-IBLEAF-01-04", "A09-P1-IBLEAF-02-04", "A09-P1-IBLEAF-03-04"], "a09-p1-ibleaf-04"),
        (["A10-P1-IBSPINE-01", "B10-P1-IBSPINE-02"], "p1-ibspine"),
        (["CSPINE1-01", "CSPINE1-02"], "cspine1"),
        (["CCORE1-001", "CCORE2-002"], "ccore"),
        (["ib5"], "ib5"),
        (["LG01-1", "LG01-2", "LG01-3", "LG07-4"], "lg01"),
    ],
)
def test_the_stem_is_what_nearly_all_names_share(names: list[str], stem: str) -> None:
    assert stem_of(names) == stem


@pytest.mark.parametrize(
    "names",
    [
        ["switch-de779e"],
        ["Quantum Mellanox Technologies"],
        ["Infiniscale-IV Mellanox Technologies"],
        ["", "LG01-1"],
        [],
        ["2c5eab0300b87b40"],
        ["12", "13"],
    ],
)
def test_names_that_say_nothing_give_no_stem(names: list[str]) -> None:
    assert stem_of(names) is None


def test_a_long_name_keeps_its_fabric_tier_and_end() -> None:
    name = cut("ib-leaf-" + "x" * 80 + "-42")
    assert len(name) <= MAX_NAME
    assert name.startswith("ib-leaf-")
    assert name.endswith("-42")


def test_a_domain_keeps_its_name_while_most_members_stay() -> None:
    before = {"old": frozenset("abcd"), "gone": frozenset("xy")}
    assert keep_names(["new1", "new2"], [frozenset("abce"), frozenset("fg")], before) == ["old", "new2"]


def test_of_two_halves_the_larger_keeps_the_name() -> None:
    before = {"old": frozenset("abcde")}
    assert keep_names(["n1", "n2"], [frozenset("ab"), frozenset("cde")], before) == ["n1", "old"]


def test_a_fresh_name_never_takes_a_kept_one() -> None:
    before = {"leaf": frozenset("abc")}
    assert keep_names(["leaf", "other"], [frozenset("xyz"), frozenset("abc")], before) == ["leaf-2", "leaf"]


def test_an_nvlink_domain_is_called_by_its_first_block_and_clique() -> None:
    domains = ["7b968a6d-c8aa-45e1-9e07-e1e51be99c31.1", "7b968a6d-c8aa-45e1-9e07-e1e51be99c31.2"]
    assert nvlink_stems(domains) == {domains[0]: "7b968a6d-1", domains[1]: "7b968a6d-2"}


def test_of_nvlink_domains_that_begin_alike_as_much_is_said_as_tells_them_apart() -> None:
    domains = [
        "7b968a6d-c8aa-45e1-9e07-e1e51be99c31.1",
        "7b968a6d-c8aa-45e1-9e07-000000000002.1",
        "7b968a6d-0001-45e1-9e07-e1e51be99c31.1",
        "7b968a6d-0001-45e1-9e07-e1e51be99c31.2",
        "99999999-0001-45e1-9e07-e1e51be99c31.1",
    ]
    stems = nvlink_stems(domains)
    assert [stems[domain] for domain in domains] == [
        "7b968a6d-c8aa-45e1-9e07-e1e51be99c31-1",
        "7b968a6d-c8aa-45e1-9e07-000000000002-1",
        "7b968a6d-0001-1",
        "7b968a6d-2",
        "99999999-1",
    ]
    assert nvlink_stems(reversed(domains)) == stems
    assert nvlink_stems([]) == {}
