"""Every subnet is swept once: two that ibsim plays, and the adapters of one host on them, all with one subnet prefix.

mlx5_0 and mlx5_2 are in the first subnet, mlx5_1 is in the second. Each has one switch and four hosts.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

from agent.sweeper.infiniband.merging import merge
from agent.sweeper.infiniband.subnets import Runs, SubnetSweep, Tool, can_sweep_planes
from agent.sweeper.judging import Known, Patience, judge
from discovery.reports import PARTIAL
from discovery.scan import NodeKind, Scan
from discovery.source import Host
from tests.agent.sweeper.ibsim import DEVICE, simulated
from tests.agent.sweeper.played import net_of
from topology.synth.evidence import scan_of
from topology.synth.spec import HDR, Tree, Unit
from topology.synth.tree import draw_tree


def scan_of_subnet(number: int) -> Scan:
    tree = Tree(units=(Unit(hosts=4, adapters=1),), tiers=1, aggregation=False, hardware=HDR, number=number)
    return scan_of(draw_tree(tree))


SCANS = [scan_of_subnet(number) for number in range(2)]


def port_guid(subnet: int, host: int) -> int:
    """As ibsim makes it of the node GUID."""
    nodes = SCANS[subnet].nodes
    return int(nodes.guid[nodes.kind == NodeKind.HOST][host]) + 1


PORT_GUIDS = (port_guid(0, 0), port_guid(1, 0), port_guid(0, 1))


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """ibnetdiscover on either subnet."""
    one, other = (tmp_path_factory.mktemp("subnet") for _ in range(2))
    with simulated(net_of(SCANS[0], one), one) as first, simulated(net_of(SCANS[1], other), other) as second:
        yield first.tool, second.tool


@pytest.fixture
def folder(tmp_path: Path, tools: tuple[Path, Path]) -> Path:
    """Of the host: `sys` shows its adapters, `tool` sweeps from each and notes it in `runs`."""
    cases = [f"mlx5_{device}) exec {tools[subnet]} -C {DEVICE} -P 1;;" for device, subnet in enumerate((0, 1, 0))]
    write_tool(tmp_path, *cases)
    for device, guid in enumerate(PORT_GUIDS):
        digits = f"{guid:016x}"
        words = ":".join(digits[start : start + 4] for start in range(0, 16, 4))
        port = tmp_path / f"sys/class/infiniband/mlx5_{device}/ports/1"
        (port / "gids").mkdir(parents=True)
        (port / "link_layer").write_text("InfiniBand\n")
        (port / "state").write_text("4: ACTIVE\n")
        (port / "gids/0").write_text(f"fe80:0000:0000:0000:{words}\n")
    return tmp_path


def write_tool(folder: Path, *cases: str, version: str = "44.0") -> None:
    """A script that takes `-C DEVICE`."""
    tool = folder / "tool"
    lines = ("#!/bin/sh", f'[ "$1" = --version ] && echo "BUILD VERSION: {version}" && exit',
             f'echo "$2" >> {folder}/runs', 'case "$2" in', *cases, "esac")  # fmt: skip
    tool.write_text("\n".join(lines) + "\n")
    tool.chmod(0o755)


def sweep_of(folder: Path, *ports: str, time_limit: float = 20.0) -> SubnetSweep:
    return SubnetSweep(Tool(str(folder / "tool"), ports, "f", time_limit), Host(BytesIO(), folder / "sys"))


def runs_of(folder: Path) -> list[str]:
    """What was swept, in order; and begin anew."""
    runs = (folder / "runs").read_text().split()
    (folder / "runs").unlink()
    return runs


def seen(runs: Runs) -> dict[str, int]:
    """How many switches each port showed."""
    return {subnet.port: len(subnet.reports) for subnet in runs.subnets}


async def test_every_subnet_is_swept_from_one_port_however_many_lead_into_it(folder: Path) -> None:
    sweep = sweep_of(folder)
    runs = await sweep.sweep()
    assert (seen(runs), runs.trouble, runs.version) == ({"mlx5_0/1": 1, "mlx5_1/1": 1}, (), "44.0")
    assert runs_of(folder) == ["mlx5_0", "mlx5_1"]
    view = merge(runs, {}).sweep.view
    assert (len(view.switches), view.hosts, view.trouble) == (2, 4, ())  # both subnets call their hosts the same
    await sweep.sweep()
    assert set(runs_of(folder)) == {"mlx5_0", "mlx5_1"}


async def test_only_the_ports_that_are_told_are_swept(folder: Path) -> None:
    assert seen(await sweep_of(folder, "mlx5_1:1").sweep()) == {"mlx5_1/1": 1}
    assert seen(await sweep_of(folder, "mlx5_2", "mlx5_0:1").sweep()) == {"mlx5_2": 1}


async def test_a_subnet_that_fails_leaves_the_other_and_its_reports_are_written(folder: Path) -> None:
    own = merge(await sweep_of(folder).sweep(), {}).sweep
    whole = judge(own.view, Known(), Patience())
    tool = (folder / "tool").read_text()
    (folder / "tool").write_text(tool.replace("mlx5_1) exec", "mlx5_1) echo no device >&2; exit 1;; x) exec"))
    sweep = merge(await sweep_of(folder).sweep(), own.reports).sweep
    judged = judge(sweep.view, whole.known, Patience())
    assert judged.outcome == PARTIAL
    assert judged.reasons[0] == "mlx5_1/1: the tool ended with exit code 1"
    assert judged.missing == ()
    assert sweep.due(own.reports, judged.outcome).keys() == sweep.reports.keys()
    assert len(sweep.reports) == 1


async def test_where_one_port_fails_another_one_sweeps_its_subnet(folder: Path) -> None:
    tool = (folder / "tool").read_text()
    (folder / "tool").write_text(tool.replace("mlx5_0) exec", "mlx5_0) exit 1;; x) exec"))
    runs = await sweep_of(folder).sweep()
    assert seen(runs) == {"mlx5_1/1": 1, "mlx5_2/1": 1}
    assert (runs.trouble, merge(runs, {}).sweep.view.trouble) == ((), ())
    assert runs.notes == ("mlx5_0/1: the tool ended with exit code 1; another port swept its subnet",)


async def test_a_tool_that_hangs_holds_up_no_more_than_one_limit_of_time_and_what_waits_is_told(folder: Path) -> None:
    write_tool(folder, "*) exec sleep 60;;")
    runs = await sweep_of(folder, time_limit=0.3).sweep()
    assert runs.subnets[0].trouble == ("the sweep was cut off after 0 s", runs.subnets[0].trouble[1])
    assert [reason.split(":")[1] for reason in runs.trouble] == [
        " not swept, for the sweeps before it took too long"
    ] * 2


@pytest.mark.parametrize(
    ("version", "can"),
    [("44.0", False), ("55.0", False), ("56.0", True), ("61.1", True), ("54mlnx1", True), (None, True)],
)
def test_planarised_adapters_are_swept_from_rdma_core_56_on(version: str | None, *, can: bool) -> None:
    assert can_sweep_planes(version) == can


async def test_a_planarised_adapter_and_an_old_tool_are_a_reason_and_the_tool_is_not_run(folder: Path) -> None:
    devices = folder / "sys/class/infiniband"
    (devices / "smi1").mkdir()
    for device in ("smi1", "mlx5_1"):
        (devices / device / "sys_image_guid").write_text("2c5e:ab03:00b8:7b40\n")
    runs = await sweep_of(folder).sweep()
    assert "mlx5_1" not in runs_of(folder)
    assert [subnet.trouble for subnet in runs.subnets] == [
        (),
        ("the adapter is planarised, and ibnetdiscover 44.0 cannot sweep from it; "
         "install infiniband-diags of rdma-core 56 or later",),
    ]  # fmt: skip


async def test_without_an_active_port_it_says_which_there_are(folder: Path) -> None:
    for device, state in enumerate(("1: DOWN", "2: INIT")):
        (folder / f"sys/class/infiniband/mlx5_{device}/ports/1/state").write_text(state)
    (folder / "sys/class/infiniband/mlx5_2/ports/1/link_layer").write_text("Ethernet")
    runs = await sweep_of(folder).sweep()
    assert runs.trouble == (
        "no InfiniBand port is active on this host: mlx5_0/1 is DOWN; mlx5_1/1 is INIT; "
        "sweep from a node that has one, or name it",
    )
    assert list(map(str, runs.idle)) == ["mlx5_0/1", "mlx5_1/1"]


async def test_a_tool_that_is_not_there_is_a_sentence(folder: Path) -> None:
    (folder / "tool").unlink()
    assert "No such file or directory; install infiniband-diags" in (await sweep_of(folder).sweep()).trouble[0]


async def test_a_sysfs_that_is_not_there_is_told_with_its_place_and_the_setting(tmp_path: Path) -> None:
    place = tmp_path / "none"
    runs = await SubnetSweep(Tool(sysfs=str(place)), Host(BytesIO(), place)).sweep()
    assert runs.trouble[0].startswith(f"sweep.sysfsRoot names {place}, where no sysfs can be read (")
