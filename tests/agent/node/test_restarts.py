"""What a restart of the agent, a boot, a reload of a driver and a clock that is set make of links that come and go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from agent.node.evidence import NVLINK, Evidence
from agent.node.judging import Standing, judge_node
from agent.node.probes import Probes, ProbeSettings
from discovery.health import Thresholds
from discovery.nvlink import Gpus
from discovery.nvlink.gpus import Gpu, GpuLink
from discovery.reports import FLAPPING, UP, NodeReport, NvLink
from tests.agent.node.node import BOOT, NOON, Node, found_by, verdicts
from tests.agent.node.test_judging import PLUGGED, PULLED, guid
from tests.discovery.sysfs.adapters import adapter

FILES: Mapping[str, bytes] = adapter("mlx5_0", **guid(0x10))


def flap(node: Node, times: int) -> None:
    for _ in range(times):
        node.set("mlx5_0", **PULLED)
        node.look()
        node.set("mlx5_0", **PLUGGED)
        node.look()


def restarted(node: Node, boot_id: str = BOOT, clock: float | None = None, late: int = 1) -> Node:
    """Its next agent, which reads the last report after so many looks."""
    told = NodeReport(ports=node.look(), bootId=node.boot_id, heartbeat=node.now)
    again = Node(dict(node.files), boot_id=boot_id, now=node.now, clock=node.clock if clock is None else clock)
    again.look(late)
    again.standing = again.standing.recalling(told)
    return again


def word(node: Node) -> str:
    return verdicts(node.look())["mlx5_0"][0]


def test_an_agent_that_restarts_sees_a_port_flap_at_once() -> None:
    node = Node(dict(FILES))
    node.look(3)
    for late in (1, 20):
        again = restarted(node, late=late)
        flap(again, 3)
        assert word(again) == FLAPPING
        assert word(restarted(again, late=late)) == FLAPPING


def test_after_a_boot_links_come_up_in_peace_also_where_the_time_is_set_and_the_agent_restarts_then() -> None:
    node = Node(dict(FILES))
    node.look(3)
    booted = restarted(node, boot_id="another", clock=20.0)
    booted.now += timedelta(minutes=20)
    flap(booted, 6)
    booted = restarted(booted, boot_id="another")
    flap(booted, 6)
    booted.now += timedelta(days=1)
    flap(booted, 6)
    assert word(booted) == UP
    booted.look(90)
    flap(booted, 3)
    assert word(booted) == FLAPPING


@dataclass(slots=True)
class Rack:
    """A node of one GPU with two NVLinks, looked at once a minute."""

    standing: Standing = field(default_factory=Standing)
    minutes: int = 1440

    def look(self, driver: str, *, active: bool = True, times: int = 1) -> NvLink:
        links = tuple(GpuLink(number=number, active=active, errors=0) for number in range(2))
        found = Gpus((Gpu(index=0, state="Completed", health="Healthy", links=links),), NvLink())
        for _ in range(times):
            self.minutes += 1
            at = NOON + timedelta(minutes=self.minutes)
            gpus = found_by(NVLINK, found, at)
            evidence = Evidence(at=at, clock=self.minutes * 60.0, boot_id=BOOT, gpu_driver=driver, gpus=gpus)
            _, self.standing = judge_node(evidence, self.standing, Thresholds())
        assert self.standing.nvlink is not None
        return self.standing.nvlink

    def restart(self) -> None:
        """The next agent has read the report before its first look at the GPUs is over."""
        told = NodeReport(nvlink=self.standing.nvlink, bootId=BOOT, heartbeat=NOON)
        self.standing = Standing(boot_id=BOOT).recalling(told)


def test_nvlinks_that_go_with_their_driver_and_come_back_with_it_do_not_flap() -> None:
    rack = Rack()
    rack.look("1", times=20)
    for driver in "234":
        rack.look(driver, active=False)
        told = rack.look(driver, times=9)
    assert told.badLinks == ()
    rack.look("4", times=6)
    for _ in range(3):
        rack.look("4", active=False)
        told = rack.look("4", times=9)
    assert told.badLinks == ("GPU 0 links 0-1 Flapping",)


async def test_each_load_of_the_driver_of_gpus_is_told_from_the_next(tmp_path: Path) -> None:
    probes = Probes(ProbeSettings(enabled=(), sysfs=tmp_path))
    before = await probes.look()
    assert before.gpu_driver is None
    marks = []
    (tmp_path / "module/nvidia").mkdir(parents=True)
    (tmp_path / "next").mkdir()
    marks += [(await probes.look()).gpu_driver for _ in range(2)]
    (tmp_path / "module/nvidia").rename(tmp_path / "unloaded")
    (tmp_path / "next").rename(tmp_path / "module/nvidia")
    marks += [(await probes.look()).gpu_driver for _ in range(2)]
    assert None not in marks
    assert (marks[0], marks[2]) == (marks[1], marks[3])
    assert marks[0] != marks[2]


def test_nvlinks_flap_also_while_the_agent_restarts() -> None:
    rack = Rack()
    rack.look("1", times=20)
    rack.restart()
    rack.look("1")
    for _ in range(3):
        rack.look("1", active=False)
        told = rack.look("1")
    assert told.badLinks == ("GPU 0 links 0-1 Flapping",)
    rack.restart()
    assert rack.look("1").badLinks == told.badLinks
