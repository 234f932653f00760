"""A port's verdict over samples of ten seconds; expected values by hand from the rules of health."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from agent.node.verdicts import LINK_DOWN, WAITING, Standings, judge
from discovery.reports import DOWN, UNKNOWN, UP, Port

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ACTIVE, POLLING, INIT, BLANK = ("Active", "LinkUp"), ("Down", "Polling"), ("Init", "LinkUp"), (None, None)
State = tuple[str | None, str | None]


def watch(states: list[State], before: Standings | None = None) -> list[Port]:
    """The port as it is judged at each sample."""
    standings, judged = before or Standings(), list[Port]()
    for second, (state, physical) in enumerate(states):
        sample = Port(device="mlx5_0", port=1, state=state, physicalState=physical)
        ports, standings = judge([sample], standings, NOON + timedelta(seconds=10 * second))
        judged += ports
    return judged


def test_three_samples_without_a_link_are_down_and_one_with_it_is_up() -> None:
    judged = watch([ACTIVE, POLLING, POLLING, POLLING, ACTIVE])
    assert [port.verdict for port in judged] == [UP, UP, UP, DOWN, UP]
    assert [port.reason for port in judged] == [None, None, None, LINK_DOWN, None]


def test_a_short_gap_is_no_down() -> None:
    assert {port.verdict for port in watch([ACTIVE, POLLING, POLLING, ACTIVE, POLLING, POLLING])} == {UP}


def test_a_port_that_stays_up_changes_no_report() -> None:
    assert len(set(watch([ACTIVE] * 5))) == 1


def test_when_it_was_last_up_is_the_last_such_sample_and_outlives_a_restart() -> None:
    judged = watch([ACTIVE, ACTIVE, POLLING, POLLING, POLLING, POLLING])
    assert {port.lastUp for port in judged[2:]} == {NOON + timedelta(seconds=10)}
    again = watch([POLLING] * 3, Standings.of(judged[-1:]))
    assert [port.verdict for port in again] == [UNKNOWN, UNKNOWN, DOWN]
    assert again[-1].lastUp == NOON + timedelta(seconds=10)


def test_a_port_that_never_was_up_has_no_record_of_it() -> None:
    assert [(port.verdict, port.lastUp) for port in watch([POLLING] * 3)][-1] == (DOWN, None)


def test_a_link_without_a_subnet_manager_is_not_down() -> None:
    judged = watch([ACTIVE, INIT, INIT, INIT, INIT])
    assert {(port.verdict, port.reason) for port in judged[1:]} == {(UNKNOWN, WAITING)}


def test_what_cannot_be_read_is_unknown_and_counts_as_no_miss() -> None:
    judged = watch([ACTIVE, POLLING, POLLING, BLANK, POLLING])
    assert [port.verdict for port in judged] == [UP, UP, UP, UNKNOWN, DOWN]
