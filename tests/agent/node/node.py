"""A drawn node as its probes see it, look after look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from agent.node.evidence import LLDP, NETLINK, SYSFS, Evidence
from agent.node.judging import Standing, judge_node
from agent.node.watching import Kept, not_yet
from discovery.health import Thresholds
from discovery.lldp import Neighbours
from discovery.netlink import Link, Links
from discovery.probing import Probed, failed, found
from discovery.reports import Port
from discovery.source import Fixture
from discovery.sysfs import Devices, read_devices

T = TypeVar("T")

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
BOOT = "5b1c"


@dataclass(slots=True)
class Node:
    """Its files and links may be changed between two looks, which are ten seconds apart."""

    files: dict[str, bytes] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    neighbours: Neighbours = field(default_factory=dict)
    hangs: bool = False
    boot_id: str = BOOT
    now: datetime = NOON
    clock: float = 86_400.0
    """Seconds since the boot, whatever the time of day is."""
    standing: Standing = field(default_factory=Standing)
    kept: Kept[Devices] = field(default_factory=lambda: not_yet(SYSFS))

    def evidence(self) -> Evidence:
        """What its probes find now."""
        self.now += timedelta(seconds=10)
        self.clock += 10.0
        probed: Probed[Devices] = failed(SYSFS, "no answer within 5 s") if self.hangs else read_devices(
            Fixture(self.files), self.kept.evidence
        )  # fmt: skip
        self.kept = self.kept.then(probed, self.now, 0.0)
        links = Links(by_name={link.name: link for link in self.links})
        return Evidence(
            at=self.now,
            clock=self.clock,
            boot_id=self.boot_id,
            devices=self.kept,
            links=found_by(NETLINK, links, self.now),
            heard=found_by(LLDP, self.neighbours, self.now),
        )

    def look(self, times: int = 1) -> tuple[Port, ...]:
        """Its ports after so many looks."""
        ports: tuple[Port, ...] = ()
        for _ in range(times):
            ports, self.standing = judge_node(self.evidence(), self.standing, Thresholds())
        return ports

    def set(self, device: str, **files: str) -> None:
        """Write files of the first port of a device."""
        for name, text in files.items():
            self.files[f"class/infiniband/{device}/ports/1/{name}"] = f"{text}\n".encode()

    def remove(self, device: str) -> dict[str, bytes]:
        """Take a device out, and give its files."""
        at = f"class/infiniband/{device}/"
        taken = {path: data for path, data in self.files.items() if path.startswith(at)}
        self.files = {path: data for path, data in self.files.items() if path not in taken}
        return taken

    def pull(self, *interfaces: str) -> None:
        """These lose their carrier, all others have it."""
        self.links = tuple(replace(link, carrier=link.name not in interfaces) for link in self.links)


def found_by(name: str, value: T, at: datetime) -> Kept[T]:
    """A look that went well."""
    seen: Kept[T] = not_yet(name)
    return seen.then(found(name, value), at, 0.0)


def verdicts(ports: Sequence[Port]) -> Mapping[str, tuple[str, str | None]]:
    """Verdict and reason of each device's port."""
    return {port.device: (port.verdict, port.reason) for port in ports}
