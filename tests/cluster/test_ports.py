"""Ports are given once, are free, and stay out of the way of connections that go out."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tests.cluster import ports
from tests.cluster.ports import FIRST, HOST, LAST, free_ports

ASK = "from tests.cluster.ports import free_ports; print(*free_ports(50))"


@pytest.fixture(autouse=True)
def own_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def test_processes_that_ask_at_once_get_different_ones() -> None:
    asking = [
        subprocess.Popen([sys.executable, "-c", ASK], cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    found = [int(port) for one in asking for port in one.communicate()[0].split()]
    assert len(found) == len(set(found)) == 200
    assert all(FIRST <= port <= LAST for port in found)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> tuple[int, int, int]:
    """Three ports, which are all that there are; no other test takes them."""
    monkeypatch.setattr(ports, "FIRST", 15_000)
    monkeypatch.setattr(ports, "LAST", 15_002)
    return (15_000, 15_001, 15_002)


def test_one_that_somebody_listens_on_is_passed_over(few: tuple[int, int, int]) -> None:
    with socket.create_server((HOST, few[1])):
        assert free_ports(2) == [few[0], few[2]]


def test_after_the_last_comes_the_first(few: tuple[int, int, int]) -> None:
    assert [free_ports(2), free_ports(2)] == [[few[0], few[1]], [few[2], few[0]]]


def test_where_too_few_are_free_it_says_so(few: tuple[int, int, int]) -> None:
    with socket.create_server((HOST, few[0])), pytest.raises(RuntimeError, match="no port"):
        free_ports(3)


@pytest.mark.parametrize("text", ["", "29x", "7", "9" * 5000, "\u00e9", str(LAST)])
def test_a_turn_that_cannot_be_read_or_is_over_begins_anew(
    few: tuple[int, int, int], tmp_path: Path, text: str
) -> None:
    free_ports(1)
    (turn,) = tmp_path.iterdir()
    turn.write_text(text)
    assert free_ports(1) == [few[0]]
