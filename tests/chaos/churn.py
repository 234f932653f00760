"""A site that changes at random, from a seed, and what its agents and its sweeper write about it.

32 hosts with two rails: 8 leaf groups of 4 in 4 pods below one core. At first the last pod is not built yet.
"""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from discovery.reports import COMPLETE, FAILED, PARTIAL
from tests.chaos.ledger import Ledger
from tests.chaos.publisher import NODE_REPORTS, NODES, SWEEP_REPORTS, SWITCH_REPORTS, Publisher, bodies
from tests.controller.site import Site
from topology.synth.drawing import Drawing
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

TREE = Tree(units=(Unit(4, 2),) * 8, wiring="rails", tiers=3, pod_units=2, spines=2, cores=2, aggregation=False)
UNBUILT = (6, 7)
MOST_GONE, MOST_CUT, MOST_DEAD, MOST_RETIRED = 6, 4, 2, 4
FEWEST_STAY = 2
LONG_GONE = 8
"""Sweeps; more than the controller waits for."""


class NotNowError(Exception):
    """A step that makes no sense at present."""


@dataclass(slots=True)
class Churn:
    """The site and its dice. Steps change it and tell the ledger; `sweep` and `publish` write what is to be seen."""

    publisher: Publisher
    ledger: Ledger
    dice: random.Random
    site: Site = field(default_factory=lambda: Site(drawing=draw_tree(TREE)))
    unbuilt: list[int] = field(default_factory=lambda: list(UNBUILT))
    rows: dict[str, list[int]] = field(default_factory=dict)
    story: list[str] = field(default_factory=list)
    """All steps."""

    def begin(self) -> None:
        """All that is built, and the first sweep."""
        for unit in self.unbuilt:
            self.site.cut.update(self._cables_of(unit))
        self.site.nodes = []
        for unit in range(len(TREE.units)):
            if unit not in self.unbuilt:
                self._join(unit)
        self.sweep()

    @property
    def drawing(self) -> Drawing:
        """As it is cabled now."""
        return self.site.drawing

    def sweep(self, outcome: str = COMPLETE) -> None:
        """One more sweep, and all reports."""
        self.site.outcome = outcome
        if outcome != FAILED:
            self.site.sweep()
        else:
            self.site.sequence += 1
        if outcome == COMPLETE:
            self.ledger.sweep()
        self.publish()

    def publish(self) -> None:
        """All reports that differ from what was written; the SweepReport last."""
        reports = tuple(
            msgspec.structs.replace(report, spec=replace(report.spec, heartbeat=None))
            for report in self.site.node_report_objects()
        )
        self.publisher.publish(NODE_REPORTS, bodies(reports))
        self.publisher.publish(SWITCH_REPORTS, bodies(self.site.switch_objects()))
        self.publisher.publish(SWEEP_REPORTS, bodies((self.site.sweep_object(),)))

    def step(self) -> str:
        """One thing happens at random, what can be; told in words."""
        while True:
            take = self.dice.choice(STEPS)
            with suppress(NotNowError):
                what = take(self)
                self.story.append(f"{take.__name__.strip('_').replace('_', ' ')}: {what}")
                return self.story[-1]

    def change_every_leaf_group(self) -> None:
        """An uplink of each is cut, or mended again: a sweep that gives every HyperNode of them something to tell."""
        leaves = self.drawing.places.unit[self.drawing.cables.lower]
        level = self.drawing.places.level[self.drawing.cables.lower]
        built = self._built()
        for unit in range(len(TREE.units)):
            if unit // TREE.pod_units in self._pods_without_a_switch():
                continue
            rows = [row for row in sorted(built) if int(leaves[row]) == unit and int(level[row]) == 0]
            self.site.cut ^= set(rows[:1])
        self.sweep()

    def bring_everybody_back(self) -> None:
        """All Nodes that were ever there are there."""
        for node in sorted(self.ledger.homes.keys() - self.ledger.present):
            self._create(node, self.ledger.unit(node))

    def forget(self) -> None:
        """The sweeper deletes reports of switches that are long gone, and later tells of them no more."""
        for guid, since in list(self.site.retired.items()):
            name = next((name for name, report in self.site.reported.items() if report.guid == guid), None)
            if name is None:
                del self.site.retired[guid]
            elif self.site.sequence - since >= LONG_GONE:
                del self.site.reported[name]

    def seen(self, node: str) -> bool:
        """Whether the last sweep can have seen a cable of the host."""
        upper = self.drawing.cables.upper
        return any(row not in self.site.cut and int(upper[row]) not in self.site.dead for row in self._rows(node))

    def _sweep(self) -> str:
        outcome = self.dice.choices((COMPLETE, PARTIAL, FAILED), (8, 1, 1))[0]
        self.sweep(outcome)
        return f"{outcome} {self.site.sequence}"

    def remove_a_node(self) -> str:
        """Any that may go now; its name."""
        if len(self.ledger.homes) - len(self.ledger.present) >= MOST_GONE:
            raise NotNowError
        node: str = self._pick(sorted(self.ledger.present))
        unit = self.ledger.unit(node)
        if self._has_movers(unit) and self._staying(unit) <= FEWEST_STAY:
            raise NotNowError
        self.ledger.leave(node)
        self.site.nodes.remove(node)
        assert self.publisher.api.send("DELETE", f"{NODES}/{node}").status in (200, 404)
        if self.dice.random() < 0.5:
            self.publisher.delete(NODE_REPORTS, node)
        return node

    def _bring_a_node_back(self) -> str:
        node: str = self._pick(sorted(self.ledger.homes.keys() - self.ledger.present))
        self._create(node, self.ledger.unit(node))
        return node

    def _cut_a_cable(self) -> str:
        row = self._pick(sorted(self._built() - self.site.cut))
        pods = {self._pod(end) for end in self._ends_of(row)}
        if len(self.site.cut & self._built()) >= MOST_CUT or self._moves(row) or pods & self._pods_without_a_switch():
            raise NotNowError
        self.site.cut.add(row)
        return self._cable(row)

    def _mend_a_cable(self) -> str:
        row = self._pick(sorted(self.site.cut & self._built()))
        self.site.cut.discard(row)
        return self._cable(row)

    def _lose_a_switch(self) -> str:
        switch = self._pick(self._built_switches())
        if len(self.site.dead) >= MOST_DEAD or switch in self.site.dead:
            raise NotNowError
        if self._pod(switch) in self._pods_in_need() or any(self._moves(row) for row in self._ends_at(switch)):
            raise NotNowError
        self.site.kill(switch)
        return self._called(switch)

    def _switch_comes_back(self) -> str:
        switch = self._pick(sorted(self.site.dead))
        del self.site.dead[switch]
        return self._called(switch)

    def _replace_a_switch(self) -> str:
        switch = self._pick(self._built_switches())
        if switch in self.site.dead or len(self.site.retired) >= MOST_RETIRED:
            raise NotNowError
        self.site.replace_switch(switch)
        return self._called(switch)

    def _add_a_leaf_group(self) -> str:
        if not self.unbuilt:
            raise NotNowError
        self.site.cut.difference_update(self._cables_of(self.unbuilt[0]))
        self._join(self.unbuilt[0])
        return str(self.unbuilt.pop(0))

    def _exchange_hosts(self) -> str:
        one, other = self._pick(sorted(self.ledger.present)), self._pick(sorted(self.ledger.present))
        units = self.ledger.unit(one), self.ledger.unit(other)
        few = any(self._has_movers(unit) or self._staying(unit) <= FEWEST_STAY for unit in units)
        if units[0] == units[1] or few or not (self._is_whole(one) and self._is_whole(other)):
            raise NotNowError
        self.ledger.move(one, units[1])
        self.ledger.move(other, units[0])
        self.site.exchange(one, other)
        return f"{one} of {units[0]}, {other} of {units[1]}"

    def _lose_a_report(self) -> str:
        path = self._pick([NODE_REPORTS, SWITCH_REPORTS])
        name: str = self._pick(sorted(self.publisher.written[path]))
        self.publisher.delete(path, name)
        return name

    def _called(self, node: int) -> str:
        return str(self.drawing.nodes.description[node])

    def _cable(self, row: int) -> str:
        cables = self.drawing.cables
        return f"{self._called(int(cables.lower[row]))} to {self._called(int(cables.upper[row]))}"

    def _pick(self, choices: list[Any]) -> Any:  # noqa: ANN401 - of whatever it is given
        if not choices:
            raise NotNowError
        return self.dice.choice(choices)

    def _join(self, unit: int) -> None:
        for node, home in zip(self.drawing.hosts, self.drawing.host_unit.tolist(), strict=True):
            if home == unit:
                self._create(node, unit)

    def _create(self, node: str, unit: int) -> None:
        self.ledger.join(node, unit)
        self.site.nodes.append(node)
        answer = self.publisher.api.send("POST", NODES, {"metadata": {"name": node}})
        assert answer.status in (201, 409), answer.body

    def _has_movers(self, unit: int) -> bool:
        return any(len(homes) > 1 and unit in (homes[0].unit, homes[-1].unit) for homes in self.ledger.homes.values())

    def _staying(self, unit: int) -> int:
        """Hosts that stay in a leaf group: it is known by most of them, so most of them are never moved at once."""
        there = (node for node in self.ledger.present if self.ledger.unit(node) == unit)
        return sum(not self.ledger.on_the_move(node) for node in there)

    def _moves(self, row: int) -> bool:
        """A host that was recabled just now keeps its cables: nobody else could tell where it belongs."""
        host = int(self.drawing.places.host[self.drawing.cables.lower[row]])
        return host >= 0 and self.ledger.on_the_move(self.drawing.hosts[host])

    def _rows(self, node: str) -> list[int]:
        """The cables of a host; wherever they lead, they stay the same ones."""
        if not self.rows:
            self.rows = {host: self.site.host_cables(host) for host in self.drawing.hosts}
        return self.rows[node]

    def _is_whole(self, node: str) -> bool:
        upper = self.drawing.cables.upper
        return all(row not in self.site.cut and int(upper[row]) not in self.site.dead for row in self._rows(node))

    def _pods_in_need(self) -> set[int]:
        """Those that lack a switch or a cable. A switch that leaves takes its cables out of the graph for good, so with
        others that nobody knows, for they were cut while no controller ran, the rails of a pod may fall apart."""
        cut = {self._pod(end) for row in self.site.cut & self._built() for end in self._ends_of(row)}
        return cut | self._pods_without_a_switch()

    def _pods_without_a_switch(self) -> set[int]:
        return {self._pod(switch) for switch in self.site.dead}

    def _pod(self, node: int) -> int:
        """Of a switch, or of the leaf group of a host; -1 is the core."""
        return int(self.drawing.places.pod[node])

    def _ends_of(self, row: int) -> tuple[int, int]:
        return int(self.drawing.cables.lower[row]), int(self.drawing.cables.upper[row])

    def _ends_at(self, switch: int) -> list[int]:
        cables = self.drawing.cables
        return [row for row in range(len(cables)) if switch in (int(cables.lower[row]), int(cables.upper[row]))]

    def _built_switches(self) -> list[int]:
        return sorted({int(self.drawing.cables.upper[row]) for row in self._built()})

    def _built(self) -> set[int]:
        """Rows of the cables that are there, cut ones included."""
        return set(range(len(self.drawing.cables))).difference(*map(self._cables_of, self.unbuilt))

    def _cables_of(self, unit: int) -> frozenset[int]:
        """The cables of its hosts and of its leaves, and with a whole pod those of its spines."""
        places, cables = self.drawing.places, self.drawing.cables
        pod = unit // TREE.pod_units
        alone = all(other in self.unbuilt for other in range(len(TREE.units)) if other // TREE.pod_units == pod)
        found = set()
        for row, lower in enumerate(cables.lower.tolist()):
            own = int(places.unit[lower]) == unit
            spine = int(places.level[lower]) == 1 and int(places.pod[lower]) == pod and alone
            if own or spine:
                found.add(row)
        return frozenset(found)


STEPS = (
    *(Churn._sweep,) * 6,
    *(Churn.remove_a_node,) * 3,
    *(Churn._bring_a_node_back,) * 2,
    *(Churn._cut_a_cable,) * 2,
    Churn._mend_a_cable,
    Churn._lose_a_switch,
    Churn._switch_comes_back,
    Churn._replace_a_switch,
    Churn._add_a_leaf_group,
    *(Churn._exchange_hosts,) * 2,
    Churn._lose_a_report,
)
