"""Switches that do not answer hold up nobody and are left alone for longer and longer; in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest

from agent.sweeper.ethernet.asking import Patience, Roster, Round
from discovery.probing import Probed, failed, found
from discovery.snmp import SwitchTables, Target

pytestmark = pytest.mark.looptime

PERIOD = 300.0
PATIENCE = Patience(at_once=4, first_pause=600.0, longest_known=900.0, longest=3600.0)
TARGETS = tuple(Target(f"10.0.0.{number}") for number in range(1, 9))


@dataclass
class Network:
    """Switches that answer after a second, or not at all."""

    dead: set[Target] = field(default_factory=set)
    asked: list[Target] = field(default_factory=list)
    most_at_once: int = 0
    _now: int = 0

    async def ask(self, target: Target) -> Probed[SwitchTables]:
        self.asked.append(target)
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        await asyncio.sleep(6.0 if target in self.dead else 1.0)
        self._now -= 1
        return failed("snmp", "no answer") if target in self.dead else found("snmp", SwitchTables())


async def sweeps(roster: Roster, network: Network, count: int) -> list[Round]:
    """Every 300 s; each with all its time."""
    rounds = []
    clock = asyncio.get_running_loop().time
    for _ in range(count):
        begin = clock()
        rounds.append(await roster.ask_all(TARGETS, network.ask, 120.0))
        await asyncio.sleep(PERIOD - (clock() - begin))
    return rounds


async def test_all_are_asked_side_by_side_within_a_bound() -> None:
    network = Network()
    begin = asyncio.get_running_loop().time()
    (one,) = await sweeps(Roster(PATIENCE), network, 1)
    assert tuple(one.answers) == TARGETS
    assert network.most_at_once == 4
    assert asyncio.get_running_loop().time() - begin == PERIOD


async def test_silent_targets_are_told_with_the_reason_also_while_they_are_left_alone() -> None:
    network = Network(dead={TARGETS[2]})
    for one in await sweeps(Roster(PATIENCE), network, 12):
        assert one.silent == {TARGETS[2]: "no answer"}
        assert one.targets == 8


async def test_an_address_that_never_answered_is_asked_less_and_less_up_to_once_an_hour() -> None:
    network = Network(dead={TARGETS[2]})
    await sweeps(Roster(PATIENCE), network, 61)  # five hours
    # at 0, 5, then 10, 20, 40, 60 and 60 minutes after the last: 8 times
    assert 7 <= network.asked.count(TARGETS[2]) <= 9
    assert network.asked.count(TARGETS[0]) == 61


async def test_a_switch_that_answered_once_is_asked_every_quarter_of_an_hour_and_is_back_at_once() -> None:
    network, roster = Network(), Roster(PATIENCE)
    await sweeps(roster, network, 1)
    network.dead = {TARGETS[2]}
    await sweeps(roster, network, 36)  # three hours
    assert 11 <= network.asked.count(TARGETS[2]) <= 15
    network.dead = set()
    rounds = await sweeps(roster, network, 4)
    assert TARGETS[2] in rounds[-1].answers
    network.dead = {TARGETS[2]}
    before = len(network.asked)
    await sweeps(roster, network, 2)
    assert network.asked[before:].count(TARGETS[2]) == 2  # and begins anew with its patience


async def test_where_nobody_answers_nobody_is_left_alone() -> None:
    network = Network(dead=set(TARGETS))
    rounds = await sweeps(Roster(PATIENCE), network, 10)
    assert all(len(one.silent) == 8 and one.left_alone == 0 for one in rounds)
    assert network.asked.count(TARGETS[0]) == 10


async def test_a_round_ends_with_its_time_and_keeps_what_it_has() -> None:
    network = Network(dead={TARGETS[0], TARGETS[1]})
    one = await Roster(PATIENCE).ask_all(TARGETS, network.ask, 2.5)
    assert (len(one.answers), one.late) == (4, 4)
    assert one.silent[TARGETS[0]] == "the sweep's time was used up"


async def test_a_fault_with_one_costs_no_other() -> None:
    async def ask(target: Target) -> Probed[SwitchTables]:
        if target == TARGETS[3]:
            raise KeyError("fault")
        return found("snmp", SwitchTables())

    asked: Callable[[Target], Awaitable[Probed[SwitchTables]]] = ask
    one = await Roster(PATIENCE).ask_all(TARGETS, asked, 60.0)
    assert len(one.answers) == 7
    assert one.silent == {TARGETS[3]: "KeyError: 'fault'"}
