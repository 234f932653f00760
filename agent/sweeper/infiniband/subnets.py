"""Runs the discovery tool on the ports of this host, so that every subnet is swept once.

Ports of one subnet cannot be told by their subnet prefix alone, for most sites leave it as it is. So of all ports that
might share a subnet one is swept first; those that its map shows need no sweep of their own, and of the others the next
is swept. Which ports it took is remembered, so that the next time they are swept side by side.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from agent.sweeper.infiniband.reading import Subnet, read_subnet
from agent.sweeper.tool import ToolError, run_tool, tool_version
from discovery.probing import Probed
from discovery.reports import FAILED
from discovery.source import Source
from discovery.vantage import OwnPort, own_ports

AT_ONCE = 4
"""So many subnets are swept side by side."""
FIRST_WITH_PLANES = 56
"""The first rdma-core whose ibnetdiscover sweeps from a planarised adapter."""


@dataclass(frozen=True, slots=True)
class Tool:
    """What is run, on what, and for how long."""

    program: str = "ibnetdiscover"
    ports: tuple[str, ...] = ()
    """`mlx5_0` or `mlx5_0:1`; none: every active InfiniBand port that there is."""
    fabric: str = "default"
    time_limit: float = 120.0
    """Of one run, in seconds; no run begins later than so long after the first."""
    sysfs: str = "/sys"
    """Where sysfs is, for what is said of it."""


@dataclass(frozen=True, slots=True)
class Vantage:
    """A port that the tool is run on."""

    name: str
    arguments: tuple[str, ...]
    own: OwnPort | None = None
    """None: sysfs does not show it."""

    @property
    def may_share(self) -> object:
        """Ports with equal answers may be in one subnet."""
        return self.own.subnet if self.own is not None else self.name


@dataclass(frozen=True, slots=True)
class Runs:
    """All runs of one sweep."""

    subnets: tuple[Subnet, ...] = ()
    trouble: tuple[str, ...] = ()
    """Why something was not swept at all."""
    notes: tuple[str, ...] = ()
    idle: tuple[OwnPort, ...] = ()
    """InfiniBand ports that have no link now."""
    version: str | None = None


@dataclass(slots=True)
class SubnetSweep:
    """Sweeps again and again."""

    tool: Tool
    source: Source
    """Sysfs."""
    _version: str | None = None
    _needed: frozenset[str] = frozenset()
    """Ports that had to be swept the last time."""

    async def sweep(self) -> Runs:
        """Once. Never raises: what fails is trouble."""
        ports = await asyncio.to_thread(own_ports, self.source)
        chosen = choose(self.tool.ports, ports)
        idle = () if self.tool.ports else tuple(port for port in ports.found or () if not port.active)
        if not chosen:
            return Runs(trouble=(_nothing_to_sweep(ports, self.tool.sysfs),), idle=idle)
        try:
            self._version = self._version or await tool_version([self.tool.program])
        except ToolError as error:
            return Runs(trouble=(str(error),), idle=idle)
        waves = _Waves(self.tool, self._version, self._needed)
        await waves.run(chosen)
        self._needed = frozenset(subnet.port for subnet in waves.subnets if subnet.reports)
        subnets, notes = _excused(waves.subnets, chosen)
        return Runs(subnets, tuple(waves.late), notes, idle, self._version)


def choose(told: Sequence[str], ports: Probed[tuple[OwnPort, ...]]) -> list[Vantage]:
    """The ports that are told, else every active one."""
    by_name = {str(port): port for port in ports.found or ()}
    if not told:
        return [_vantage(port.device, port.port, port) for port in by_name.values() if port.active]
    chosen = []
    for name in dict.fromkeys(told):
        device, _, number = name.partition(":")
        port = int(number) if number.isdecimal() else None
        chosen.append(_vantage(device, port, by_name.get(f"{device}/{port or 1}")))
    return chosen


def can_sweep_planes(version: str | None) -> bool:
    """Whether that ibnetdiscover can; one that gives no plain version (a vendor's build) is given the chance."""
    match = re.match(r"(\d+)\.", version or "")
    return match is None or int(match[1]) >= FIRST_WITH_PLANES


def _vantage(device: str, port: int | None, own: OwnPort | None) -> Vantage:
    number = ("-P", str(port)) if port is not None else ()
    return Vantage(f"{device}/{port}" if port is not None else device, ("-C", device, *number), own)


def _nothing_to_sweep(ports: Probed[tuple[OwnPort, ...]], sysfs: str) -> str:
    if ports.outcome == FAILED:
        return f"sweep.sysfsRoot names {sysfs}, where no sysfs can be read ({ports.reason}); correct it"
    if ports.found is None:
        why = ports.reason or "none was found"
    else:
        why = "; ".join(f"{port} is {port.state or 'unreadable'}" for port in ports.found[:8])
    return f"no InfiniBand port is active on this host: {why}; sweep from a node that has one, or name it"


def _excused(subnets: Sequence[Subnet], chosen: Iterable[Vantage]) -> tuple[tuple[Subnet, ...], tuple[str, ...]]:
    """Without runs that gave nothing where another one swept their subnet: those are told and no trouble."""
    met = frozenset[object]().union(*(subnet.ends for subnet in subnets if subnet.reports))
    guids = {vantage.name: vantage.own.port_guid for vantage in chosen if vantage.own is not None}
    kept, notes = [], []
    for subnet in subnets:
        if not subnet.reports and guids.get(subnet.port) in met:
            notes.append(f"{subnet.port}: {'; '.join(subnet.trouble[:1])}; another port swept its subnet")
        else:
            kept.append(subnet)
    return tuple(kept), tuple(notes)


@dataclass(slots=True)
class _Waves:
    """The runs of one sweep: side by side what is known to be apart, else one after the other."""

    tool: Tool
    version: str | None
    needed: frozenset[str]
    subnets: list[Subnet] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    _gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def run(self, chosen: Iterable[Vantage]) -> None:
        clock = asyncio.get_running_loop().time
        begin = clock()
        waiting = list(chosen)
        wave = [vantage for vantage in waiting if vantage.name in self.needed]
        while waiting:
            wave = wave or self._first_of_each(waiting)
            self.subnets += await asyncio.gather(*(self._sweep(vantage) for vantage in wave))
            met = frozenset[object]().union(*(subnet.ends for subnet in self.subnets))
            waiting = [one for one in waiting if one not in wave and (one.own is None or one.own.port_guid not in met)]
            wave = []
            if waiting and clock() - begin >= self.tool.time_limit:
                self.late += [f"{one.name}: not swept, for the sweeps before it took too long" for one in waiting]
                return

    @staticmethod
    def _first_of_each(waiting: Sequence[Vantage]) -> list[Vantage]:
        return list({one.may_share: one for one in reversed(waiting)}.values())

    async def _sweep(self, vantage: Vantage) -> Subnet:
        if vantage.own is not None and vantage.own.planar and not can_sweep_planes(self.version):
            return Subnet(vantage.name, trouble=(self._too_old(),))
        async with self._gate:
            try:
                output = await run_tool((self.tool.program, *vantage.arguments), self.tool.time_limit)
            except ToolError as error:
                return Subnet(vantage.name, trouble=(str(error),))
        return await asyncio.to_thread(read_subnet, output, vantage.name, vantage.arguments, self.tool.fabric)

    def _too_old(self) -> str:
        return (
            f"the adapter is planarised, and ibnetdiscover {self.version} cannot sweep from it; "
            f"install infiniband-diags of rdma-core {FIRST_WITH_PLANES} or later"
        )
