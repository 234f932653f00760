"""Switches drawn as the rows of an agent: ports, and who is heard on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.discovery.snmp.agent import Row, row

LLDP = "1.0.8802.1.1.2.1"
LLDP_REMOTE = f"{LLDP}.4.1.1"
INTERFACES, EXTENDED = "1.3.6.1.2.1.2.2.1", "1.3.6.1.2.1.31.1.1.1"
BRIDGE, ROUTER, STATION = b"\x20", b"\x08", b"\x01"
"""Capabilities as SNMP's BITS."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A neighbour as LLDP-MIB has it."""

    chassis: bytes
    port: bytes
    name: bytes = b""
    chassis_kind: int = 4
    port_kind: int = 5
    capabilities: bytes = BRIDGE


@dataclass(frozen=True, slots=True)
class Jack:
    """A port; `number` is IF-MIB's, and LLDP has another."""

    number: int
    name: str
    neighbours: tuple[Heard, ...] = ()
    up: bool = True
    megabits: int = 400_000
    admin: int = 1
    kind: int = 6


@dataclass(frozen=True, slots=True)
class Switch:
    """One that is asked."""

    mac: bytes
    name: str
    jacks: tuple[Jack, ...] = ()
    offset: int = 500
    """What LLDP's port numbers are ahead of IF-MIB's."""
    local_kind: int = 5
    extra: tuple[Row, ...] = field(default=())

    def rows(self) -> list[Row]:
        """All that an agent of it has."""
        return [
            row("1.3.6.1.2.1.1.1.0", b"a switch that is drawn"),
            row("1.3.6.1.2.1.1.3.0", 123_456),
            row("1.3.6.1.2.1.1.5.0", self.name.encode()),
            row("1.3.6.1.6.3.10.2.1.2.0", 7),
            row(f"{LLDP}.3.1.0", 4),
            row(f"{LLDP}.3.2.0", self.mac),
            row("1.3.6.1.2.1.47.1.1.1.1.5.1", 3),
            row("1.3.6.1.2.1.47.1.1.1.1.11.1", b"MT2345"),
            row("1.3.6.1.2.1.47.1.1.1.1.13.1", b"SN5600"),
            row("1.3.6.1.6.3.99.0", 1),
            *(found for jack in self.jacks for found in self._port(jack)),
            *self.extra,
        ]

    def _port(self, jack: Jack) -> Iterable[Row]:
        number, name = jack.number, jack.name.encode()
        mac = self.mac[:5] + bytes([number % 256])
        yield row(f"{INTERFACES}.2.{number}", name)
        yield row(f"{INTERFACES}.3.{number}", jack.kind)
        yield row(f"{INTERFACES}.6.{number}", mac)
        yield row(f"{INTERFACES}.7.{number}", jack.admin)
        yield row(f"{INTERFACES}.8.{number}", 1 if jack.up else 2)
        yield row(f"{INTERFACES}.14.{number}", 0)
        yield row(f"{EXTENDED}.1.{number}", name)
        yield row(f"{EXTENDED}.15.{number}", jack.megabits)
        yield row(f"{EXTENDED}.18.{number}", b"")
        local = number + self.offset
        yield row(f"{LLDP}.3.7.1.2.{local}", self.local_kind)
        yield row(f"{LLDP}.3.7.1.3.{local}", mac if self.local_kind == 3 else name)
        yield row(f"{LLDP}.3.7.1.4.{local}", name)
        for rank, one in enumerate(jack.neighbours, 1):
            values: Sequence[tuple[int, int | bytes]] = (
                (4, one.chassis_kind), (5, one.chassis), (6, one.port_kind), (7, one.port), (8, b""), (9, one.name),
                (10, b"somebody"), (11, one.capabilities), (12, one.capabilities),
            )  # fmt: skip
            for column, value in values:
                yield row(f"{LLDP_REMOTE}.{column}.0.{local}.{rank}", value)


def mac(last: int, kind: int = 0) -> bytes:
    return bytes((2, 0, 0, kind, last // 256, last % 256))


def host(number: int) -> Heard:
    """A host's operating system on its port eth0."""
    return Heard(mac(number, 9), mac(number, 9), f"gpu-{number}".encode(), port_kind=3, capabilities=STATION)


def spine(number: int, port: str) -> Heard:
    return Heard(mac(number, 2), port.encode(), f"spine-{number}".encode())


def leaf() -> list[Row]:
    """Two hosts below, two spines above, one port dark."""
    jacks = (
        Jack(1, "swp1", (host(1),)),
        Jack(2, "swp2", (host(2),)),
        Jack(3, "swp3", up=False),
        Jack(31, "swp31", (spine(1, "swp1"),)),
        Jack(32, "swp32", (spine(2, "swp1"),)),
    )
    return Switch(mac(1, 1), "leaf-1", jacks).rows()
