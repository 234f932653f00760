"""A fabric that ibsim plays, recorded with the real ibnetdiscover and perfquery, and replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agent.sweeper.ibsim import simulated
from tests.agent.sweeper.played import drawn_net
from tests.cli.running import run


def test_a_played_fabric_is_recorded_and_replayed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, site = tmp_path / "ibsim", tmp_path / "site"
    folder.mkdir()
    with simulated(drawn_net(folder), folder) as fabric:
        fabric.route()
        monkeypatch.setenv("PATH", str(folder), prepend=":")
        arguments = ["--no-host", "--fabric", "--sweeper", "ib", "--sysfs-root", str(fabric.sysfs), "--anonymise"]
        answer = run(capsys, "record", str(site), *arguments)
    assert (answer.code, answer.err) == (0, "")
    counters = (site / "000000/fabrics/ib/perfquery.txt").read_text()
    assert counters.count("# Port ") > 64
    told = json.loads((site / "recording.json").read_text())
    assert told["failed"] == []
    assert told["versions"]["ibnetdiscover"]
    dump = next((site / "000000/fabrics/ib").glob("ibnetdiscover-*.txt")).read_text()
    assert "node-" not in dump
    (site / "000000/nodes.txt").write_text("\n".join(sorted(_hosts(dump))) + "\n")
    replayed = json.loads(run(capsys, "replay", str(site), "-o", "json").out)
    assert replayed["sweeps"] == ["00:00:00 ib Complete"]
    leaves = [row for row in replayed["hyperNodes"].values() if row["tierName"] == "leaf"]
    assert sum(len(row["members"]) for row in leaves) == 64


def _hosts(dump: str) -> set[str]:
    """First words of the descriptions of adapters."""
    lines = (line.partition('# "')[2] for line in dump.splitlines() if line.startswith("Ca"))
    return {line.split()[0] for line in lines if " mlx5_" in line}
