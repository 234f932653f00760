"""Every probe of a node, run side by side, and what wakes the agent between two looks.

The raw receiver of LLDP and the events of netlink live in the event loop; all else may block and runs in a thread with
a time limit (`watching`). The GPUs and lldpd take processes, so they are asked more seldom, and no look waits for them.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import structlog

from agent.node.evidence import LLDP, LLDPD, NETLINK, NVLINK, PROBES, SYSFS, Evidence, matches
from agent.node.watching import Kept, Watched, not_yet
from discovery.lldp import Listener, Lldpd, Neighbours, read_lldpd
from discovery.netlink import EVERY, LinkEvents, Links, read_links
from discovery.nvlink import GpuReader, Gpus
from discovery.probing import Probed, failed
from discovery.source import Source, Tree, no_folder
from discovery.sysfs import Devices, read_boot_id, read_devices
from discovery.sysfs.boot import BOOT_ID
from discovery.sysfs.interfaces import is_physical

T = TypeVar("T")

log = structlog.get_logger(__name__)

LLDPD_EVERY, GPUS_ABSENT_EVERY = 30.0, 600.0
"""Seconds: lldpd sends every 30 s itself; a node without GPUs gets none while it runs."""
_GPU_COMMANDS = 4
"""NVML, and where that fails three calls of nvidia-smi."""
GPU_DRIVER = "module/nvidia"
"""Its folder in sysfs is another one for each load."""
EVENTS_AGAIN = 30.0
"""Seconds until netlink is asked for events again, where it refuses."""


@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """Which probes run, and how. Times are in seconds."""

    enabled: tuple[str, ...] = PROBES
    sysfs: Path = Path("/sys")
    proc: Path = Path("/proc")
    interfaces: tuple[str, ...] = ("*",)
    """The physical interfaces that count, as shell patterns."""
    limit: float = 5.0
    """For one look of sysfs, netlink or lldpd."""
    gpu_limit: float = 30.0
    gpus_every: float = 60.0
    smi_command: tuple[str, ...] = ()
    gpu_library: str = ""
    """Folder that was named for NVML; the loader of the process has to look there, too."""
    lldpd: Lldpd = field(default_factory=Lldpd)


@dataclass(slots=True)
class Probes:
    """Belongs to the event loop that runs when it is opened."""

    settings: ProbeSettings
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when something has changed between two looks."""
    listener: Listener | None = None
    _sys: Source = field(init=False)
    _boot_id: str | None = None
    _heard: Kept[Neighbours] = field(default_factory=lambda: not_yet(LLDP))
    _devices: Watched[Devices] | None = None
    _links: Watched[Links] | None = None
    _lldpd: Watched[Neighbours] | None = None
    _gpus: Watched[Gpus] | None = None
    _looking: set[asyncio.Task[None]] = field(default_factory=set)
    """At what no look waits for."""
    _counting: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        settings, on = self.settings, self.settings.enabled
        self._sys = Tree(settings.sysfs)
        if SYSFS in on:
            self._devices = Watched(SYSFS, self._ask_sysfs, settings.limit)
        if NETLINK in on:
            self._links = Watched(NETLINK, self._ask_netlink, settings.limit)
        if LLDPD in on:
            self._lldpd = Watched(LLDPD, partial(read_lldpd, settings.lldpd), settings.limit + 1.0, LLDPD_EVERY)
        if NVLINK in on:
            reader = GpuReader(settings.gpu_limit, settings.smi_command, settings.gpu_library)
            limit = settings.gpu_limit * _GPU_COMMANDS
            self._gpus = Watched(NVLINK, reader.read, limit, settings.gpus_every, every_absent=GPUS_ABSENT_EVERY)

    async def look(self) -> Evidence:
        """Ask all probes that are due, and tell what is known then. Waits for the slowest, up to its limit."""
        for slow in (self._gpus, self._lldpd):
            if slow is not None and (slow.due or slow.late):
                task = asyncio.create_task(self._look_at(slow))
                self._looking.add(task)
                task.add_done_callback(self._looking.discard)
        await asyncio.gather(*(watched.look() for watched in (self._devices, self._links) if watched is not None))
        return self._listened(
            Evidence(
                at=datetime.now(UTC),
                clock=asyncio.get_running_loop().time(),
                boot_id=self._boot_id,
                gpu_driver=self._sys.made(GPU_DRIVER),
                devices=self._devices.kept if self._devices else None,
                links=self._links.kept if self._links else None,
                lldpd=self._lldpd.kept if self._lldpd else None,
                gpus=self._gpus.kept if self._gpus else None,
                patterns=self.settings.interfaces,
            )
        )

    async def settled(self) -> None:
        """Wait for what no look waits for, each up to its limit."""
        if self._looking:
            await asyncio.wait(set(self._looking))

    async def follow(self, stop: asyncio.Event) -> None:
        """Set `woken` whenever a link or a neighbour changes, until `stop`."""
        async with asyncio.TaskGroup() as group:
            tasks = []
            if self.listener is not None:
                tasks.append(group.create_task(self._follow_neighbours(self.listener)))
            if self._links is not None:
                tasks.append(group.create_task(self._follow_links()))
            await stop.wait()
            for task in tasks:
                task.cancel()

    def open(self) -> None:
        """Begin to listen for LLDP; in a running loop."""
        if LLDP in self.settings.enabled:
            self.listener = Listener()

    def close(self) -> None:
        """Listen no more."""
        if self.listener is not None:
            self.listener.close()
        for task in self._looking:
            task.cancel()

    def _listened(self, evidence: Evidence) -> Evidence:
        """With what was heard on the interfaces that count now."""
        self._counting = frozenset(link.name for link in evidence.counting) | frozenset(evidence.rdma_devices)
        if self.listener is None:
            return evidence
        self.listener.follow(sorted(self._counting))
        self._heard = self._heard.then(self.listener.probed(), evidence.at, 0.0)
        return replace(evidence, heard=self._heard)

    async def _look_at(self, slow: Watched[Any]) -> None:
        """It may take long; whoever waits for the rest is not held up."""
        before = slow.kept
        after = await slow.look()
        if (after.told, after.evidence) != (before.told, before.evidence):
            self.woken.set()

    async def _follow_neighbours(self, listener: Listener) -> None:
        while True:
            await listener.changed()
            self.woken.set()

    async def _follow_links(self) -> None:
        """Where netlink gives no events, changes are seen at the next look."""
        said = ""
        while True:
            try:
                events = LinkEvents()
            except OSError as error:
                if str(error) != said:
                    log.warning("cannot follow links; they are looked at all the same", error=str(error))
                said = str(error)
            else:
                try:
                    async for name in events:
                        if name == EVERY or self._counts(name):
                            self.woken.set()
                finally:
                    events.close()
            await asyncio.sleep(EVENTS_AGAIN)

    def _counts(self, name: str) -> bool:
        """Not the interfaces of pods, which come and go all day."""
        if name in self._counting:
            return True
        return matches(name, self.settings.interfaces) and is_physical(self._sys, name)

    def _ask_sysfs(self) -> Probed[Devices]:
        assert self._devices is not None
        sysfs, proc = self.settings.sysfs, self.settings.proc
        if self._boot_id is None:
            self._boot_id = read_boot_id(Tree(proc))
        if wrong := no_folder(sysfs):
            return failed(SYSFS, f"host.sysfsRoot names {sysfs}, and {wrong}; correct it")
        if self._boot_id is None and (wrong := no_folder(proc)):
            return failed(SYSFS, f"host.procRoot names {proc}, and {wrong}; correct it")
        probed = read_devices(self._sys, self._devices.kept.evidence)
        return probed if self._boot_id is not None else _also(probed, _no_boot_id(proc))

    def _ask_netlink(self) -> Probed[Links]:
        """That interfaces are there and none of them counts is told, for it looks like a node without any."""
        assert self._links is not None
        probed, patterns = read_links(self._sys, self._links.kept.evidence), self.settings.interfaces
        if probed.found is None or any(matches(link.name, patterns) for link in probed.found):
            return probed
        return _also(probed, no_interface_matches(len(probed.found), patterns))


def no_interface_matches(physical: int, patterns: tuple[str, ...]) -> str:
    """That none of so many counts, in words."""
    return f"host.interfaces ({', '.join(patterns)}) matches none of the physical interfaces ({physical})"


def _no_boot_id(proc: Path) -> str:
    return f"host.procRoot names {proc}, and no {BOOT_ID} can be read there; correct it"


def _also(probed: Probed[T], reason: str) -> Probed[T]:
    """With one more thing to tell."""
    return replace(probed, reason="; ".join(filter(None, (reason, probed.reason))))
