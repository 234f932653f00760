"""The same dump read by the tolerant grammar alone, to be compared with the parser, which prefers columns."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from discovery.ibnetdiscover import parse, parse_by_lines
from discovery.scan import Scan


def assert_both_readers_agree(data: bytes) -> Scan:
    """Read both ways and compare everything; returns the scan."""
    scan = parse(data, "dump")
    assert_equal(scan, parse_by_lines(data, "dump"))
    return scan


def assert_equal(one: Scan, other: Scan) -> None:
    """Compare two scans column by column."""
    for part in ("nodes", "links"):
        left, right = getattr(one, part), getattr(other, part)
        for column in fields(left):
            np.testing.assert_array_equal(getattr(left, column.name), getattr(right, column.name), column.name)
    assert one.problems == other.problems
    assert one.spelled == other.spelled
    assert one.complete == other.complete
