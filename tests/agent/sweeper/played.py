"""A fabric of 64 hosts that ibsim plays, swept by the real sweeper in this process, behind the embedded API server.

4 leaves of 16 hosts with one adapter each, in 2 pods of 2 leaves and 2 spines, below 4 cores: 12 switches. A leaf has
16 cables to hosts (ports 1 to 16) and 2 uplinks.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

from agent.sweeper.infiniband.counting import Count, Counted
from agent.sweeper.infiniband.reader import InfiniBand, InfiniBandReader
from agent.sweeper.infiniband.reading import Subnet
from agent.sweeper.infiniband.subnets import Tool
from agent.sweeper.running import Sweeper, SweeperSettings
from discovery.health import Thresholds
from discovery.reports import SweepReport, SwitchReport
from discovery.scan import Scan
from discovery.source import Host
from kube.client import Client
from kube.connection import connect_to
from kube.embedded.server import EmbeddedServer
from kube.errors import ApiError, NotFound
from kube.resources import SWEEP_REPORTS, SWITCH_REPORTS
from kube.tenure import ALONE
from tests.agent.sweeper.ibsim import Fabric
from tests.controller.cluster import Cluster
from topology.synth.drawing import Drawing
from topology.synth.evidence import scan_of
from topology.synth.spec import HDR, Tree, Unit
from topology.synth.text import write_text
from topology.synth.tree import draw_tree

TREE = Tree(
    units=(Unit(hosts=16, adapters=1),) * 4, wiring="classic", tiers=3, pod_units=2, spines=2, cores=2,
    aggregation=False, hardware=HDR,
)  # fmt: skip
PATIENCE = 60.0
QUICK = Thresholds(degraded_period=1.0)
"""Errors of one second count, in place of those of an hour."""


def draw() -> Drawing:
    return draw_tree(TREE)


def net_of(scan: Scan, folder: Path) -> Path:
    """The net file of ibsim."""
    net = folder / "net"
    net.write_bytes(write_text(scan))
    return net


def drawn_net(folder: Path) -> Path:
    return net_of(scan_of(draw()), folder)


class Unwatched:
    """Nobody watches."""

    def begins(self) -> None: ...
    def rests(self) -> None: ...
    def swept(self, report: SweepReport, seconds: float) -> None: ...
    def wrote(self, verb: str, error: ApiError | None) -> None: ...
    def swept_subnets(self, subnets: Sequence[Subnet]) -> None: ...
    def counted(self, counted: Counted) -> None: ...
    def judged(self, verdicts: Mapping[str, int]) -> None: ...


def infiniband(fabric: Fabric, *, counters: bool = False) -> InfiniBand:
    """The settings for a played fabric; counters at every sweep, or never."""
    count = Count(str(fabric.counters) if counters else "", period=0.0)
    return InfiniBand(Tool(str(fabric.tool), fabric="compute", time_limit=10.0), count, QUICK)


def reader_of(fabric: Fabric, settings: InfiniBand) -> InfiniBandReader:
    return InfiniBandReader(settings, Host(BytesIO(), fabric.sysfs), Unwatched())


@asynccontextmanager
async def sweeping(
    client: Client, fabric: Fabric, settings: InfiniBand | None = None, name: str = "default"
) -> AsyncIterator[None]:
    """Run the real sweeper; on leaving it has ended."""
    stop = asyncio.Event()
    reader = reader_of(fabric, settings or infiniband(fabric))
    sweeper = Sweeper(client, reader, SweeperSettings(name, period=0.1), stop, ALONE, Unwatched())
    task = asyncio.create_task(sweeper.run())
    try:
        yield
    finally:
        stop.set()
        async with asyncio.timeout(PATIENCE):
            await task


@asynccontextmanager
async def raised() -> AsyncIterator[Cluster]:
    """A server that knows our kinds and holds nothing."""
    async with EmbeddedServer() as server, Client(connect_to(server.url, server.token)) as client:
        cluster = Cluster(server, client, [])
        await cluster.install()
        yield cluster


@dataclass(frozen=True, slots=True)
class Reported:
    """What the sweeper has written."""

    client: Client
    name: str = "default"

    async def sweep(self, holds: Callable[[SweepReport], bool] = lambda _: True) -> SweepReport:
        """The sweeper's report, once it is so."""
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    last = (await self.client.get(SWEEP_REPORTS, self.name)).spec
                    if holds(last):
                        return last
                except NotFound:
                    pass
                await asyncio.sleep(0.02)

    async def after(self, sweeps: int = 2) -> SweepReport:
        """The report after so many more; two, so that one of them began after this call."""
        now = (await self.sweep()).sequence
        return await self.sweep(lambda report: report.sequence >= now + sweeps)

    async def switches(self) -> dict[str, SwitchReport]:
        """By object name."""
        return {found.metadata.name: found.spec for found in (await self.client.list(SWITCH_REPORTS)).items}


def without_port(report: SwitchReport, number: int) -> SwitchReport:
    return replace(report, ports=tuple(port for port in report.ports if port.number != number))
