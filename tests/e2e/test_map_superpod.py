"""`map` on a DGX SuperPOD's compute fabric. Expected values: the captures' index, and the names of its leaves."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from cli.main import main
from tests.e2e.oracle import units_of_hosts

UNIT = re.compile(r"IBLEAF-\d+-(\d+)")
SWAPPED = "b08-p1-dgx-08-c01"


def mapped(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["map", *arguments, "-o", "json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


@pytest.fixture
def superpod(shared_data: Path) -> Path:
    return shared_data / "ib" / "superpod-ndr.txt"


def test_every_dgx_stands_in_the_unit_that_its_leaves_names_carry(
    capsys: pytest.CaptureFixture[str], superpod: Path
) -> None:
    document = mapped(capsys, str(superpod), "--nodes", "dgx")
    leaves = [one for one in document["hyperNodes"] if one["tierName"] == "leaf"]
    (above,) = [one for one in document["hyperNodes"] if one["tierName"] == "spine"]
    assert len(leaves) == 8
    assert (len(above["switches"]), len(above["nodes"])) == (9, 119)
    expected = defaultdict(set)
    for host, unit in units_of_hosts(superpod, "dgx", UNIT).items():
        expected[unit].add(host)
    assert sorted(map(sorted, expected.values())) == sorted(one["nodes"] for one in leaves)


def test_factory_named_adapters_are_not_one_host(capsys: pytest.CaptureFixture[str], superpod: Path) -> None:
    (fabric,) = mapped(capsys, str(superpod), "--nodes", "dgx")["fabrics"]
    assert fabric["switches"] == 40
    assert (fabric["hosts"], fabric["namelessAdapters"]) == (122, 69)


def test_adapters_that_name_no_host_are_said_to_be_in_no_hyper_node(
    capsys: pytest.CaptureFixture[str], superpod: Path
) -> None:
    assert main(["map", str(superpod)]) == 0
    head, *_, last = capsys.readouterr().out.splitlines()
    assert "40 switches, 122 hosts, 69 adapters without a host name, 1,074 links" in head
    assert last.startswith("69 adapters without a host name: in no HyperNode;")
    assert "rdma-ndd" in last


def test_swapped_rails_and_missing_links_are_named_with_both_ends(
    capsys: pytest.CaptureFixture[str], superpod: Path
) -> None:
    anomalies = mapped(capsys, str(superpod), "--nodes", "dgx")["anomalies"]
    (swap,) = [one for one in anomalies if one["kind"] == "swapped-rails"]
    names = [end["name"] for end in swap["where"]]
    assert names.count(SWAPPED) == 2
    assert {name for name in names if "IBLEAF" in name} == {"B09-P1-IBLEAF-03-08", "B09-P1-IBLEAF-04-08"}
    missing = [one for one in anomalies if one["kind"] == "missing-link"]
    assert len(missing) == 6 + 10
    for one in missing:
        leaf, spine = sorted(end["name"] for end in one["where"])
        assert ("IBLEAF" in leaf + spine, "IBSPINE" in leaf + spine) == (True, True)


def test_with_the_nodes_of_one_unit_levels_and_names_stay_what_they_were(
    capsys: pytest.CaptureFixture[str], superpod: Path, tmp_path: Path
) -> None:
    whole = {one["name"]: one for one in mapped(capsys, str(superpod), "--nodes", "dgx")["hyperNodes"]}
    unit = next(one for one in whole.values() if one["tierName"] == "leaf")
    names = tmp_path / "nodes"
    names.write_text("\n".join(unit["nodes"]))
    few = {one["name"]: one for one in mapped(capsys, str(superpod), "--nodes", str(names))["hyperNodes"]}
    assert few[unit["name"]] == unit
    assert set(few) == {unit["name"], unit["parent"]}
    for name, one in few.items():
        assert (one["tier"], one["tierName"], one["switches"]) == (
            whole[name]["tier"], whole[name]["tierName"], whole[name]["switches"],
        )  # fmt: skip
