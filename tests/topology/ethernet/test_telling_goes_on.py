"""Words that are put together from the last time on come out as those that are put together anew."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.ethernet import Attached, OwnSwitch, Told, read_attached, read_switch, tell
from discovery.ethernet.hearing import Evidence
from discovery.reports import NodeReport, SwitchReport
from topology.synth.damage import without_cable
from topology.synth.drawing import Drawing
from topology.synth.ethernet import Voices, node_ports, switch_reports_of
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

RAILS = draw_tree(Tree(units=(Unit(4, 2),) * 3, wiring="rails", tiers=2, spines=2, aggregation=False))
PODS = draw_tree(
    Tree(units=(Unit(2, 2),) * 4, wiring="classic", tiers=3, pod_units=2, spines=2, cores=2, aggregation=False)
)
VOICES = [Voices(), Voices(switches_told=False), Voices(adapters_speak=False), Voices(nodes_listen=False),
          Voices(bonds=True)]  # fmt: skip
T = TypeVar("T", Attached, OwnSwitch)
STEPS = ["cut", "mend", "cross", "deafen", "rename", "confuse", "node goes", "switch goes"]


@dataclass
class Story:
    """A site that changes; what did not change is the same object."""

    drawing: Drawing
    voices: Voices
    cut: set[int] = field(default_factory=set)
    deaf: set[str] = field(default_factory=set)
    renamed: set[int] = field(default_factory=set)
    confused: dict[int, int] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    lost: set[int] = field(default_factory=set)
    nodes: dict[str, Attached] = field(default_factory=dict)
    switches: dict[str, OwnSwitch] = field(default_factory=dict)

    def take(self, step: str, pick: int) -> None:
        hosts, rows = self.drawing.hosts, len(self.drawing.cables)
        match step:
            case "cut":
                self.cut.add(pick % rows)
            case "mend":
                self.cut.clear()
                self.deaf.clear()
                self.confused.clear()
            case "cross":
                self.drawing = crossed(self.drawing, pick % rows, (pick // 7) % rows)
            case "deafen":
                self.deaf ^= {hosts[pick % len(hosts)]}
            case "rename":
                self.renamed ^= {pick % 5}
            case "confuse":
                self.confused[pick % 5] = pick // 5
            case "node goes":
                self.gone ^= {hosts[pick % len(hosts)]}
            case "switch goes":
                self.lost ^= {pick % 5}

    def evidence(self) -> tuple[list[Attached], list[OwnSwitch]]:
        drawing = self.drawing
        for row in sorted(self.cut):
            drawing = without_cable(drawing, row)
        nodes = [
            read_attached(name, NodeReport(ports=found.ports, interfaces=found.interfaces))
            for name, found in sorted(node_ports(drawing, self.voices, frozenset(self.deaf)).items())
            if name not in self.gone
        ]
        reports = switch_reports_of(drawing, self.voices) if self.voices.switches_told else []
        told = [(place, self._as_told(place, report, reports)) for place, report in enumerate(reports)]
        read = [read_switch(f"{place:02}", report) for place, report in told if place not in self.lost]
        there = [switch for switch in read if switch is not None]
        self.nodes = kept(self.nodes, {node.node: node for node in nodes})
        self.switches = kept(self.switches, {switch.name: switch for switch in there})
        return [self.nodes[node.node] for node in nodes], [self.switches[switch.name] for switch in there]

    def _as_told(self, place: int, report: SwitchReport, reports: list[SwitchReport]) -> SwitchReport:
        """Under another name, or with the peer of another port beside one of its own."""
        if place in self.renamed:
            report = replace(report, description=f"renamed-{place}")
        if place in self.confused and report.ports:
            pick = self.confused[place]
            other = reports[pick % len(reports)].ports
            peers = tuple(peer for peer in (report.ports[0].peer, other[pick % len(other)].peer) if peer is not None)
            report = replace(report, ports=(replace(report.ports[0], peer=None, peers=peers), *report.ports[1:]))
        return report


def kept(before: dict[str, T], now: dict[str, T]) -> dict[str, T]:
    return before | {key: value for key, value in now.items() if before.get(key) != value}


def crossed(drawing: Drawing, one: int, other: int) -> Drawing:
    cables = drawing.cables
    if (cables.lower[one] < 0) or drawing.nodes.kind[cables.lower[one]] != drawing.nodes.kind[cables.lower[other]]:
        return drawing
    upper, ports = cables.upper.copy(), cables.upper_port.copy()
    upper[[one, other]], ports[[one, other]] = upper[[other, one]], ports[[other, one]]
    return replace(drawing, cables=replace(cables, upper=upper, upper_port=ports))


HISTORIES = st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 999)), min_size=1, max_size=12)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from([RAILS, PODS]), st.sampled_from(VOICES), HISTORIES)
def test_going_on_tells_the_same(drawing: Drawing, voices: Voices, steps: list[tuple[str, int]]) -> None:
    story = Story(drawing, voices)
    last = tell(*story.evidence())
    for step, pick in steps:
        story.take(step, pick)
        nodes, switches = story.evidence()
        last = tell(nodes, switches, frozenset(), last)
        same(last, tell(nodes, switches))


def same(one: Told, other: Told) -> None:
    assert dict(one.reports) == dict(other.reports)
    assert list(one.reports) == list(other.reports)
    assert one.named == other.named
    assert dict(one.evidence.owners.ends) == dict(other.evidence.owners.ends)
    assert {chassis: found for chassis, found in one.mentions.items() if found.switches or found.nodes} == {
        chassis: found for chassis, found in other.mentions.items() if found.switches or found.nodes
    }


def test_one_change_is_told_without_a_look_at_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    units = (Unit(4, 2),) * 6
    story = Story(draw_tree(Tree(units=units, wiring="rails", tiers=2, spines=2, aggregation=False)), Voices())
    last = tell(*story.evidence())
    story.take("cut", 0)
    nodes, switches = story.evidence()
    expected = tell(nodes, switches)
    monkeypatch.setattr(Evidence, "of", None)
    same(tell(nodes, switches, frozenset(), last), expected)
