"""`map` on Selene's compute fabric. Expected values: the captures' index, and the names that its leaves carry."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from cli.main import main
from tests.e2e.oracle import units_of_hosts

UNIT = re.compile(r"\bLG(\d+)-")


def mapped(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["map", *arguments, "-o", "json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


@pytest.fixture
def selene(shared_data: Path) -> Path:
    return shared_data / "ib" / "selene-compute.txt"


def test_458_hosts_stand_in_25_units_4_pods_and_one_root(capsys: pytest.CaptureFixture[str], selene: Path) -> None:
    hyper_nodes = mapped(capsys, str(selene), "--nodes", "^luna-")["hyperNodes"]
    by_tier = defaultdict(list)
    for one in hyper_nodes:
        by_tier[one["tierName"]].append(one)
    expected = defaultdict(set)
    for host, unit in units_of_hosts(selene, "^luna-", UNIT).items():
        expected[unit].add(host)
    assert len(expected) == 25
    assert sorted(map(sorted, expected.values())) == sorted(one["nodes"] for one in by_tier["leaf"])
    assert sorted(_units_below(one, hyper_nodes) for one in by_tier["spine"]) == [4, 7, 7, 7]
    (root,) = by_tier["core"]
    assert (root["parent"], len(root["nodes"]), len(root["switches"])) == (None, 458, 140)
    assert set(by_tier) == {"leaf", "spine", "core"}


def test_pods_hold_the_units_that_their_spines_serve(capsys: pytest.CaptureFixture[str], selene: Path) -> None:
    hyper_nodes = mapped(capsys, str(selene), "--nodes", "^luna-")["hyperNodes"]
    served = {"CSPINE1": range(1, 8), "CSPINE2": range(8, 15), "CSPINE3": range(15, 19), "CSPINE4": range(22, 29)}
    units = units_of_hosts(selene, "^luna-", UNIT)
    for pod in (one for one in hyper_nodes if one["tierName"] == "spine"):
        (spines,) = {switch.partition("-")[0] for switch in pod["switches"]}
        assert {int(units[node]) for node in pod["nodes"]} == set(served[spines])


def test_management_hosts_form_domains_of_their_own_and_change_nothing_else(
    capsys: pytest.CaptureFixture[str], selene: Path
) -> None:
    without = mapped(capsys, str(selene), "--nodes", "^luna-")["hyperNodes"]
    everybody = mapped(capsys, str(selene))["hyperNodes"]
    leaves = [one for one in everybody if one["tierName"] == "leaf"]
    compute = [one["nodes"] for one in without if one["tierName"] == "leaf"]
    others = [one for one in leaves if one["nodes"] not in compute]
    assert [one["nodes"] for one in leaves if one["nodes"] in compute] == compute
    assert sum(len(one["nodes"]) for one in others) == 11
    assert not any(node.startswith("luna-") for one in others for node in one["nodes"])


def _units_below(pod: dict[str, Any], hyper_nodes: list[dict[str, Any]]) -> int:
    return sum(one["parent"] == pod["name"] for one in hyper_nodes)
