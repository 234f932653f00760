"""`explain --from PATH`: where a node or a HyperNode stands, and what is wrong with its cables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.dumps import write_dump
from tests.cli.running import run
from topology.synth.defects import Defects


@pytest.fixture
def dump(tmp_path: Path) -> str:
    return write_dump(tmp_path)


def test_a_node_is_shown_from_its_leaf_to_the_root(capsys: pytest.CaptureFixture[str], dump: str) -> None:
    answer = run(capsys, "explain", "node", "NODE-00007", "--from", dump)
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0] == "node node-00007"
    assert "tier 2 (leaf)" in lines[1]
    assert "6 nodes" in lines[1]
    assert "tier 3 (spine)" in lines[2]
    assert "18 nodes" in lines[2]
    assert lines[3] == "  no anomaly names it"


def test_a_node_hears_of_its_own_anomalies_only(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    dump = write_dump(tmp_path, defects=Defects(rails_exchanged=0.03))
    anomalies = json.loads(run(capsys, "map", dump, "-o", "json").out)["anomalies"]
    (swap,) = [one for one in anomalies if one["kind"] == "swapped-rails"]
    host = next(end["name"] for end in swap["where"] if end["name"].startswith("node-"))
    other = next(name for name in ("node-00000", "node-00001") if name != host)
    assert swap["detail"] in run(capsys, "explain", "node", host, "--from", dump).out
    assert swap["detail"] not in run(capsys, "explain", "node", other, "--from", dump).out


def test_a_node_without_a_place_is_told_why(capsys: pytest.CaptureFixture[str], dump: str, tmp_path: Path) -> None:
    names = tmp_path / "nodes"
    names.write_text("node-00001\nelsewhere\n")
    answer = run(capsys, "explain", "node", "elsewhere", "--from", dump, "--nodes", str(names))
    assert answer.code == 0
    assert "in no HyperNode" in answer.out
    assert "not placed: NoFabricPort" in answer.out


def test_a_hyper_node_shows_its_switches_and_members(capsys: pytest.CaptureFixture[str], dump: str) -> None:
    document = json.loads(run(capsys, "map", dump, "-o", "json").out)
    leaf = next(one for one in document["hyperNodes"] if "node-00007" in one["nodes"] and one["tierName"] == "leaf")
    answer = run(capsys, "explain", "hypernode", leaf["name"], "--from", dump)
    assert answer.code == 0
    assert f"switches: {', '.join(leaf['switches'])}" in answer.out
    assert f"nodes in it: {', '.join(leaf['nodes'])}" in answer.out


@pytest.mark.parametrize("kind", ["node", "hypernode"])
def test_what_is_not_there_is_refused(capsys: pytest.CaptureFixture[str], dump: str, kind: str) -> None:
    answer = run(capsys, "explain", kind, "nobody", "--from", dump)
    assert (answer.code, answer.out) == (1, "")
    assert "nobody" in answer.err


@pytest.mark.parametrize("kind", ["pod", "podgroup"])
def test_scans_know_nothing_of_pods(capsys: pytest.CaptureFixture[str], dump: str, kind: str) -> None:
    answer = run(capsys, "explain", kind, "train-0", "--from", dump)
    assert (answer.code, answer.out) == (2, "")
