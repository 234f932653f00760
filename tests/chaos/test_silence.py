"""Nothing is said, or nonsense: no HyperNode disappears or shrinks, whether the controller runs or starts meanwhile."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from discovery.reports import COMPLETE, FAILED, SWEEPER_LABEL
from tests.chaos.api import APPLY, Body
from tests.chaos.conftest import Weather
from tests.chaos.garbage import spoiled
from tests.chaos.laws import below
from tests.chaos.publisher import KINDS, NODE_REPORTS, SWEEP_REPORTS, SWITCH_REPORTS
from tests.controller.site import SWEEPER

SWEEPS = 4
"""More than the controller waits for before a missing switch leaves, or a host moves."""


@pytest.fixture
def calm(weather: Weather) -> Iterator[Weather]:
    """The tree as it should be; afterwards all reports are written again, and it still is.

    Whoever swept once is waited for during three periods, a sweeper of garbage as well; a new process knows of none.
    """
    weather.calm()
    yield weather
    for written in weather.site.churn.publisher.written.values():
        written.clear()
    swept = any(path.startswith(SWEEP_REPORTS) for path in weather.garbage)
    weather.calm()
    if swept:
        weather.controller.kill()
        weather.controller.start()
        weather.controller.leads()


def test_sweeps_that_reach_nothing(calm: Weather) -> None:
    for outcome in (COMPLETE, FAILED):
        for _ in range(SWEEPS):
            sweep(calm, outcome=outcome, switches=0, hosts=0)
            assert_all_stands(calm)


@pytest.mark.parametrize("reached", [0, 1])
def test_sweeps_that_miss_all_switches_or_all_but_one(calm: Weather, reached: int) -> None:
    site = calm.site.churn.site
    since = site.sequence + 1
    missing = [{"guid": report.guid, "sinceSequence": since} for report in site.reported.values()][reached:]
    for _ in range(SWEEPS):
        sweep(calm, outcome=COMPLETE, switches=reached, hosts=0, missing=missing)
        assert_all_stands(calm)


def test_half_of_the_agents_are_silent(calm: Weather) -> None:
    publisher = calm.site.churn.publisher
    reports = sorted(publisher.written[NODE_REPORTS].items())
    for minute in range(SWEEPS):
        for name, body in reports[::2]:
            spec = {**body["spec"], "heartbeat": f"2026-03-01T06:{minute:02}:00Z"}
            publisher.write(NODE_REPORTS, name, {**body, "spec": spec})
        sweep(calm)
        assert_all_stands(calm)


@pytest.mark.parametrize("paths", [(NODE_REPORTS,), (SWITCH_REPORTS,), (SWEEP_REPORTS,), tuple(KINDS)])
def test_reports_are_deleted(calm: Weather, paths: tuple[str, ...]) -> None:
    publisher = calm.site.churn.publisher
    for path in paths:
        for name in list(publisher.written[path]):
            publisher.delete(path, name)
    assert_all_stands(calm)
    if SWITCH_REPORTS in paths:
        calm.controller.kill()
        calm.controller.start()
        calm.controller.leads()
        assert_all_stands(calm)


@pytest.mark.parametrize("seed", range(2))
def test_reports_of_garbage(calm: Weather, seed: int) -> None:
    """While they stand the rest is followed: a Node that is gone leaves."""
    dice = random.Random(seed)
    calm.site.churn.bring_everybody_back()
    calm.calm()
    taken = sum(write_garbage(calm, path, dice) for path in KINDS for _ in range(2))
    assert taken > len(KINDS)
    assert_all_stands(calm, grown=True)
    node = calm.site.churn.remove_a_node()
    names = [name for name, nodes in below(calm.site.watcher.tree).items() if node in nodes]
    calm.controller.until(lambda: not holds(calm, node), f"{node} stays in {names}, with garbage in the reports")


def write_garbage(calm: Weather, path: str, dice: random.Random) -> int:
    """Spoil a third of the reports, and write as many again under other names; how many the schema admitted."""
    taken = 0
    known = sorted(calm.site.churn.publisher.written[path].items())
    for name, body in dice.sample(known, -(-len(known) // 3)):
        for other in (name, f"{name}-garbage"):
            spec: Any = spoiled(body["spec"], dice, 0.1)
            taken += write(calm, path, other, spec)
    return taken


def write(calm: Weather, path: str, name: str, spec: Body) -> bool:
    metadata = {"name": name, "labels": {SWEEPER_LABEL: SWEEPER}}
    document = {"apiVersion": "hyperscout.io/v1alpha1", "kind": KINDS[path], "metadata": metadata, "spec": spec}
    answer = calm.site.api.send("PATCH", f"{path}/{name}?fieldManager=site&force=true", document, APPLY)
    if name not in calm.site.churn.publisher.written[path] and answer.status < 300:
        calm.garbage.append(f"{path}/{name}")
    return answer.status < 300


def sweep(calm: Weather, **lies: object) -> None:
    """One more SweepReport, with these words in place of the truth."""
    churn = calm.site.churn
    churn.site.sequence += 1
    known = churn.publisher.written[SWEEP_REPORTS][SWEEPER]
    spec = {**known["spec"], "sequence": churn.site.sequence, **lies}
    churn.publisher.write(SWEEP_REPORTS, SWEEPER, {**known, "spec": spec})


def assert_all_stands(calm: Weather, *, grown: bool = False) -> None:
    """Two looks from now every HyperNode holds what it held."""
    before = below(dict(calm.site.watcher.tree))
    looks = calm.controller.looks()
    calm.controller.until(lambda: calm.controller.looks() >= looks + 2, "it looks no more")
    calm.site.watcher.catch_up(calm.site.api)
    now = below(dict(calm.site.watcher.tree))
    lost = {name: sorted(nodes - now.get(name, frozenset())) for name, nodes in before.items()}
    assert {name: nodes for name, nodes in lost.items() if nodes} == {}
    assert before.keys() == now.keys() or grown


def holds(calm: Weather, node: str) -> bool:
    return any(node in nodes for nodes in below(dict(calm.site.watcher.tree)).values())
