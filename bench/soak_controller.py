"""`soak controller`: the controller is killed at random moments while the site changes; the tree must come right.

    python -m bench.soak_controller [KILLS [SEED]]

A real API server, a real process. One in five is asked to end (SIGTERM), all others are killed (SIGKILL). After each
restart the tree has to be that of the site as it is drawn; a watcher that sees every event holds the laws of
HyperNodes against each state. The exit code is 1 where something was wrong; the same seed makes the same churn (what
the controller has done by the moment of a kill is up to the machine). The test run does a few of the same kills.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.arena import Arena, arena
from tests.chaos.replica import Replica
from tests.cluster.control_plane import ControlPlane, Settings

KILLS = 200
TOLD = 40
MOST_STEPS, MOST_EVENTS, LONGEST = 8, 12, 0.8


@dataclass(frozen=True, slots=True)
class Round:
    """One kill and what came of it."""

    number: int
    signal: str
    steps: int
    events: int
    nodes: int
    hyper_nodes: int
    seconds: float


def soak(arena: Arena, kills: int, dice: random.Random, told: Callable[[Round], None]) -> None:
    """So many kills; AssertionError where the tree does not come right, or was ever wrong."""
    replica = arena.replica()
    replica.start()
    replica.leads()
    arena.settle(replica)
    for number in range(1, kills + 1):
        told(kill_once(arena, replica, dice, number))
        arena.judge()


def kill_once(arena: Arena, replica: Replica, dice: random.Random, number: int) -> Round:
    """Changes, a kill among them, more changes, and the tree that comes of it."""
    begin = time.monotonic()
    steps = len(arena.churn.story)
    take_steps(arena, dice.randint(1, MOST_STEPS))
    arena.churn.publish()
    wait_for_a_moment(arena, dice)
    asked = dice.random() < 0.2
    if asked:
        replica.terminate()
    else:
        replica.kill()
    replica.start()
    take_steps(arena, dice.randint(0, MOST_STEPS))
    replica.leads()
    arena.settle(replica)
    return Round(
        number,
        "SIGTERM" if asked else "SIGKILL",
        len(arena.churn.story) - steps,
        arena.watcher.events,
        len(arena.churn.ledger.present),
        len(arena.watcher.objects),
        time.monotonic() - begin,
    )


def take_steps(arena: Arena, count: int) -> None:
    """So many."""
    for _ in range(count):
        arena.churn.step()


def wait_for_a_moment(arena: Arena, dice: random.Random) -> None:
    """A drawn time, or a drawn number of writes: so kills also fall into the middle of plans."""
    until = time.monotonic() + dice.uniform(0.0, LONGEST)
    events = arena.watcher.events + dice.randint(1, MOST_EVENTS)
    while time.monotonic() < until and arena.watcher.events < events:
        time.sleep(0.001)


def say(done: Round, kills: int) -> None:
    """One line a kill."""
    print(
        f"{done.number:>4}/{kills} {done.signal} {done.seconds:5.1f} s, {done.steps:2} steps, "
        f"{done.nodes} nodes in {done.hyper_nodes} HyperNodes, {done.events} events watched",
        flush=True,
    )


def main(arguments: list[str]) -> int:
    kills = int(arguments[0]) if arguments else KILLS
    seed = int(arguments[1]) if len(arguments) > 1 else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="hyperscout-soak-") as folder:
        where = Path(folder)
        with ControlPlane(where / "plane", Settings()) as plane, arena(plane, where, seed) as site:
            try:
                soak(site, kills, random.Random(seed + 1), lambda done: say(done, kills))
            except AssertionError as error:
                story = "\n".join(site.churn.story[-TOLD:])
                print(f"{error}\nThe last steps:\n{story}\nseed {seed}", flush=True)
                return 1
    print(f"{kills} kills, nothing was ever wrong (seed {seed})")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
