"""The numbers that stand are kept; the table decides about tiers that there are none of yet."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topology.conclude import Settings
from topology.hierarchy import DEFAULT_TIERS, LEVELS, check_tiers
from topology.tiers import describe_tiers, settle_tiers, standing_numbers

LOW = {"leaf": 1, "spine": 2, "core": 3}


def table(nvlink: int, leaf: int, spine: int, core: int) -> dict[str, int]:
    return {"nvlink": nvlink, "leaf": leaf, "spine": spine, "core": core}


@pytest.mark.parametrize(
    ("wanted", "standing", "settled"),
    [
        (LOW, {}, LOW),
        (LOW, {"leaf": 2, "spine": 3}, {"leaf": 2, "spine": 3, "core": 4}),
        (LOW, {"leaf": 1}, LOW),
        (DEFAULT_TIERS, {"leaf": 1, "spine": 2}, {**LOW, "core": 4, "core2": 5, "core3": 6}),
        (table(1, 2, 9, 10), {"leaf": 2, "core": 4}, table(1, 2, 3, 4)),
        (table(5, 6, 7, 8), {"leaf": 2}, table(1, 2, 7, 8)),
    ],
)  # fmt: skip
def test_tiers_that_stand_keep_their_numbers(
    wanted: Mapping[str, int], standing: Mapping[str, int], settled: Mapping[str, int]
) -> None:
    assert settle_tiers(wanted, standing) == settled


def test_numbers_that_are_no_table_are_put_right() -> None:
    assert settle_tiers(DEFAULT_TIERS, {"leaf": 3, "spine": 2}) == DEFAULT_TIERS
    assert settle_tiers(LOW, {"leaf": 1, "core": 2}) == LOW  # no room for the spines in between


def test_one_hyper_node_that_somebody_edited_does_not_speak_for_its_tier() -> None:
    stand = [("leaf", 2), ("leaf", 2), ("leaf", 7), ("spine", 3), ("spine", 9), ("rack", 1)]
    assert standing_numbers(stand, {"leaf": 1, "spine": 9}) == {"leaf": 2, "spine": 9}
    assert standing_numbers(stand, LOW) == {"leaf": 2, "spine": 3}


def test_tiers_are_told_from_the_bottom_up() -> None:
    assert describe_tiers(DEFAULT_TIERS, ["spine", "leaf", "rack"]) == "leaf 2, spine 3"


def test_a_tier_of_nvlink_domains_that_has_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a number below that of leaf"):
        Settings(tiers=LOW, nvlink_tier=True)


NAMES = LEVELS[:6]
TABLES = st.lists(st.integers(1, 20), min_size=6, max_size=6, unique=True).map(
    lambda numbers: dict(zip(NAMES, sorted(numbers), strict=True))
)


@given(TABLES, TABLES, st.sets(st.sampled_from(NAMES)))
def test_any_two_tables_settle_on_a_legal_one(wanted: dict[str, int], other: dict[str, int], present: set[str]) -> None:
    standing = {name: number for name, number in other.items() if name in present}
    settled = settle_tiers(wanted, standing)
    check_tiers(settled)
    assert settled == wanted or standing.items() <= settled.items()
    assert settle_tiers(wanted, settled) == settled or "nvlink" not in settled
