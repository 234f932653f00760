"""Half a site, recorded alone: the fabric without hosts, and hosts without the fabric."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.sites.__main__ import FIXTURES


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """A site that nothing is expected of."""
    folder = tmp_path / "site"
    shutil.copytree(FIXTURES / "clean", folder)
    (folder / "expected.json").unlink()
    return folder


def test_hosts_that_a_fabric_alone_names_are_its_nodes(capsys: pytest.CaptureFixture[str], clean: Path) -> None:
    whole = json.loads(run(capsys, "replay", str(clean), "-o", "json").out)["hyperNodes"]
    shutil.rmtree(clean / "000000/nodes")
    answer = run(capsys, "replay", str(clean), "-o", "json")
    found = json.loads(answer.out)
    assert answer.code == 0
    assert {name: row["members"] for name, row in found["hyperNodes"].items()} == {
        name: row["members"] for name, row in whole.items()
    }
    assert found["anomalies"] == []
    assert "every host that the fabric names is taken for a node" in answer.err


def test_a_host_that_a_fabric_alone_named_once_stays_a_node(capsys: pytest.CaptureFixture[str], clean: Path) -> None:
    shutil.rmtree(clean / "000000/nodes")
    scan = (clean / "000000/fabrics/ib/ibnetdiscover.txt").read_text()
    blocks = (block for block in scan.split("\n\n") if not ("\nCa\t" in block and '# "gpu-00003 ' in block))
    lines = (line for block in blocks for line in (*block.splitlines(), "") if '# "gpu-00003 ' not in line)
    later = clean / "000600/fabrics/ib/ibnetdiscover.txt"
    later.parent.mkdir(parents=True)
    later.write_text("\n".join(lines) + "\n")
    found = json.loads(run(capsys, "replay", str(clean), "-o", "json").out)
    assert any("gpu-00003" in row["members"] for row in found["hyperNodes"].values())


def test_nodes_that_are_listed_count_and_no_other_host_does(capsys: pytest.CaptureFixture[str], clean: Path) -> None:
    shutil.rmtree(clean / "000000/nodes")
    (clean / "000000/nodes.txt").write_text("gpu-00001\ngpu-00002\n")
    answer = run(capsys, "replay", str(clean), "-o", "json")
    members = {
        node
        for row in json.loads(answer.out)["hyperNodes"].values()
        for node in row["members"]
        if node.startswith("gpu-")
    }
    assert (answer.code, members) == (0, {"gpu-00001", "gpu-00002"})
    assert "is taken for a node" not in answer.err


@pytest.mark.parametrize(
    ("gone", "listed", "hint"),
    [
        ("fabrics", None, "no fabric is recorded; record it, too (hyperscout record DIR --no-host --fabric, "),
        ("nodes", "gpu-9\n", "none of the nodes that are known (1) has a cable to a switch that was read; "),
        ("nodes", "\n", "no node is known, for nodes.txt lists none; "),
    ],
)
def test_without_any_hyper_node_it_ends_with_1_and_what_helps(
    capsys: pytest.CaptureFixture[str], clean: Path, gone: str, listed: str | None, hint: str
) -> None:
    shutil.rmtree(clean / "000000" / gone)
    if listed is not None:
        (clean / "000000/nodes.txt").write_text(listed)
    answer = run(capsys, "replay", str(clean))
    assert (answer.code, answer.out.startswith("no HyperNode: ")) == (1, True)
    assert answer.err.splitlines()[-1].startswith(f"hyperscout: no HyperNode was concluded: {hint}")


def test_switches_of_ethernet_alone_need_the_recordings_of_the_hosts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    shutil.copytree(FIXTURES / "roce-mlag", tmp_path / "site", ignore=shutil.ignore_patterns("nodes*", "expected.json"))
    answer = run(capsys, "replay", str(tmp_path / "site"))
    assert answer.code == 1
    assert "the fabric names no host of InfiniBand; give the recordings of the hosts, too" in answer.err


def test_no_hyper_node_where_none_is_expected_is_as_expected(capsys: pytest.CaptureFixture[str], clean: Path) -> None:
    shutil.rmtree(clean / "000000/fabrics")
    assert run(capsys, "replay", str(clean), "--write-expected").code == 0
    assert run(capsys, "replay", str(clean)).code == 0


def test_a_sweep_that_read_nothing_is_no_tree_and_its_reasons_are_pointed_at(
    capsys: pytest.CaptureFixture[str], clean: Path
) -> None:
    shutil.rmtree(clean / "000000/nodes")
    (clean / "000000/fabrics/ib/ibnetdiscover.txt").write_text("")
    (clean / "000000/fabrics/ib/ibnetdiscover.err").write_text("ibpanic\n")
    answer = run(capsys, "replay", str(clean))
    assert answer.code == 1
    assert "no switch of the recorded fabric could be read; " in answer.err
