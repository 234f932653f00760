"""A controller that keeps the results of its last look decides the same as one that makes everything anew."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import TypeVar

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.conclusion.cabling import Cables
from controller.conclusion.keeping import Kept
from controller.conclusion.memory import Memory
from controller.decide import Decision, decide
from controller.settings import ControllerSettings, NodeMarks
from controller.snapshot import Snapshot
from discovery.reports import COMPLETE, DEGRADED, FLAPPING, PARTIAL
from kube.meta import Object
from kube.types import HyperNode, NodeReportObject
from tests.controller.looking import Looks, as_objects
from tests.controller.site import Site
from tests.controller.test_any_absence import ABSENT, DRAWINGS, VOICES, take
from topology.synth.drawing import Drawing
from topology.synth.ethernet import Voices

T = TypeVar("T", bound=Object)


STEPS = [*ABSENT, PARTIAL, "node goes", "node comes", "verdict", "rest", "exchange", "later"]
AFTER = ["", "sweep", "sweep", "write"]
"""What follows a step before the look."""
SETTINGS = ControllerSettings(nodes=NodeMarks(labels=True, taint="NoSchedule"))


class History:
    """A site, what stands in the API, and how its reports differ from what the drawing says."""

    def __init__(self, drawing: Drawing, voices: Voices | None) -> None:
        self.looks = Looks(site=Site(drawing=drawing, voices=voices), settings=SETTINGS)
        self.verdicts: dict[str, str] = {}
        self.resting: set[str] = set()
        self.now = 1.0
        self.seen = Snapshot()

    def take(self, step: str, pick: int) -> None:
        site = self.looks.site
        hosts = site.drawing.hosts
        node = hosts[pick % len(hosts)]
        match step:
            case "node goes" if node in site.nodes and len(site.nodes) > 1:
                site.nodes.remove(node)
            case "node comes" if node not in site.nodes:
                site.nodes.append(node)
            case "verdict":
                self.verdicts[node] = (FLAPPING, DEGRADED, "Up")[pick % 3]
            case "rest":
                self.resting ^= {node}
            case "exchange":
                site.exchange(node, hosts[(pick // 7) % len(hosts)])
            case "later":
                self.now += (1.0, 400.0, 1000.0)[pick % 3]
            case _:
                take(self.looks, step, pick)

    def snapshot(self) -> Snapshot:
        """Objects that did not change are the same ones as at the last look, as in a cache."""
        plain = self.looks.snapshot()
        nodes = tuple(
            msgspec.structs.replace(node, spec=msgspec.structs.replace(node.spec, unschedulable=True))
            if node.metadata.name in self.resting
            else node
            for node in plain.nodes
        )
        self.seen = Snapshot(
            nodes=kept(self.seen.nodes, nodes),
            node_reports=kept(self.seen.node_reports, map(self._report, plain.node_reports)),
            switch_reports=kept(self.seen.switch_reports, plain.switch_reports),
            sweeps=kept(self.seen.sweeps, plain.sweeps),
            hyper_nodes=kept(self.seen.hyper_nodes, plain.hyper_nodes),
        )
        return self.seen

    def _report(self, report: NodeReportObject) -> NodeReportObject:
        verdict = self.verdicts.get(report.metadata.name)
        if verdict is None:
            return report
        ports = tuple(replace(port, verdict=verdict) for port in report.spec.ports)
        return msgspec.structs.replace(report, spec=replace(report.spec, ports=ports))

    def write(self, decision: Decision) -> None:
        if decision.outcome is not None:
            written: tuple[HyperNode, ...] = as_objects(decision.outcome.desired)
            self.looks.objects = tuple(sorted(written, key=lambda found: found.metadata.name))


def kept(before: tuple[T, ...], now: Iterable[T]) -> tuple[T, ...]:
    known = {found.metadata.name: found for found in before}
    return tuple(known[found.metadata.name] if known.get(found.metadata.name) == found else found for found in now)


def fresh(memory: Memory) -> Memory:
    """The same without anything that only spares work."""
    return replace(memory, kept=Kept(), cables=Cables(memory.cables.known))


def check(one: Decision, other: Decision) -> None:
    assert one.waiting == other.waiting
    assert one.outcome == other.outcome
    for of_memory in fields(Memory):
        if of_memory.name not in ("kept", "cables"):
            assert getattr(one.memory, of_memory.name) == getattr(other.memory, of_memory.name), of_memory.name
    assert one.memory.cables.known == other.memory.cables.known


HISTORIES = st.lists(
    st.tuples(st.sampled_from(STEPS), st.integers(0, 999), st.sampled_from(AFTER)), min_size=4, max_size=12
)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(DRAWINGS), st.sampled_from(VOICES), HISTORIES)
def test_kept_results_decide_nothing(
    drawing: Drawing, voices: Voices | None, steps: list[tuple[str, int, str]]
) -> None:
    history = History(drawing, voices)
    memory = Memory(started=-1000.0)
    for step, pick, after in [("mend", 0, "sweep"), ("mend", 0, "write"), *steps]:
        history.take(step, pick)
        if after == "sweep":
            history.take(COMPLETE, 0)
        snapshot = history.snapshot()
        decision = decide(memory, snapshot, history.now, SETTINGS)
        check(decision, decide(fresh(memory), snapshot, history.now, SETTINGS))
        memory = decision.memory
        if after == "write":
            history.write(decision)
