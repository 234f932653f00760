"""So many at once, and then one every so often."""

from __future__ import annotations

from agent.node.allowance import Allowance


def test_a_burst_is_free_and_the_rest_waits_its_turn() -> None:
    allowance, now, at = Allowance(burst=3, every=10.0), 100.0, []
    for _ in range(6):
        now += allowance.wait(now)
        allowance.take(now)
        at.append(now)
    assert at == [100.0, 100.0, 100.0, 110.0, 120.0, 130.0]


def test_a_quiet_time_gives_the_burst_back() -> None:
    allowance = Allowance(burst=2, every=10.0)
    for now in (0.0, 0.0, 10.0, 20.0):
        allowance.take(now)
    assert allowance.wait(20.0) == 10.0
    assert allowance.wait(40.0) == 0.0
    allowance.take(40.0)
    assert allowance.wait(40.0) == 0.0
