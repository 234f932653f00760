"""`map` in its other forms: a tree for people, manifests for kubectl, a drawing for graphviz."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.cli.dumps import write_dump
from tests.cli.running import run
from topology.synth.defects import Defects


def test_the_tree_shows_fabric_hyper_nodes_and_counts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    answer = run(capsys, "map", write_dump(tmp_path))
    assert answer.code == 0
    assert "compute, infiniband, 16 switches, 18 hosts, 120 links" in answer.out
    assert "spine (tier 3)  18 nodes, 4 switches" in answer.out
    assert answer.out.count("leaf (tier 2)  6 nodes, 4 switches") == 3
    assert answer.out.rstrip().endswith("no anomalies")


def test_the_tree_sums_anomalies_up_by_severity(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    answer = run(capsys, "map", write_dump(tmp_path, defects=Defects(missing=0.05)))
    found = re.search(r"^(\d+) warnings?", answer.out, re.MULTILINE)
    assert found is not None
    assert "missing-link x" in answer.out


def test_the_tree_names_nodes_that_have_no_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    names = tmp_path / "nodes"
    names.write_text("".join(f"absent-{number:02}\n" for number in range(11)) + "node-00001\n")
    answer = run(capsys, "map", write_dump(tmp_path), "--nodes", str(names))
    assert "11 nodes not placed, NoFabricPort: absent-00, absent-01," in answer.out
    assert "and 3 more" in answer.out


def test_yaml_is_manifests_with_children_before_parents(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    answer = run(capsys, "map", write_dump(tmp_path), "-o", "yaml")
    manifests = list(yaml.safe_load_all(answer.out))
    assert [one["kind"] for one in manifests] == ["HyperNode"] * 4
    assert [one["spec"]["tierName"] for one in manifests] == ["leaf", "leaf", "leaf", "spine"]
    members = [member["selector"]["exactMatch"]["name"] for one in manifests[:3] for member in one["spec"]["members"]]
    assert sorted(members) == [f"node-{number:05}" for number in range(18)]
    assert {one["metadata"]["labels"]["volcano.sh/network-topology-source"] for one in manifests} == {"hyperscout"}


def test_dot_draws_every_hyper_node_under_its_parent(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    answer = run(capsys, "map", write_dump(tmp_path), "-o", "dot")
    assert answer.out.startswith("digraph hyperscout {")
    assert answer.out.rstrip().endswith("}")
    assert len(re.findall(r'^  "[^"]+" \[label=', answer.out, re.MULTILINE)) == 4
    assert len(re.findall(r'^  "[^"]+" -> "[^"]+";$', answer.out, re.MULTILINE)) == 3


def test_yaml_says_that_every_named_host_is_a_member_unless_nodes_are_chosen(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = write_dump(tmp_path)
    answer = run(capsys, "map", path, "-o", "yaml")
    assert "every host with a name is taken for a node of the cluster, 18 in all; --nodes" in answer.err
    assert answer.err.count("\n") == 1
    assert run(capsys, "map", path, "-o", "yaml", "--nodes", "^node-").err == ""


def test_where_no_host_has_a_name_the_tree_says_why_there_is_none(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = Path(write_dump(tmp_path))
    path.write_bytes(re.sub(rb"node-\d+ mlx5_\d", b"MT4129 ConnectX7   Mellanox Technologies", path.read_bytes()))
    answer = run(capsys, "map", str(path))
    assert answer.code == 0
    head, *_, why, what_to_do = answer.out.splitlines()
    assert "0 hosts, 72 adapters without a host name" in head
    assert why.startswith("no HyperNode: no host has a name")
    assert "set node_desc" in what_to_do


def test_signs_that_turn_or_break_a_line_do_not_reach_the_tree(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = Path(write_dump(tmp_path, defects=Defects(missing=0.05)))
    path.write_bytes(path.read_bytes().replace(b"leaf", "le\x9b\u202e\u2028af".encode()))
    answer = run(capsys, "map", str(path))
    assert "le???af" in answer.out
    assert answer.out.replace("\n", "").isprintable()
