"""Quantities of the Kubernetes API as whole numbers in canonical units."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.kernel.quantity import QuantityError, canonical_amount, parse_quantity, show_amount
from scheduler.kernel.requirements import as_integer


@pytest.mark.parametrize(
    ("resource", "text", "amount"),
    [
        ("cpu", "2", 2000),
        ("cpu", "500m", 500),
        ("cpu", "0.1", 100),
        ("cpu", "1n", 1),
        ("cpu", "1e3", 1_000_000),
        ("memory", "64Gi", 64 * 2**30),
        ("memory", "1.5Gi", 3 * 2**29),
        ("memory", "1G", 10**9),
        ("memory", "1500m", 2),
        ("memory", "1E", 10**18),
        ("memory", "1E2", 100),
        ("pods", "110", 110),
        ("nvidia.com/gpu", "8", 8),
        ("nvidia.com/gpu", "1k", 1000),
        ("ephemeral-storage", "1Ki", 1024),
    ],
)
def test_a_quantity_has_one_canonical_amount(resource: str, text: str, amount: int) -> None:
    assert canonical_amount(resource, text) == amount


@pytest.mark.parametrize(
    "text", ["", "Gi", "1Gii", "1gi", "1 Gi", "0x10", "1.2.3", "--1", "1e", "\uff11", "1_000", "nan"]
)
def test_what_is_no_quantity_is_named(text: str) -> None:
    with pytest.raises(QuantityError, match="is no quantity"):
        parse_quantity(text)


@given(st.text(max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(QuantityError):
        assert isinstance(parse_quantity(text), Fraction)


@pytest.mark.parametrize(
    ("resource", "amount", "shown"),
    [
        ("cpu", 2000, "2 cpu"),
        ("cpu", 1500, "1.5 cpu"),
        ("memory", 64 << 30, "64Gi memory"),
        ("memory", 3 << 29, "1.5Gi memory"),
        ("memory", 100, "100 memory"),
        ("nvidia.com/gpu", 8, "8 nvidia.com/gpu"),
    ],
)
def test_amounts_are_shown_as_people_write_them(resource: str, amount: int, shown: str) -> None:
    assert show_amount(resource, amount) == shown


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("8", 8),
        ("+8", 8),
        ("-08", -8),
        ("", None),
        ("+", None),
        ("8 ", None),
        ("1_0", None),
        ("٣", None),
        ("1.0", None),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", None),
        ("-9223372036854775808", -(2**63)),
    ],
)
def test_numbers_in_labels_are_read_as_64_bit_whole_numbers(text: str, number: int | None) -> None:
    assert as_integer(text) == number
