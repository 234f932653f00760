"""The same dump read by the tolerant grammar alone, to be compared with the parser, which prefers columns."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from discovery.ibnetdiscover import read_tables, scan_from_tables
from discovery.ibnetdiscover.lines import read_lines
from discovery.ibnetdiscover.rows import Tables, Texts
from discovery.scan import Scan


def read_by_lines(data: bytes) -> Tables:
    """Every line through the grammar."""
    tables = Tables(Texts(data))
    read_lines(enumerate(data.split(b"\n"), start=1), tables)
    return tables


def assert_both_readers_agree(data: bytes) -> Scan:
    """Read both ways and compare everything; returns the scan."""
    fast, slow = (scan_from_tables(tables, "dump") for tables in (read_tables(data), read_by_lines(data)))
    assert_equal(fast, slow)
    return fast


def assert_equal(one: Scan, other: Scan) -> None:
    """Compare two scans column by column."""
    for part in ("nodes", "links"):
        left, right = getattr(one, part), getattr(other, part)
        for column in fields(left):
            np.testing.assert_array_equal(getattr(left, column.name), getattr(right, column.name), column.name)
    assert one.problems == other.problems
    assert one.spelled == other.spelled
    assert one.complete == other.complete
