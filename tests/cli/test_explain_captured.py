"""`explain --from PATH`: where a node or a HyperNode stands, and what is wrong with its cables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.dumps import write_dump, write_planes
from tests.cli.running import run
from topology.synth.defects import Defects
from topology.synth.spec import StorageLeaf, Tree, Unit


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
    assert lines[-1] == "  no anomaly names it"


def test_a_node_shows_every_port_and_where_its_cable_ends(capsys: pytest.CaptureFixture[str], dump: str) -> None:
    """Node 7 is the second of unit 2: port 2 of each of its 4 rails' leaves."""
    shown = [
        line for line in run(capsys, "explain", "node", "node-00007", "--from", dump).out.splitlines() if "->" in line
    ]
    assert shown == [f"  mlx5_{rail} port 1  -> cf-leaf-002-{rail + 1} port 2, 4xNDR" for rail in range(4)]


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
    assert "not placed: NoFabricPort (no adapter in these scans carries its name" in answer.out


@pytest.fixture
def odd_places(tmp_path: Path) -> str:
    """4 units, a leaf that serves all four and holds storage-01, mgmt-01 on a spine, and a host without a cable."""
    spec = Tree(
        units=(Unit(hosts=6, adapters=4),) * 4, spines=4, spine_hosts=1, storage_leaf=StorageLeaf(units=4, servers=1)
    )
    path = Path(write_dump(tmp_path, spec))
    alone = (
        'vendid=0x2c9\ndevid=0x1021\nsysimgguid=0xaa\ncaguid=0xaa\nCa\t1 "H-00000000000000aa"\t\t# "lonely mlx5_0"\n\n'
    )
    path.write_bytes(path.read_bytes() + alone.encode())
    return str(path)


@pytest.mark.parametrize(
    ("node", "reason"),
    [
        ("mgmt-01", "AmbiguousDomain (it hangs on cf-spine-001-01, which is a spine switch and no leaf"),
        ("storage-01", "AmbiguousDomain (it hangs only on cf-storage-leaf, a leaf that serves several leaf domains"),
        ("lonely", "no-switch (none of its adapters has a cable to a switch in these scans)"),
    ],
)
def test_each_reason_has_a_sentence_behind_it(
    capsys: pytest.CaptureFixture[str], odd_places: str, node: str, reason: str
) -> None:
    answer = run(capsys, "explain", "node", node, "--from", odd_places)
    assert answer.code == 0
    assert "in no HyperNode" in answer.out
    assert f"  not placed: {reason}" in answer.out


def test_a_node_whose_name_two_adapters_carry_hears_which(
    capsys: pytest.CaptureFixture[str], dump: str, tmp_path: Path
) -> None:
    text = Path(dump).read_text()
    adapter = (
        'vendid=0x2c9\ndevid=0x1021\nsysimgguid=0x{0}\ncaguid=0x{0}\nCa\t1 "H-00000000000000{0}"\t\t# "twin mlx5_0"\n\n'
    )
    Path(dump).write_text(text + adapter.format("aa") + adapter.format("bb"))
    names = tmp_path / "nodes"
    names.write_text("twin\nnode-00001\n")
    answer = run(capsys, "explain", "node", "twin", "--from", dump, "--nodes", str(names))
    assert "not placed: duplicate-name (several adapters carry the same host and device name" in answer.out
    assert "(00000000000000aa and 00000000000000bb)" in answer.out


def test_tank1_hangs_on_a_spine(capsys: pytest.CaptureFixture[str], shared_data: Path) -> None:
    """Both of its ports are cabled to spine ib7 (INDEX)."""
    answer = run(capsys, "explain", "node", "TANK1", "--from", str(shared_data / "ib" / "qdr-two-spines.topo"))
    assert "it hangs on ib7, which is a spine switch and no leaf" in answer.out
    assert answer.out.count("-> ib7 port ") == 2


def test_anomalies_of_the_leaf_domain_are_shown_apart(capsys: pytest.CaptureFixture[str], shared_data: Path) -> None:
    scan = str(shared_data / "ib" / "superpod-ndr.txt")
    text = run(capsys, "explain", "node", "b08-p1-dgx-08-c01", "--from", scan, "--nodes", "dgx").out
    own, domain = text.split("  in its leaf domain:\n")
    assert "  error swapped-rails: b08-p1-dgx-08-c01 has 2 cables on another rail" in own
    assert "    warning missing-link: Between B09-P1-IBLEAF-01-08 and " in domain
    assert "b08-p1-dgx-08-c01" not in domain


def test_an_adapter_is_found_by_its_guid(capsys: pytest.CaptureFixture[str], shared_data: Path) -> None:
    """Of an adapter that names no host the cable is shown; of any other, its node."""
    scan = str(shared_data / "ib" / "superpod-ndr.txt")
    nameless = run(capsys, "explain", "node", "E09D73030037315C", "--from", scan).out
    assert "calls itself MT4129 ConnectX7" in nameless
    assert "-> A09-P1-IBLEAF-02-01 port 12, 4xNDR" in nameless
    document = json.loads(run(capsys, "explain", "node", "a05-p1-dgx-01-c12", "--from", scan, "-o", "json").out)
    guid = f"0x{document['ports'][0]['guid']}"
    assert run(capsys, "explain", "node", guid, "--from", scan).out.startswith("node a05-p1-dgx-01-c12\n")


def test_json_has_the_keys_that_are_promised(capsys: pytest.CaptureFixture[str], odd_places: str) -> None:
    document = json.loads(run(capsys, "explain", "no", "node-00000", "--from", odd_places, "-o", "json").out)
    assert set(document) == {
        "kind", "name", "hyperNodes", "reason", "why", "ports", "anomalies", "domainAnomalies",
    }  # fmt: skip
    assert (document["kind"], document["reason"], document["why"]) == ("node", None, None)
    assert [one["tierName"] for one in document["hyperNodes"]] == ["leaf", "spine"]
    assert set(document["ports"][0]) == {
        "device", "guid", "port", "switch", "switchGuid", "switchPort", "width", "speed",
    }  # fmt: skip
    assert len(document["ports"]) == 5  # 4 rails and storage
    lonely = json.loads(run(capsys, "explain", "no", "lonely", "--from", odd_places, "-o", "json").out)
    assert (lonely["reason"], lonely["hyperNodes"]) == ("no-switch", [])
    assert [(port["switch"], port["speed"]) for port in lonely["ports"]] == [(None, None)]
    name = document["hyperNodes"][0]["name"]
    leaf = json.loads(run(capsys, "explain", "hn", name, "--from", odd_places, "-o", "json").out)
    assert set(leaf) == {"kind", "name", "hyperNodes", "switches", "memberKind", "members", "anomalies"}
    assert (leaf["memberKind"], len(leaf["members"]), len(leaf["switches"])) == ("Node", 6, 4)


def test_several_scans_are_explained_together(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    planes = write_planes(tmp_path, Tree(units=(Unit(hosts=4, adapters=2),) * 2, spines=2, planes=2))
    text = run(capsys, "explain", "node", "node-00001", "--from", planes[0], "--from", planes[1]).out
    assert text.count(" -> ") == 2 * run(capsys, "explain", "node", "node-00001", "--from", planes[0]).out.count(" -> ")


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


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        ("node", "node-00o07", "did you mean node-00"),
        ("hn", "ib-leaf-cf-leaf-00", "did you mean ib-leaf-cf-leaf-00"),
        ("node", "", "a node called ''; hyperscout map"),
        ("node", "a\nb", "a node called 'a\\nb'; hyperscout map"),
        ("node", "cf-leaf-002-1", "is a switch of these scans and no node; it is one of HyperNode ib-leaf-cf-leaf-002"),
    ],
)
def test_an_unknown_name_is_answered_with_what_may_be_meant(
    capsys: pytest.CaptureFixture[str], dump: str, kind: str, name: str, said: str
) -> None:
    answer = run(capsys, "explain", kind, name, "--from", dump)
    assert (answer.code, answer.out) == (1, "")
    assert said in answer.err


def test_a_host_that_is_no_node_is_told_so(capsys: pytest.CaptureFixture[str], dump: str) -> None:
    answer = run(capsys, "explain", "node", "node-00007", "--from", dump, "--nodes", "node-00001")
    assert "node-00007 is a host of these scans, but no node by what --nodes says" in answer.err


@pytest.mark.parametrize("kind", ["hn", "HyperNodes", "hypernode"])
def test_kinds_are_called_as_with_kubectl(capsys: pytest.CaptureFixture[str], dump: str, kind: str) -> None:
    assert run(capsys, "explain", kind, "ib-leaf-cf-leaf-001", "--from", dump).code == 0


def test_another_kind_is_refused_in_a_sentence(capsys: pytest.CaptureFixture[str], dump: str) -> None:
    answer = run(capsys, "explain", "deployment", "web", "--from", dump)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "hyperscout: 'deployment' is nothing that can be explained; give one of node (no), hypernode (hn), pod (po), "
        "podgroup (pg, gang)\n"
    )
