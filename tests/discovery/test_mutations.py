"""2,000 mutated dumps: no exception but the declared ones, and only sound scans. `./dev soak parsers` runs 200,000."""

from __future__ import annotations

import pytest

from bench.soak_parsers import finding, mutated


@pytest.mark.parametrize("block", range(4))
def test_mutated_dumps_are_answered_as_promised(block: int) -> None:
    for number in range(500 * block, 500 * (block + 1)):
        found = finding(f"test:{number}")
        assert found is None, f"seed test:{number}: {found}\n{mutated(f'test:{number}')!r}"


def test_a_seed_names_its_input() -> None:
    assert mutated("a:1") == mutated("a:1")
    assert len({mutated(f"a:{number}") for number in range(100)}) > 90
