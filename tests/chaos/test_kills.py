"""The controller is killed at random moments while nodes, cables and switches come and go on a real API server."""

from __future__ import annotations

import random
from pathlib import Path

from bench.soak_controller import Round, soak
from tests.chaos.arena import arena
from tests.cluster.control_plane import ControlPlane, Settings
from tests.cluster.fixtures import require

SEED, KILLS = 20, 10


def test_after_every_kill_the_tree_comes_right_and_nobody_ever_saw_a_wrong_one(tmp_path: Path) -> None:
    require(*Settings().programs)
    rounds: list[Round] = []
    with ControlPlane(tmp_path / "plane") as plane, arena(plane, tmp_path, SEED) as site:
        soak(site, KILLS, random.Random(SEED), rounds.append)
        assert [done.number for done in rounds] == list(range(1, KILLS + 1))
        assert {done.signal for done in rounds} == {"SIGKILL", "SIGTERM"}
        assert site.watcher.changes > KILLS
