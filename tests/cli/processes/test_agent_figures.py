"""What the figures of an agent say between two looks, and what /readyz says before its report stands."""

from __future__ import annotations

import time
from datetime import timedelta
from math import isnan

import pytest
from prometheus_client import CollectorRegistry

from agent.node.assembling import assemble
from agent.node.evidence import SYSFS, Evidence
from agent.node.judging import Standing
from agent.node.running import Look
from agent.node.watching import Kept, not_yet
from cli.processes.agent_figures import Watching
from cli.processes.health import Health
from cli.processes.metrics import ProcessMetrics
from discovery.probing import Probed, failed, found
from discovery.sysfs import Devices
from kube.errors import Unauthorized
from tests.agent.node.node import NOON

BEFORE: Kept[Devices] = not_yet(SYSFS)
FAILED: Probed[Devices] = failed(SYSFS, "no answer within 5 s")


class Agent:
    """Its health and its figures."""

    def __init__(self) -> None:
        self.registry, self.health = CollectorRegistry(), Health(300.0)
        self.watching = Watching(self.health, ProcessMetrics(self.registry, None), self.registry)

    def looks(self, kept: Kept[Devices], seconds: float) -> None:
        """So long after noon."""
        evidence = Evidence(at=NOON + timedelta(seconds=seconds), devices=kept)
        self.watching.looked(Look(evidence, assemble(evidence, (), None), Standing()))

    @property
    def age(self) -> float:
        """As a scrape reads it."""
        age = self.registry.get_sample_value("hyperscout_probe_evidence_age_seconds", {"probe": SYSFS})
        assert age is not None
        return age


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The monotonic one, which the test sets."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_the_age_of_evidence_is_that_at_the_scrape_and_grows_between_two_looks(clock: list[float]) -> None:
    agent, seen = Agent(), BEFORE.then(found(SYSFS, Devices()), NOON, 0.0)
    agent.looks(seen, 2.0)
    assert agent.age == 2.0
    clock[0] += 7.0
    assert agent.age == 9.0


def test_the_age_goes_on_while_the_probe_fails_also_where_the_time_of_day_is_set(clock: list[float]) -> None:
    agent, seen = Agent(), BEFORE.then(found(SYSFS, Devices()), NOON, 0.0)
    agent.looks(seen, 0.0)
    clock[0] += 10.0
    agent.looks(seen.then(FAILED, NOON, 5.0), 3600.0)
    assert agent.age == 10.0
    agent.looks(seen.then(found(SYSFS, Devices()), NOON + timedelta(hours=1), 0.0), 3601.0)
    assert agent.age == 1.0


def test_there_is_no_age_before_the_first_good_look() -> None:
    agent = Agent()
    agent.looks(BEFORE.then(FAILED, NOON, 5.0), 5.0)
    assert isnan(agent.age)


def test_an_agent_is_not_ready_until_its_report_is_written_and_says_what_refuses_it() -> None:
    agent = Agent()
    assert agent.health.unready() == "the report is not written yet"
    refusal = Unauthorized("get", "nodereports/gpu-node-1", "Unauthorized", 401)
    agent.watching.wrote("get", refusal, 0)
    assert agent.health.unready() == f"the report is not written yet: {refusal}"
    agent.watching.wrote("apply", None, 900)
    assert agent.health.unready() == ""
