"""The column reader and the line grammar agree on every dump there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from discovery.ibnetdiscover.chunk import split
from discovery.ibnetdiscover.columns import read_chunk
from tests.discovery.differential import assert_both_readers_agree

WRITTEN = sorted((Path(__file__).parents[2] / "fixtures" / "ibnetdiscover").glob("*.txt"))
CAPTURES = [
    *("ca-only-gb200.txt", "mixed-fdr-hdr.txt", "portlist-1.txt", "portlist-2.txt", "qdr-two-spines.topo"),
    *("old-1.topo", "old-2.topo", "old-3.topo", "old-4.topo", "selene-compute.txt", "superpod-ndr.txt"),
]


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_on_dumps_written_by_hand(path: Path) -> None:
    assert_both_readers_agree(path.read_bytes())


@pytest.mark.parametrize("name", CAPTURES)
def test_on_real_captures(shared_data: Path, name: str) -> None:
    assert_both_readers_agree((shared_data / "ib" / name).read_bytes())


def test_on_a_real_capture_with_changed_line_ends(shared_data: Path) -> None:
    data = (shared_data / "ib" / "superpod-ndr.txt").read_bytes()
    assert_both_readers_agree(data.replace(b"\n", b"\r\n"))


def test_the_tools_own_spelling_is_left_to_the_columns(shared_data: Path) -> None:
    """Not one line of Selene needs the grammar, or the parser would be slow without anybody noticing."""
    data = (shared_data / "ib" / "selene-compute.txt").read_bytes()
    assert len(read_chunk(split(data, 0, len(data), 1)).rest) == 0
