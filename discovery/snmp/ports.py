"""The ports of a switch as its tables tell of them together: number, names, link, counters, neighbours. Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from discovery.samples import LINK_DOWN, LINK_UP, Counters
from discovery.snmp import oids
from discovery.snmp.joining import join
from discovery.snmp.tables import LocalPort, Remote, SwitchInterface, SwitchTables

MAX_NUMBER = 0x7FFF
"""Where a switch numbers interfaces beyond it (Nexus: 436,207,616 and up), ports are counted in their order."""
PAM4_MEGABITS = 200_000
"""From here on every lane is one of PAM4; 100G may be of either kind."""
DISABLED, NOT_PRESENT, NO_LINK = "PortDisabled", "NoTransceiver", "NoCarrier"
"""Why a port has no link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortFacts:
    """One port."""

    number: int
    """The ifIndex, or the rank of it where these are too large."""
    name: str | None = None
    port_id: str | None = None
    mac: str | None = None
    megabits: int | None = None
    link: str | None = None
    """As in `discovery.samples`."""
    reason: str | None = None
    counters: Counters = field(default_factory=Counters)
    remotes: tuple[Remote, ...] = ()

    @property
    def pam4(self) -> bool:
        """Whether its lanes surely are PAM4."""
        return (self.megabits or 0) >= PAM4_MEGABITS


def ports_of(tables: SwitchTables) -> tuple[PortFacts, ...]:
    """All physical ports, and those on which a neighbour is heard; by number."""
    joined = join(tables)
    remotes: dict[int, list[Remote]] = defaultdict(list)
    for remote in tables.remotes:
        remotes[remote.port].append(remote)
    heard = {joined.interfaces[number].index: found for number, found in remotes.items() if number in joined.interfaces}
    shown = [one for index, one in sorted(tables.interfaces.items()) if one.physical or index in heard]
    numbers = _numbers(shown)
    facts = [
        _facts(numbers[one.index], one, joined.ports.get(one.index), tuple(heard.get(one.index, ()))) for one in shown
    ]
    alone = sorted(number for number in remotes if number not in joined.interfaces)
    first = max(numbers.values(), default=0) + 1
    facts += [
        _unjoined(first + rank, tables.local_ports.get(number), tuple(remotes[number]))
        for rank, number in enumerate(alone)
    ]
    return tuple(facts)


def _numbers(interfaces: list[SwitchInterface]) -> dict[int, int]:
    indices = [interface.index for interface in interfaces]
    if max(indices, default=0) <= MAX_NUMBER:
        return {index: index for index in indices}
    return {index: rank for rank, index in enumerate(indices, 1)}


def _facts(number: int, one: SwitchInterface, local: LocalPort | None, remotes: tuple[Remote, ...]) -> PortFacts:
    link, reason = _link(one)
    return PortFacts(
        number=number,
        name=one.name or one.description,
        port_id=local.port_id if local else None,
        mac=one.mac,
        megabits=one.megabits,
        link=link,
        reason=reason,
        counters=Counters(symbol_errors=one.symbol_errors, receive_errors=one.in_errors),
        remotes=remotes,
    )


def _unjoined(number: int, local: LocalPort | None, remotes: tuple[Remote, ...]) -> PortFacts:
    """A port that is no interface of the switch as far as anybody can tell; who is heard on it stands all the same."""
    port_id = local.port_id if local else None
    return PortFacts(number=number, name=port_id, port_id=port_id, link=LINK_UP, remotes=remotes)


def _link(one: SwitchInterface) -> tuple[str | None, str | None]:
    if one.oper == oids.UP:
        return LINK_UP, None
    if one.admin == oids.DOWN:
        return LINK_DOWN, DISABLED
    if one.oper == oids.NOT_PRESENT:
        return LINK_DOWN, NOT_PRESENT
    return (LINK_DOWN, NO_LINK) if one.oper in oids.LINKLESS else (None, None)
