"""The story that the tests look at: gangs of 10 while units are added, nodes moved and switches replaced.

Which nodes are free decides where a gang can go: 10 of one unit, and 9 of each other one. So a gang that is placed
tells which nodes Volcano takes for one unit.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cli.demo.gangs import Job
from kube.types import HyperNode
from tests.cluster.control_plane import ControlPlane
from tests.cluster.volcano import Volcano
from tests.e2e.oracle import units_of_hosts
from tests.volcano.rig import Rig, raised

SCENES = (
    "as captured",
    "a unit is added",
    "a node is moved",
    "a switch is replaced",
    "the old switch is forgotten",
)


UNIT = re.compile(r"IBLEAF-\d+-(\d+)")
LEAF = 2
"""The tier of leaves in the default table."""
SIZE = 10
ADDED = tuple(f"c08-p1-dgx-09-c{number:02}" for number in range(1, SIZE + 1))
MOVED = "b07-p1-dgx-07-c03"


@dataclass(slots=True)
class Units:
    """Unit to its nodes, as the names of the leaves have it and as they were recabled since."""

    of: dict[str, set[str]]

    @classmethod
    def captured(cls, dump: Path) -> Units:
        """From the names in the dump."""
        found: dict[str, set[str]] = defaultdict(set)
        for host, unit in units_of_hosts(dump, "dgx", UNIT).items():
            found[unit].add(host)
        return cls(found)

    def move(self, node: str, old: str, new: str) -> None:
        """A node is in another unit."""
        self.of[old].remove(node)
        self.of[new].add(node)

    def free(self, unit: str = "", among: str = "") -> set[str]:
        """One less than a gang needs of every unit, but of this one as many, that node among them."""
        return {
            node
            for name, nodes in self.of.items()
            for node in sorted(nodes, key=lambda node: (node != among, node))[: SIZE if name == unit else SIZE - 1]
        }


@dataclass(slots=True)
class Told:
    """The whole story, once it is over."""

    plane: ControlPlane
    volcano: Volcano
    expected: dict[str, frozenset[str]] = field(default_factory=dict)
    """By scene the nodes that a gang must have got."""
    placed: dict[str, frozenset[str]] = field(default_factory=dict)
    units: dict[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    refusal: str = ""
    side_by_side: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    hyper_nodes: list[HyperNode] = field(default_factory=list)


async def tell(story: Told, dump: Path) -> None:
    units = Units.captured(dump)
    async with raised(story.plane, story.volcano, dump) as rig:
        await rig.sweep()
        await _nowhere(story, rig, units)
        await _scene("as captured", story, rig, units, "03")
        rig.site.dump.add_unit("C09-P1-IBLEAF-01-09", ADDED, rig.site.dump.described("IBSPINE"))
        units.of["09"] = set(ADDED)
        await rig.join()
        await rig.sweep()
        await _scene("a unit is added", story, rig, units, "09")
        rig.site.dump.move(MOVED, "06")
        for _ in range(3):
            await rig.sweep()
        units.move(MOVED, "07", "06")
        await _scene("a node is moved", story, rig, units, "06", MOVED)
        rig.site.replace_switch("IBLEAF-01-05:", "2c5eab0300ffe000")
        await rig.sweep()
        await _scene("a switch is replaced", story, rig, units, "05")
        for _ in range(3):
            await rig.sweep()
        await _scene("the old switch is forgotten", story, rig, units, "05")
        await _side_by_side(story, rig)
        story.hyper_nodes = await rig.hyper_nodes()


async def _nowhere(story: Told, rig: Rig, units: Units) -> None:
    job = Job("nowhere", SIZE, LEAF)
    await rig.only(units.free())
    await rig.submit(job)
    story.refusal = await rig.refused(job)
    story.placed[job.name] = frozenset(await rig.nodes_of(job))
    await rig.remove(job)


async def _scene(name: str, story: Told, rig: Rig, units: Units, unit: str, among: str = "") -> None:
    """A gang of 10 where 10 nodes of one unit are free, that node among them, and 9 of each other unit."""
    job = Job(name.replace(" ", "-"), SIZE, LEAF)
    free = units.free(unit, among)
    await rig.only(free)
    story.expected[name] = frozenset(free & units.of[unit])
    story.placed[name] = frozenset(await rig.place(job))
    story.units[name] = await rig.units()
    await rig.remove(job)


async def _side_by_side(story: Told, rig: Rig) -> None:
    """One gang for Volcano and one for us, at the same time."""
    await rig.only(rig.joined)
    jobs = (Job("theirs", SIZE, LEAF), Job("ours", SIZE, LEAF))
    async with asyncio.TaskGroup() as group:
        theirs, ours = (
            group.create_task(rig.place(job, scheduler))
            for job, scheduler in zip(jobs, ("volcano", "hyperscout"), strict=True)
        )
    story.side_by_side = (frozenset(theirs.result()), frozenset(ours.result()))
