"""Verdicts of switch ports sweep by sweep: what was up once is Down, what hosts do is no flap."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from agent.sweeper.ethernet.histories import PortHistories
from discovery.health import Verdict
from discovery.identity import ChassisId
from discovery.reports import DEGRADED, DOWN, FLAPPING, HOST, SWITCH, UNPROVISIONED, UP, Peer, SwitchPort, SwitchReport
from discovery.samples import LINK_DOWN, LINK_UP, Counters
from discovery.snmp import PortFacts, SwitchTables

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


def test_what_the_last_process_reported_is_known_to_the_next() -> None:
    histories = PortHistories()
    histories.recall([report(SWITCH, Verdict(DOWN, "NoCarrier"))], BEGIN)
    facts = PortFacts(number=1, link=LINK_DOWN, reason="NoCarrier")
    verdicts = histories.judge(LEAF, [facts], SwitchTables(chassis_id=LEAF), BEGIN)
    assert verdicts[1] == Verdict(DOWN, "NoCarrier")
    assert histories.counts() == {DOWN: 1}


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
