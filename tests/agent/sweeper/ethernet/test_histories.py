"""Verdicts of switch ports sweep by sweep: what was up once is Down, what hosts do is no flap."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from agent.sweeper.ethernet.histories import PortHistories
from discovery.health import Verdict
from discovery.identity import ChassisId
from discovery.reports import DEGRADED, DOWN, FLAPPING, HOST, SWITCH, UNPROVISIONED, UP, Peer, SwitchPort, SwitchReport
from discovery.samples import LINK_DOWN, LINK_UP, Counters
from discovery.snmp import PortFacts, Surroundings, SwitchTables, ports_of, switch_report
from discovery.snmp.tables import SwitchInterface

LEAF = ChassisId("02:00:00:00:00:01")
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
PERIOD = timedelta(seconds=300)


def report(kind: str, verdict: Verdict) -> SwitchReport:
    peer = Peer(kind=kind, chassisId=ChassisId("02:00:00:00:00:02"))
    port = SwitchPort(number=1, verdict=verdict.word, reason=verdict.reason, peer=peer)
    return SwitchReport(chassisId=LEAF, ports=(port,))


def run(
    links: Sequence[str | None], kind: str = SWITCH, boots: Sequence[int] = (), uptimes: Sequence[float] = ()
) -> list[str]:
    """The verdict of one port after each sweep."""
    histories, words, standing = PortHistories(), list[str](), list[SwitchReport]()
    for number, link in enumerate(links):
        at = BEGIN + number * PERIOD
        histories.recall(standing, at)
        facts = PortFacts(number=1, link=link, reason="NoCarrier" if link == LINK_DOWN else None)
        count = boots[number] if boots else None if uptimes else 1
        tables = SwitchTables(chassis_id=LEAF, boots=count, uptime=uptimes[number] if uptimes else None)
        verdict = histories.judge(LEAF, [facts], tables, at)[1]
        words.append(verdict.word)
        standing = [report(kind, verdict)]
        histories.note(standing[0])
    return words


def test_a_port_that_was_up_is_down_after_three_sweeps_and_up_with_the_first_that_says_so() -> None:
    assert run([LINK_UP, LINK_DOWN, LINK_DOWN, LINK_DOWN, LINK_UP]) == [UP, UP, UP, DOWN, UP]


def test_a_port_that_never_was_up_is_not_down() -> None:
    assert run([LINK_DOWN] * 5)[-1] == UNPROVISIONED


def test_a_link_between_switches_that_comes_and_goes_flaps() -> None:
    restless = [LINK_UP] * 5 + [LINK_DOWN, LINK_UP] * 4
    assert run(restless)[-1] == FLAPPING


def test_a_host_that_reboots_again_and_again_makes_no_flap() -> None:
    restless = [LINK_UP] * 5 + [LINK_DOWN, LINK_UP] * 8
    assert set(run(restless, HOST)) == {UP}


def test_a_switch_that_reboots_makes_no_flap() -> None:
    links = [LINK_UP] * 5 + [LINK_DOWN, LINK_UP] * 4
    boots = [1] * 5 + [2, 2, 3, 3, 4, 4, 5, 5]
    assert set(run(links, boots=boots)) == {UP}


def test_a_switch_that_does_not_count_its_reboots_is_seen_to_by_its_uptime() -> None:
    links = [LINK_UP] * 5 + [LINK_DOWN, LINK_UP] * 4
    uptimes = [1e6, 1e6 + 300, 1e6 + 600, 1e6 + 900, 1e6 + 1200, 60, 360, 60, 360, 60, 360, 60, 360]
    assert set(run(links, uptimes=uptimes)) == {UP}
    assert run(links, uptimes=[300.0 * number for number in range(13)])[-1] == FLAPPING


@pytest.mark.parametrize(("uptime", "expected"), [(1e6, FLAPPING), (60.0, UP)])
def test_a_sweeper_that_restarts_is_no_switch_that_does(uptime: float, expected: str) -> None:
    histories = PortHistories()
    standing = report(SWITCH, Verdict(UP))
    histories.recall([standing], BEGIN)
    histories.note(standing)
    for number, link in enumerate([LINK_UP] + [LINK_DOWN, LINK_UP] * 3):
        facts = PortFacts(number=1, link=link)
        tables = SwitchTables(chassis_id=LEAF, boots=1, uptime=uptime + 60 * number)
        verdict = histories.judge(LEAF, [facts], tables, BEGIN - number * PERIOD)[1]
    assert verdict.word == expected


def test_what_the_last_process_reported_is_known_to_the_next() -> None:
    histories = PortHistories()
    histories.recall([report(SWITCH, Verdict(DOWN, "NoCarrier"))], BEGIN)
    facts = PortFacts(number=1, link=LINK_DOWN, reason="NoCarrier")
    verdicts = histories.judge(LEAF, [facts], SwitchTables(chassis_id=LEAF), BEGIN)
    assert verdicts[1] == Verdict(DOWN, "NoCarrier")
    assert histories.counts() == {DOWN: 1}


def nexus(*names: str, up: frozenset[str] = frozenset({"Ethernet1/2"}), whole: bool = True) -> SwitchTables:
    """A switch whose ports are counted in the order of their large numbers."""
    ports = {
        0x1A000000 + place * 0x1000: SwitchInterface(
            index=0x1A000000 + place * 0x1000, name=name, kind=6, admin=1, oper=1 if name in up else 2
        )
        for place, name in enumerate(names)
    }
    return SwitchTables(chassis_id=LEAF, interfaces=ports, whole=whole)


def words(*sweeps: SwitchTables) -> dict[str | None, str]:
    """By the name of the port, after the last sweep; the report of each sweep stands at the next."""
    histories, standing, told = PortHistories(), list[SwitchReport](), dict[str | None, str]()
    for number, tables in enumerate(sweeps):
        at = BEGIN + number * PERIOD
        histories.recall(standing, at)
        ports = ports_of(tables)
        verdicts = histories.judge(LEAF, ports, tables, at)
        standing = [switch_report(tables, ports, verdicts, Surroundings())]
        histories.note(standing[0])
        told = {port.name: verdicts[port.number].word for port in ports}
        assert sum(histories.counts().values()) == len(ports)
    return told


def test_a_new_interface_that_moves_the_numbers_of_all_others_changes_no_verdict() -> None:
    few, more = nexus("Ethernet1/2", "Ethernet1/3"), nexus("Ethernet1/1", "Ethernet1/2", "Ethernet1/3")
    assert words(*[few] * 5, *[more] * 5) == {
        "Ethernet1/1": UNPROVISIONED, "Ethernet1/2": UP, "Ethernet1/3": UNPROVISIONED,
    }  # fmt: skip


def test_a_port_that_goes_down_with_another_number_is_down() -> None:
    few, more = nexus("Ethernet1/2"), nexus("Ethernet1/1", "Ethernet1/2", up=frozenset())
    assert words(few, few, *[more] * 3) == {"Ethernet1/1": UNPROVISIONED, "Ethernet1/2": DOWN}


def test_ports_that_share_a_name_are_told_apart() -> None:
    histories, tables = PortHistories(), SwitchTables(chassis_id=LEAF)
    facts = [PortFacts(number=number, name="port", link=link) for number, link in ((1, LINK_UP), (2, LINK_DOWN))]
    found = histories.judge(LEAF, facts, tables, BEGIN)
    assert (found[1].word == UP, found[2].word == UP) == (True, False)


def test_a_port_of_which_a_reading_that_was_cut_short_does_not_tell_is_remembered() -> None:
    histories = PortHistories()
    histories.judge(LEAF, ports_of(nexus("a", "b")), nexus("a", "b"), BEGIN)
    for whole, left in ((False, 2), (True, 1)):
        tables = nexus("a", whole=whole)
        histories.judge(LEAF, ports_of(tables), tables, BEGIN + PERIOD)
        assert sum(histories.counts().values()) == left


def test_symbol_errors_make_a_port_degraded() -> None:
    histories, errors, words = PortHistories(), 0, list[str]()
    for number in range(20):
        at = BEGIN + number * PERIOD
        facts = PortFacts(number=1, link=LINK_UP, counters=Counters(symbol_errors=errors))
        words.append(histories.judge(LEAF, [facts], SwitchTables(chassis_id=LEAF), at)[1].word)
        histories.recall([report(SWITCH, Verdict(UP))], at)
        errors += 50  # 600 an hour
    assert (words[0], words[-1]) == (UP, DEGRADED)


def test_switches_without_a_report_are_forgotten() -> None:
    histories = PortHistories()
    histories.judge(LEAF, [PortFacts(number=1, link=LINK_UP)], SwitchTables(chassis_id=LEAF), BEGIN)
    histories.recall([], BEGIN)
    assert not histories.counts()
