"""A leader is frozen in the middle of its plan, past its Lease; another one leads; then it goes on where it stood."""

from __future__ import annotations

import random
from pathlib import Path

from tests.chaos.arena import Arena, arena
from tests.chaos.replica import Replica
from tests.cluster.control_plane import ControlPlane, Settings
from tests.cluster.fixtures import require

SEED, FREEZES, MOST_EVENTS = 4, 3, 8
STEPS = 3


def test_a_frozen_leader_writes_nothing_of_its_old_plan_when_it_goes_on(tmp_path: Path) -> None:
    require(*Settings().programs)
    with ControlPlane(tmp_path / "plane") as plane, arena(plane, tmp_path, SEED) as site:
        freeze_again_and_again(site, FREEZES, random.Random(SEED))
        site.judge()


def freeze_again_and_again(site: Arena, freezes: int, dice: random.Random) -> None:
    """Who leads is frozen, the other one takes over and changes what it finds; then they change roles."""
    leader, standby = site.replica(), site.replica()
    leader.start()
    for number in range(freezes):
        if number:
            site.churn.change_every_leaf_group()
        freeze_in_a_plan(site, leader, dice.randint(1, MOST_EVENTS))
        frozen_at = site.plane.audit.size()
        if not number:
            standby.start()
        standby.leads()
        for _ in range(STEPS):
            site.churn.step()
        site.settle(standby)
        assert any(request.writes for request in site.plane.audit.requests(agent=standby.agent, after=frozen_at))
        assert_it_writes_nothing(site, leader)
        leader, standby = standby, leader
    leader.kill()
    standby.leads()
    site.settle(standby)


def freeze_in_a_plan(site: Arena, leader: Replica, events: int) -> None:
    """When so many writes of it were seen; the plan has more."""
    before = site.watcher.events
    leader.until(lambda: site.watcher.events >= before + events, "it writes nothing", pause=0.0005)
    leader.freeze()


def assert_it_writes_nothing(site: Arena, frozen: Replica) -> None:
    """Resumed, it looks on while another one leads; the audit log tells what it asked for."""
    begin = site.plane.audit.size()
    frozen.resume()
    frozen.until(lambda: frozen.figure("hyperscout_leader") == 0.0, "it thinks that it leads")
    looks = frozen.looks()
    frozen.until(lambda: frozen.looks() >= looks + 2, "it does not look")
    asked = site.plane.audit.requests(agent=frozen.agent, after=begin)
    assert asked, f"nothing is known of {frozen.agent}"
    assert [request for request in asked if request.writes] == []
