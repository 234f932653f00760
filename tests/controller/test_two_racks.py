"""Two NVL72 racks, from their driver to the HyperNodes: a stub of the driver, nvidia-ml-py, the probe, its verdicts
over time, the NodeReports, and what the controller concludes of them and of the InfiniBand that joins the racks.

Rack 1 is nodes 0 to 17; rack 2 is nodes 18, 19 and 21 to 36: 4 GPUs with 18 links a node, both with the clique 32766.
Nodes 20 and 37 are HGX boxes that say an all-zero UUID. One leaf group has nodes 0 to 20, the other the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from controller.decide import Outcome
from discovery.nvlink import Moment, Watch, keep_watch
from discovery.reports import FOUND
from tests.controller.looking import Looks, chains, condition
from tests.controller.site import TREE, Site
from tests.discovery.nvlink.stub import WELL, Asker, StubGpu, StubHost, StubLink, build
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

RACKS = ("0a0b0c0d-0000-4000-8000-000000000001", "0e0f0a0b-0000-4000-8000-000000000002")
CLIQUE = 32766
LINKS = (StubLink(),) * 18
HGX = StubHost([StubGpu(links=LINKS)] * 8)
NODES = tuple(f"node-000{number:02d}" for number in range(38))
UNITS = (21, 17)
"""Hosts of the two leaf groups."""
SICK = 5
"""This node of rack 1 gets an unhealthy GPU."""


def tray(rack: int) -> list[StubGpu]:
    """The GPUs of a compute tray, all well."""
    return [StubGpu(cluster=RACKS[rack], clique=CLIQUE, mask=WELL, summary=1, links=LINKS)] * 4


def sick_tray(rack: int) -> list[StubGpu]:
    """One of them has an unhealthy route."""
    one, two, three, four = tray(rack)
    return [one, two, replace(three, mask=WELL ^ 0b11 << 4, summary=2), four]


REGISTERING = [StubGpu(state=2, links=LINKS)] * 4


def placed() -> dict[str, int | None]:
    """By node its rack. Rack 1 and the first two nodes of rack 2 are cabled to the first leaf group."""
    racks: list[int | None] = [0] * 18 + [1, 1] + [None] + [1] * 16 + [None]
    return dict(zip(NODES, racks, strict=True))


RACK_OF = placed()
RACK_1 = tuple(node for node in NODES if RACK_OF[node] == 0)
RACK_2 = tuple(node for node in NODES if RACK_OF[node] == 1)
HGX_BOXES = tuple(node for node in NODES if RACK_OF[node] is None)


@dataclass(slots=True)
class Racks:
    """The racks under the controller."""

    asker: Asker
    folder: Path
    looks: Looks = field(default_factory=lambda: Looks(site=Site(drawing=draw_tree(site_tree()))))
    hosts: dict[str, StubHost] = field(default_factory=dict)
    watches: dict[str, Watch] = field(default_factory=dict)
    at: datetime = datetime(2026, 3, 1, 6, 0, tzinfo=UTC)

    def probe(self, nodes: Sequence[str] = NODES, times: int = 1) -> None:
        """Agents look at their GPUs, once a minute, and report."""
        told = dict(self.looks.site.nvlink)
        for _ in range(times):
            self.at += timedelta(minutes=1)
            for node in nodes:
                look = self.asker.look(self.hosts[node].write(self.folder / node))
                assert look.outcome == FOUND
                moment = Moment(self.at, f"boot of {node}")
                told[node], self.watches[node] = keep_watch(look.gpus, self.watches.get(node, Watch()), moment)
        self.looks.site.nvlink = told


def site_tree() -> Tree:
    """Two leaf groups under one spine layer."""
    return replace(TREE, units=tuple(Unit(hosts=hosts, adapters=2) for hosts in UNITS))


@pytest.fixture
def racks(tmp_path: Path) -> Iterator[Racks]:
    """All well and reported; nothing is written yet."""
    asker = Asker(build(tmp_path))
    found = Racks(asker, tmp_path)
    for node, rack in RACK_OF.items():
        found.hosts[node] = HGX if rack is None else StubHost(tray(rack))
    found.probe()
    yield found
    asker.close()


def racks_in(outcome: Outcome) -> list[tuple[str, ...]]:
    """The HyperNodes of the tier nvlink."""
    return sorted(document.members for document in outcome.desired if document.tier_name == "nvlink")


def test_two_racks_from_the_driver_to_hyper_nodes(racks: Racks) -> None:
    looks, hosts = racks.looks, racks.hosts
    first = looks.sweep_and_write()
    # the clique alone joins no racks, an all-zero UUID joins nobody
    assert racks_in(first) == sorted([RACK_1, RACK_2, *((node,) for node in HGX_BOXES)])
    # rack 2 stands whole under the leaf group with most of it, and that is told
    of = chains(first)
    assert {of[node][1] for node in RACK_2} == {of[NODES[25]][1]}
    assert of[NODES[0]][1] != of[NODES[25]][1]
    cabling = condition(first, of[RACK_2[0]][0], "CablingConsistent")
    assert cabling.status == "False"
    assert f"NVLink domain {RACKS[1]}.{CLIQUE} is placed under one leaf domain, but 2 of its nodes" in cabling.message

    # one unhealthy GPU: told at its node and its rack at the third look, and nobody moves
    node = RACK_1[SICK]
    hosts[node] = StubHost(sick_tray(0))
    racks.probe([node], times=2)
    assert looks.sweep_and_write().health.nodes[node].status == "True"
    racks.probe([node])
    sick = looks.sweep_and_write()
    assert chains(sick) == of
    fabric, rack = sick.health.nodes[node], condition(sick, of[node][0], "LinksHealthy")
    assert (fabric.status, fabric.reason) == ("False", "NvLinkUnhealthy")
    assert fabric.message == "NVLink: 1 of 4 GPUs unhealthy (GPU 2: unhealthy route); all 2 links up"
    assert (rack.status, rack.reason) == ("False", "NvLinkUnhealthy")
    assert condition(sick, of[node][0], "Ready").status == "True"
    assert [name for name, found in sick.health.nodes.items() if found.status != "True"] == [node]

    # a reboot: its GPUs register anew, and the sick one cannot tell
    rebooted = (node, *RACK_2[:3])
    for name in rebooted:
        hosts[name] = StubHost(REGISTERING)
    racks.probe(rebooted, times=3)
    assert looks.site.nvlink[node].state == "InProgress"
    rebooting = looks.sweep_and_write()
    assert chains(rebooting) == of
    assert rebooting.health.nodes[node].reason == "NvLinkUnhealthy"
    looks.restart(now=10.0)
    assert chains(looks.sweep_and_write(now=11.0)) == of

    # they are back, all well
    for name in rebooted:
        hosts[name] = StubHost(tray(RACK_OF[name] or 0))
    racks.probe(rebooted)
    back = looks.sweep_and_write(now=12.0)
    assert chains(back) == of
    assert {found.status for found in back.health.nodes.values()} == {"True"}
