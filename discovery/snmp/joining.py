"""Which interface of IF-MIB a local port of LLDP is: by what the switch calls the port, never by its number alone.

Numbers of both tables look alike and are not (Dell OS10 counts ports 516, 520, ... and interfaces 13, 14, ...).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from discovery.snmp.tables import LocalPort, SwitchInterface, SwitchTables

_NAMES = ("name", "description", "alias", "mac")
_LOCAL = frozenset({None, "local", "port", "agent"})
"""Subtypes whose id may be an interface's number as text (Junos)."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Interfaces by local port number, and local ports by interface number; both ways only where that is sure."""

    interfaces: Mapping[int, SwitchInterface]
    ports: Mapping[int, LocalPort]


def join(tables: SwitchTables) -> Joined:
    """All local ports that there are, or that a neighbour stands on."""
    index = _index(tables.interfaces.values())
    numbers = tables.local_ports.keys() | {remote.port for remote in tables.remotes}
    interfaces, claimed = dict[int, SwitchInterface](), defaultdict[int, list[int]](list)
    for number in sorted(numbers):
        interface = _interface(number, tables, index)
        if interface is not None:
            claimed[interface].append(number)
    for interface, claimants in claimed.items():
        if len(claimants) == 1:
            interfaces[claimants[0]] = tables.interfaces[interface]
    ports = {
        interface.index: tables.local_ports[number]
        for number, interface in interfaces.items()
        if number in tables.local_ports
    }
    return Joined(interfaces, ports)


def _interface(number: int, tables: SwitchTables, index: Mapping[tuple[str, str], int | None]) -> int | None:
    if tables.ports_are_interfaces:
        return number if number in tables.interfaces else None
    port = tables.local_ports.get(number)
    if port is None:
        return None
    for word in (port.port_id, port.description):
        for field in _fields(port.subtype):
            found = index.get((field, word)) if word else None
            if found is not None:
                return found
    as_number = _numeral(port.port_id) if port.subtype in _LOCAL else None
    return as_number if as_number in tables.interfaces else None


def _fields(subtype: str | None) -> tuple[str, ...]:
    """Where an id of the subtype is looked for, the likeliest first."""
    first = {"ifname": "name", "ifalias": "alias", "mac": "mac"}.get(subtype or "", "name")
    return (first, *(field for field in _NAMES if field != first))


def _numeral(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else None


def _index(interfaces: Iterable[SwitchInterface]) -> dict[tuple[str, str], int | None]:
    """Interface numbers by what they are called; None for a word that several bear. Ports come before what is made of
    them: a bundle or a sub-interface bears its port's MAC."""
    ranked: dict[tuple[str, str], list[SwitchInterface]] = defaultdict(list)
    for interface in interfaces:
        for field in _NAMES:
            word = getattr(interface, field)
            if word:
                ranked[field, word].append(interface)
    return {key: _only(found) for key, found in ranked.items()}


def _only(found: list[SwitchInterface]) -> int | None:
    physical = [interface for interface in found if interface.physical]
    candidates = physical or found
    return candidates[0].index if len(candidates) == 1 else None
