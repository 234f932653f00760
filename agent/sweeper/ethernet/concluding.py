"""From the answers of all switches to one Sweep: each switch once, and what the silence of the others means. Pure.

A switch that does not answer is not gone: its management network, its community or its agent may be. It is missing only
where switches that had a cable to it answered and hear others, and none of all that answered hears it any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from agent.sweeper.ethernet.asking import Round
from agent.sweeper.ethernet.recognising import Signs, macs_of
from agent.sweeper.judging import View
from agent.sweeper.reading import Sweep
from discovery.identity import ChassisId, Guid
from discovery.reports import HOST, SWITCH, Peer, SwitchReport, switch_report_name
from discovery.snmp import SwitchTables, Target, identity
from discovery.snmp.asking import NO_ANSWER

NO_TARGETS = "there is nobody to ask: set snmp.targets"
_NAMED = 3
"""So many of a kind a reason names."""


@dataclass(frozen=True, slots=True)
class Found:
    """The switches that answered, each once."""

    tables: Mapping[ChassisId, SwitchTables]
    targets: Mapping[ChassisId, Target]
    notes: tuple[str, ...] = ()
    mute: tuple[Target, ...] = ()
    """They answer and tell nothing of LLDP, and nobody hears them: any host whose SNMP agent runs is like that."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """All that a sweep is concluded from."""

    round: Round
    found: Found
    reports: Mapping[ChassisId, SwitchReport]
    """Of those that were found."""
    unknown: tuple[str, ...] = ()
    """Names without an address, each with the reason."""
    own: Mapping[str, SwitchReport] = field(default_factory=dict)
    """The reports that stand, by name."""


def identify(
    answers: Mapping[Target, SwitchTables], known: AbstractSet[ChassisId] = frozenset(), signs: Signs | None = None
) -> Found:
    """Each switch once, by its chassis id: the first of its addresses that gave all of it, else the first.

    One that tells none is who it was (`signs`; `known`: the chassis ids of all reports), or whom its neighbours hear.
    """
    naming = _Naming.of(answers, known, signs or Signs())
    answers = {target: naming.named(target, found) for target, found in answers.items()}
    mute = tuple(target for target, found in answers.items() if found.chassis_id is None and not found.remotes)
    answers = {target: found for target, found in answers.items() if target not in set(mute)}
    tables, targets, notes = dict[ChassisId, SwitchTables](), dict[ChassisId, Target](), list[str]()
    nameless = [target for target, found in answers.items() if identity(found) is None]
    for target, found in answers.items():
        chassis = identity(found)
        if chassis is None:
            continue
        first = tables.get(chassis)
        if first is None or (found.whole and not first.whole):
            tables[chassis], targets[chassis] = found, target
        if first is not None and _differ(first, found):
            notes.append(f"{target} and {targets[chassis]} are two switches with one chassis id, {chassis}")
    if nameless:
        notes.append(f"{_some(nameless, 'targets')} tell no chassis id and no MAC, so nothing identifies them")
    return Found(tables, targets, tuple(notes), mute)


@dataclass(frozen=True, slots=True)
class _Naming:
    """What is known of those that tell no chassis id."""

    known: AbstractSet[ChassisId]
    heard: AbstractSet[ChassisId]
    telling: Mapping[ChassisId, SwitchTables]
    signs: Signs

    @staticmethod
    def of(answers: Mapping[Target, SwitchTables], known: AbstractSet[ChassisId], signs: Signs) -> _Naming:
        heard = {remote.chassis_id for found in answers.values() for remote in found.remotes if remote.chassis_id}
        telling = {found.chassis_id: found for found in answers.values() if found.chassis_id}
        return _Naming(known, heard, telling, signs)

    def named(self, target: Target, tables: SwitchTables) -> SwitchTables:
        if tables.chassis_id is not None:
            return tables
        own = {ChassisId(mac) for mac in macs_of(tables)}
        chosen = (
            self.signs.recognise(target, tables)
            or min(own & self.known, default=None)
            or min(own & self.heard, default=None)
            or self.signs.by_report(tables)
        )
        if chosen is None or (chosen in self.telling and _differ(self.telling[chosen], tables)):
            return tables
        return replace(tables, chassis_id=chosen)


def conclude(gathered: Gathered) -> Sweep:
    """One sweep."""
    reports = gathered.reports
    notes = (*_silence(gathered), *gathered.found.notes, *_flaws(gathered))
    trouble: tuple[str, ...] = ()
    if gathered.round.late:
        trouble = (f"the sweep was cut off before {gathered.round.late} targets were read",)
    if not gathered.round.targets and not gathered.unknown:
        trouble = (NO_TARGETS,)
    silent = [report for report in gathered.own.values() if report.chassisId and report.chassisId not in reports]
    witnesses = _Witnesses.of(gathered)
    spared = [report for report in silent if not witnesses.miss(report)]
    view = View(
        switches=frozenset(Guid(chassis) for chassis in reports),
        hosts=count_hosts((*reports.values(), *spared)),
        trouble=trouble,
        spared=frozenset(Guid(report.chassisId) for report in spared if report.chassisId),
        notes=notes,
    )
    named = {switch_report_name(report): report for report in reports.values()}
    poor = frozenset(name for name, report in named.items() if not _whole(report, gathered.found))
    return Sweep(view, named, poor, apart=True, tool_version=None)


def count_hosts(reports: Iterable[SwitchReport]) -> int:
    """Neighbours that are hosts, each once by its name, or by what else it says of itself."""
    hosts = (peer for report in reports for peer in peers_of(report) if peer.kind == HOST)
    return len({peer.description or peer.chassisId or peer.mac or peer.portId for peer in hosts})


def peers_of(report: SwitchReport) -> Iterator[Peer]:
    """All neighbours of a switch."""
    for port in report.ports:
        if port.peer is not None:
            yield port.peer
        yield from port.peers


@dataclass(frozen=True, slots=True)
class _Witnesses:
    """What those that answered prove of those that did not."""

    heard: AbstractSet[ChassisId | None]
    hearing: AbstractSet[ChassisId]
    """Switches that were read whole and hear somebody."""
    macs: AbstractSet[str]
    """Their own."""

    @staticmethod
    def of(gathered: Gathered) -> _Witnesses:
        reports, found = gathered.reports, gathered.found
        return _Witnesses(
            heard={peer.chassisId for report in reports.values() for peer in peers_of(report)},
            hearing={one for one, told in reports.items() if _whole(told, found) and any(peers_of(told))},
            macs=frozenset[str]().union(*map(macs_of, found.tables.values())),
        )

    def miss(self, silent: SwitchReport) -> bool:
        """Whether those that would hear it hear others, and it no more; or whether it answered by another name, as one
        does that told no chassis id at first."""
        if silent.chassisId in self.heard:
            return False
        beside = {peer.chassisId for peer in peers_of(silent) if peer.kind == SWITCH}
        return silent.chassisId in self.macs or bool(beside & self.hearing)


def _whole(report: SwitchReport, found: Found) -> bool:
    return report.chassisId is not None and found.tables[report.chassisId].whole


def _silence(gathered: Gathered) -> Iterator[str]:
    """How many did not answer, and of a few why."""
    for name in gathered.unknown[:_NAMED]:
        yield f"a target has no address: {name}"
    silent = gathered.round.silent
    if silent:
        why = ", ".join(f"{target}: {reason}" for target, reason in list(silent.items())[:_NAMED])
        more = ", ..." if len(silent) > _NAMED else ""
        yield f"{len(silent)} of {gathered.round.targets} targets did not answer ({why}{more})"
    if any(reason == NO_ANSWER for reason in silent.values()):
        yield "where there is no answer, look at the community or user, and at the access list (ACL) and view there"
    mute = gathered.found.mute
    if mute:
        named = ", ".join(map(str, mute[:_NAMED])) + (", ..." if len(mute) > _NAMED else "")
        yield (
            f"{len(mute)} of {gathered.round.targets} answer and tell nothing of LLDP: {named}; no switch hears them, "
            "so none is reported: let their SNMP agents show the LLDP-MIB, or take hosts out of snmp.targets"
        )


def _flaws(gathered: Gathered) -> Iterator[str]:
    """One reason for each switch of which something was dropped."""
    for target, probed in gathered.round.answers.items():
        if probed.reason:
            yield f"{target}: {probed.reason}"


def _differ(one: SwitchTables, other: SwitchTables) -> bool:
    if one.serial and other.serial:
        return one.serial != other.serial
    return one.name != other.name


def _some(targets: list[Target], noun: str) -> str:
    named = ", ".join(map(str, targets[:_NAMED]))
    return f"{len(targets)} {noun} ({named}{', ...' if len(targets) > _NAMED else ''})"
