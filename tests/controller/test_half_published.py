"""A site grows while the controller looks at half of a sweep: the tree is never higher than that of the drawing."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from controller.decide import Outcome
from discovery.conversion import report_names, switch_reports
from discovery.identity import Guid
from discovery.reports import SwitchReport
from tests.controller.looking import Looks, chains
from tests.controller.site import Site
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

RACKS = Tree(units=(Unit(4, 2),) * 4, wiring="classic", spines=4, aggregation=False)
RAILS = Tree(units=(Unit(4, 4),) * 3, wiring="rails", spines=6, aggregation=False)
PODS = Tree(units=(Unit(4, 2),) * 6, wiring="classic", tiers=3, pod_units=2, spines=4, cores=2, aggregation=False)
RAIL_PODS = Tree(units=(Unit(4, 2),) * 6, wiring="rails", tiers=3, pod_units=2, spines=3, cores=2, aggregation=False)
RAIL_ONLY = Tree(units=(Unit(4, 2),) * 3, wiring="rail-only", spines=3, aggregation=False)
GROWING = {
    "a rack": (RACKS, 1),
    "two racks": (RACKS, 2),
    "a unit of rails": (RAILS, 1),
    "a unit of rails that never meet": (RAIL_ONLY, 1),
    "a rack of a pod": (PODS, 1),
    "a pod": (PODS, 2),
    "a pod and a rack": (PODS, 3),
    "a unit of a pod of rails": (RAIL_PODS, 1),
    "a pod of rails": (RAIL_PODS, 2),
}
Shape = set[tuple[int, frozenset[str]]]


def reports_of(site: Site) -> dict[str, SwitchReport]:
    """What a sweep writes now, by object name."""
    reports = switch_reports(site.scan(), fabric="dc")
    return dict(zip(report_names(reports), reports, strict=True))


def shape(outcome: Outcome, among: Sequence[str]) -> Shape:
    """Every HyperNode by its tier and those of these nodes that it holds."""
    tiers = {document.name: document.tier for document in outcome.desired}
    held: dict[str, set[str]] = {}
    for node, chain in chains(outcome).items():
        for name in chain:
            held.setdefault(name, set()).update({node} & set(among))
    return {(tiers[name], frozenset(nodes)) for name, nodes in held.items() if nodes}


def units_by_node(site: Site) -> dict[str, int]:
    """Every host and the unit that it is in."""
    places = site.drawing.places
    found = zip(places.host.tolist(), places.unit.tolist(), strict=True)
    return {site.drawing.hosts[host]: unit for host, unit in found if host >= 0}


def without(site: Site, nodes: Sequence[str]) -> tuple[set[int], set[Guid]]:
    """The cables of these nodes and of the switches that serve nobody else, and those switches."""
    cables = list(zip(site.drawing.cables.lower.tolist(), site.drawing.cables.upper.tolist(), strict=True))
    gone = {row for node in nodes for row in site.host_cables(node)}
    while True:
        left = {upper for _, upper in cables} - {upper for row, (_, upper) in enumerate(cables) if row not in gone}
        more = {row for row, (lower, _) in enumerate(cables) if lower in left} - gone
        if not more:
            return gone, {site.guid_of(switch) for switch in left}
        gone |= more


class Growth:
    """A site without its last units and what only they need, and what the sweeps before and after write."""

    def __init__(self, tree: Tree, units: int) -> None:
        self.whole = Site(drawing=draw_tree(tree))
        self.looks = Looks(site=Site(drawing=self.whole.drawing))
        site, first = self.looks.site, len(tree.units) - units
        self.new = [node for node, unit in units_by_node(site).items() if unit >= first]
        gone, absent = without(site, self.new)
        self.old = [node for node in site.nodes if node not in self.new]
        self.after = reports_of(self.whole)
        site.cut = gone
        self.before = {name: report for name, report in reports_of(site).items() if report.guid not in absent}
        site.nodes = list(self.old)
        site.sequence = 1
        site.reported.update(self.before)
        self.stood = shape(self.looks.write(), self.old)
        site.cut = set()

    def drawn(self) -> Shape:
        """The tree of the whole site, looked at afresh."""
        return shape(Looks(site=Site(drawing=self.whole.drawing)).sweep_and_write(), self.whole.nodes)


@pytest.mark.parametrize("name", GROWING)
def test_no_order_of_reports_makes_a_tier_that_is_not_drawn(name: str) -> None:
    for seed in range(3):
        random = Random(seed)
        growth = Growth(*GROWING[name])
        drawn = growth.drawn()
        highest = max(tier for tier, _ in drawn)
        looks, site = growth.looks, growth.looks.site
        fresh = [found for found, report in growth.after.items() if growth.before.get(found) != report]
        assert fresh
        random.shuffle(fresh)
        joining = list(growth.new)
        if random.random() < 0.5:
            site.nodes += [joining.pop() for _ in growth.new]
        for number, found in enumerate(fresh):
            site.reported[found] = growth.after[found]
            if joining and random.random() < 0.3:
                site.nodes.append(joining.pop())
            if number % 7 == 6:
                looks.restart(now=1.0 - 10_000)
            outcome = looks.write()
            assert max(document.tier for document in outcome.desired) <= highest, (seed, number)
            assert shape(outcome, growth.old) == growth.stood, (seed, number)
        site.nodes += joining
        looks.write()
        for _ in range(3):
            outcome = looks.sweep_and_write()
        assert shape(outcome, site.nodes) == drawn, seed
