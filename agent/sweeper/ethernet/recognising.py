"""By what a switch is known again in a sweep in which it does not tell its chassis id: serial number, address and name,
MACs. An LLDP agent that begins anew or hangs makes no second switch of one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from discovery.identity import ChassisId
from discovery.reports import SwitchReport
from discovery.snmp import SwitchTables, Target


@dataclass(slots=True)
class Signs:
    """Of all switches that told their chassis id since the process began, and of the reports that stand."""

    _told: dict[str, ChassisId | None] = field(default_factory=dict)
    """None: several switches have that sign."""
    _standing: dict[str, set[ChassisId]] = field(default_factory=dict)
    """By MAC those whose reports name it."""

    def recall(self, standing: Iterable[SwitchReport]) -> None:
        """The reports that stand; switches without one are forgotten."""
        macs, there = defaultdict[str, set[ChassisId]](set), set[ChassisId]()
        for report in standing:
            if report.chassisId is not None:
                there.add(report.chassisId)
                for port in report.ports:
                    if port.mac:
                        macs[port.mac].add(report.chassisId)
        self._standing = dict(macs)
        self._told = {sign: chassis for sign, chassis in self._told.items() if chassis is None or chassis in there}

    def learn(self, answers: Mapping[Target, SwitchTables]) -> None:
        """Who told its chassis id this time. A sign that two of them have is nobody's from then on."""
        telling = {tables.chassis_id for tables in answers.values()}
        for target, tables in answers.items():
            if tables.chassis_id is None:
                continue
            for sign in _signs(target, tables):
                before = self._told.get(sign, tables.chassis_id)
                shared = before != tables.chassis_id and (before is None or before in telling)
                self._told[sign] = None if shared else tables.chassis_id

    def recognise(self, target: Target, tables: SwitchTables) -> ChassisId | None:
        """Who it was when it told: the first sign decides that one switch alone has."""
        return next(filter(None, (self._told.get(sign) for sign in _signs(target, tables))), None)

    def by_report(self, tables: SwitchTables) -> ChassisId | None:
        """The only one whose report names MACs of its ports."""
        found = set[ChassisId]().union(*(self._standing.get(mac, ()) for mac in macs_of(tables)))
        return found.pop() if len(found) == 1 else None


def macs_of(tables: SwitchTables) -> frozenset[str]:
    """All MACs that a switch calls its own."""
    own = (tables.bridge_address, *(one.mac for one in tables.interfaces.values()))
    return frozenset(mac for mac in own if mac)


def _signs(target: Target, tables: SwitchTables) -> Iterator[str]:
    """The best first. An address alone is none: another switch may have it tomorrow."""
    if tables.serial:
        yield f"serial {tables.serial}"
    if tables.name:
        yield f"{target} {tables.name}"
    for mac in sorted(macs_of(tables)):
        yield f"mac {mac}"
