"""Ages as kubectl writes them (the examples of its own duration printer)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from kube.embedded.tables import age

NOW = datetime(2024, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("past", "expected"),
    [
        (timedelta(seconds=0), "0s"),
        (timedelta(seconds=-5), "0s"),
        (timedelta(seconds=119), "119s"),
        (timedelta(minutes=2), "2m"),
        (timedelta(minutes=2, seconds=10), "2m10s"),
        (timedelta(minutes=10, seconds=30), "10m"),
        (timedelta(minutes=179), "179m"),
        (timedelta(hours=3), "3h"),
        (timedelta(hours=3, minutes=5), "3h5m"),
        (timedelta(hours=8, minutes=5), "8h"),
        (timedelta(hours=47), "47h"),
        (timedelta(hours=50), "2d2h"),
        (timedelta(days=8), "8d"),
        (timedelta(days=729), "729d"),
        (timedelta(days=730), "2y"),
        (timedelta(days=731), "2y1d"),
        (timedelta(days=365 * 8 + 5), "8y"),
    ],
)
def test_ages(past: timedelta, expected: str) -> None:
    assert age((NOW - past).strftime("%Y-%m-%dT%H:%M:%SZ"), NOW) == expected


@pytest.mark.parametrize("text", [None, "", "yesterday", 7])
def test_what_is_no_time_has_no_age(text: object) -> None:
    assert age(text, NOW) == "<unknown>"
