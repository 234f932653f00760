"""The demo as a user runs it: its story holds, and with --keep the API can be used with plain kubectl."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.contract.conftest import kubectl_path
from tests.e2e.story import assert_told

__all__ = ["kubectl_path"]

HYPERSCOUT = Path(sys.executable).parent / "hyperscout"
SECONDS = 60
"""For the demo to end, or a kubectl command."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A demo that has told its story and keeps its API up."""

    printed: str
    kubeconfig: Path


@pytest.fixture(scope="module")
def kept() -> Iterator[Kept]:
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "40"}
    command = [str(HYPERSCOUT), "demo", "--keep"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as demo:
        try:
            yield _read(demo)
        finally:
            demo.send_signal(signal.SIGINT)
            demo.communicate(timeout=SECONDS)


def _read(demo: subprocess.Popen[str]) -> Kept:
    assert demo.stdout is not None
    printed = ""
    for line in demo.stdout:
        printed += line
        if "Ctrl-C" in line:
            break
    found = re.search(r"export KUBECONFIG=(\S+)", printed)
    assert found, f"the demo named no KUBECONFIG:\n{printed}"
    return Kept(printed, Path(found[1]))


@pytest.fixture
def kubectl(kept: Kept, kubectl_path: Path, tmp_path: Path) -> Kubectl:
    return Kubectl(kubectl_path, kept.kubeconfig, tmp_path)


@dataclass(frozen=True, slots=True)
class Kubectl:
    """Plain kubectl against the kept demo."""

    path: Path
    kubeconfig: Path
    home: Path

    def __call__(self, *arguments: str, given: str = "") -> str:
        environment = {"KUBECONFIG": str(self.kubeconfig), "HOME": str(self.home), "PATH": os.environ["PATH"]}
        done = subprocess.run(
            [str(self.path), *arguments],
            input=given, capture_output=True, text=True, env=environment, timeout=SECONDS, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"kubectl {' '.join(arguments)}: {done.stderr}"
        return done.stdout

    def rows(self, *arguments: str) -> list[dict[str, str]]:
        """The rows of a table by the words of its head."""
        head, *lines = (re.split(r"\s{2,}", line.strip()) for line in self(*arguments).splitlines())
        return [dict(zip(head, line, strict=False)) for line in lines]


def test_the_story_holds_and_says_so(kept: Kept) -> None:
    assert_told(kept.printed)


def test_on_a_narrow_terminal_no_line_is_broken_and_no_name_cut(kept: Kept) -> None:
    first, *lines = kept.printed.splitlines()
    assert first == "118 nodes, an embedded API server (not for production), the real controller and scheduler"
    places = sorted(line.rpartition("  ")[2] for line in lines if "(tier 1)" in line)
    assert places == [f"row{row}-rack0{rack}, 18 nodes" for row in (1, 2) for rack in (1, 2, 3)]
    assert all(line == line.rstrip() for line in lines)


def test_hyper_nodes_print_with_their_columns(kubectl: Kubectl) -> None:
    rows = kubectl.rows("get", "hn")
    assert list(rows[0]) == ["NAME", "TIER", "TIERNAME", "NODECOUNT", "READY", "AGE"]
    counts = sorted((row["TIER"], row["TIERNAME"], row["NODECOUNT"], row["READY"]) for row in rows)
    assert counts == [
        *[("1", "nvlink", "18", "True")] * 6,
        *[("2", "leaf", "54", "True")] * 2,
        ("3", "spine", "108", "True"),
    ]


def test_describe_shows_members_conditions_and_events(kubectl: Kubectl) -> None:
    rack = kubectl.rows("get", "hn")[0]["NAME"]
    described = kubectl("describe", "hn", rack)
    for word in ("Tier Name:", "Members:", "LinksHealthy", "CablingConsistent", "hyperscout.io/links"):
        assert word in described


def test_waiting_for_ready_succeeds(kubectl: Kubectl) -> None:
    waited = kubectl("wait", "--for=condition=Ready", "hn", "--all", "--timeout=20s")
    assert waited.count("condition met") == 9


def test_pods_show_the_nodes_of_one_rack(kubectl: Kubectl) -> None:
    nodes = [row["NODE"] for row in kubectl.rows("get", "pods", "-o", "wide")]
    assert len(nodes) == 18
    assert len({re.sub(r"-node\d+$", "", node) for node in nodes}) == 1


def test_a_changed_object_is_applied(kubectl: Kubectl) -> None:
    rack = kubectl.rows("get", "hn")[0]["NAME"]
    found: dict[str, Any] = json.loads(kubectl("get", "hn", rack, "-o", "json"))
    changed = {
        "apiVersion": found["apiVersion"],
        "kind": found["kind"],
        "metadata": {"name": rack, "labels": {**found["metadata"]["labels"], "floor": "3"}},
        "spec": found["spec"],
    }
    assert "configured" in kubectl("apply", "-f", "-", given=json.dumps(changed))
    assert json.loads(kubectl("get", "hn", rack, "-o", "json"))["metadata"]["labels"]["floor"] == "3"
