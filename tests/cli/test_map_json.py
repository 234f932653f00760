"""`map -o json`: the keys to the letter, and what they mean, on fabrics whose truth follows from their spec."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.dumps import CABLES, SMALL, write_dump, write_planes
from tests.cli.running import run
from topology.synth.defects import Defects
from topology.synth.spec import Tree, Unit


def mapped(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    answer = run(capsys, "map", *arguments, "-o", "json")
    assert (answer.code, answer.err) == (0, "")
    document: dict[str, Any] = json.loads(answer.out)
    return document


def test_the_keys_are_those_that_are_promised(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    names = tmp_path / "nodes"
    names.write_text("node-00000\nelsewhere\n")
    document = mapped(capsys, write_dump(tmp_path, defects=Defects(rails_exchanged=0.03)), "--nodes", str(names))
    assert set(document) == {"fabrics", "hyperNodes", "anomalies", "unplaced"}
    assert {tuple(one) for one in document["fabrics"]} == {
        ("name", "kind", "role", "rule", "planes", "switches", "hosts", "namelessAdapters", "links")
    }
    assert {tuple(one) for one in document["hyperNodes"]} == {
        ("name", "fabric", "tier", "tierName", "parent", "nodes", "switches")
    }
    assert {tuple(one) for one in document["anomalies"]} == {("kind", "severity", "fabric", "where", "detail")}
    ends = [end for one in document["anomalies"] for end in one["where"]]
    assert {tuple(end) for end in ends} == {("name", "guid", "port")}
    assert document["unplaced"] == [{"node": "elsewhere", "reason": "NoFabricPort"}]


def test_a_fabric_is_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (fabric,) = mapped(capsys, write_dump(tmp_path))["fabrics"]
    assert (fabric["kind"], fabric["role"], fabric["planes"]) == ("infiniband", "compute", 1)
    assert (fabric["switches"], fabric["hosts"], fabric["links"]) == (12 + 4, 18, CABLES)


def test_a_host_is_what_has_a_name_and_adapters_without_one_are_counted_beside(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = Path(write_dump(tmp_path))
    path.write_bytes(re.sub(rb"node-0000[01] mlx5_\d", b"MT4129 ConnectX7   Mellanox Technologies", path.read_bytes()))
    (fabric,) = mapped(capsys, str(path))["fabrics"]
    assert (fabric["hosts"], fabric["namelessAdapters"]) == (16, 2 * 4)


def test_control_and_direction_signs_are_escaped_and_read_back_as_they_were(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    signs, gap = "\x9b\x7f\u202e\u2066\U000e0041", "\u2028"
    path = Path(write_dump(tmp_path))
    dump = path.read_bytes().replace(b"node-00000", f"n{signs}0".encode())
    path.write_bytes(dump.replace(b"leaf", f"le{gap}af".encode()))
    answer = run(capsys, "map", str(path), "-o", "json")
    assert answer.out.replace("\n", "").isprintable()
    (root,) = [one for one in json.loads(answer.out)["hyperNodes"] if one["parent"] is None]
    assert f"n{signs}0" in root["nodes"]
    switches = [name for one in json.loads(answer.out)["hyperNodes"] for name in one["switches"]]
    assert any(f"le{gap}af" in name for name in switches)


def test_nodes_are_all_nodes_below_and_switches_those_of_the_domain(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    document = mapped(capsys, write_dump(tmp_path))
    leaves = [one for one in document["hyperNodes"] if one["tierName"] == "leaf"]
    (root,) = [one for one in document["hyperNodes"] if one["parent"] is None]
    assert [len(one["nodes"]) for one in leaves] == [6, 6, 6]
    assert [len(one["switches"]) for one in leaves] == [4, 4, 4]
    assert [one["tier"] for one in leaves] == [2, 2, 2]
    assert {one["parent"] for one in leaves} == {root["name"]}
    assert (root["tier"], root["tierName"], len(root["switches"])) == (3, "spine", 4)
    assert root["nodes"] == [f"node-{number:05}" for number in range(18)]


def test_several_paths_are_several_scans_of_one_cluster(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    paths = write_planes(tmp_path, Tree(units=(Unit(hosts=6, adapters=4),) * 2, planes=2, spines=2))
    both = mapped(capsys, *paths)
    (fabric,) = both["fabrics"]
    assert fabric["planes"] == 2
    assert [len(one["nodes"]) for one in both["hyperNodes"] if one["tierName"] == "leaf"] == [6, 6]


def test_the_same_scan_twice_changes_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = write_dump(tmp_path)
    assert mapped(capsys, path, path) == mapped(capsys, path)


def test_an_exchange_of_rails_is_among_the_anomalies_with_both_ends(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    spec = Tree(units=SMALL.units, spines=4)
    document = mapped(capsys, write_dump(tmp_path, spec, Defects(rails_exchanged=0.03)))
    (swap,) = [one for one in document["anomalies"] if one["kind"] == "swapped-rails"]
    assert len([end for end in swap["where"] if (end["name"] or "").startswith("node-")]) == 2
    assert len([end for end in swap["where"] if "leaf" in (end["name"] or "")]) == 2
    assert all(len(end["guid"]) == 16 and end["port"] >= 1 for end in swap["where"])
