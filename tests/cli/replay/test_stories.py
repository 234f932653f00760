"""Every recording below fixtures/ is replayed, and its story holds: facts by hand, from what was drawn."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from cli.replay.comparing import differences
from cli.replay.document import NodeCounts, ReplayDocument, replay_document
from cli.replay.playing import Play
from discovery.recording.layout import EXPECTED
from discovery.recording.reading import read_recording
from tests.sites.__main__ import FIXTURES
from tests.sites.stories import STORIES

FIRST, SECOND = (tuple(f"gpu-{number:05d}" for number in some) for some in (range(4), range(4, 8)))
RACKS = tuple(tuple(f"rack{rack}-tray{tray:02d}" for tray in range(1, 19)) for rack in (1, 2))


@cache
def replayed(name: str) -> ReplayDocument:
    play = Play(read_recording(FIXTURES / name))
    play.run()
    return replay_document(play)


def domains(document: ReplayDocument, tier_name: str) -> set[tuple[str, ...]]:
    """The members of all HyperNodes of a tier."""
    return {row.members for row in document.hyper_nodes.values() if row.tier_name == tier_name}


def unwell(document: ReplayDocument) -> dict[tuple[str, ...], list[str]]:
    """By its members every HyperNode with a condition that is not True, and which."""
    found = {
        row.members: [kind for kind, said in row.conditions.items() if not said.startswith("True")]
        for row in document.hyper_nodes.values()
    }
    return {members: kinds for members, kinds in found.items() if kinds}


def ports(document: ReplayDocument) -> dict[str, Mapping[str, str]]:
    """By node its ports that are not Up."""
    return {name: row.ports for name, row in document.nodes.items() if row.ports}


def unhealthy(document: ReplayDocument) -> set[str]:
    """Nodes whose fabric is not healthy."""
    return {name for name, row in document.nodes.items() if not row.fabric_healthy.startswith("True")}


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_what_is_concluded_is_what_the_folder_expects(story: object) -> None:
    name = getattr(story, "name", "")
    assert differences((FIXTURES / name / EXPECTED).read_bytes(), replayed(name)) == []


@pytest.mark.parametrize("name", [story.name for story in STORIES if "rack" not in story.tells])
def test_whatever_happens_no_node_leaves_its_place(name: str) -> None:
    document = replayed(name)
    assert {row.placed for row in document.nodes.values()} == {"InHyperNode"}
    if name != "rail-only":
        assert domains(document, "leaf") == {FIRST, SECOND}
        assert len(domains(document, "spine")) == 1


@pytest.mark.parametrize("name", ["clean", "compute-and-storage", "rail-only", "roce-hosts-only"])
def test_a_site_in_order_has_no_fault_and_no_event(name: str) -> None:
    document = replayed(name)
    assert (unwell(document), ports(document), unhealthy(document), document.events) == ({}, {}, set(), ())
    assert [told for told in document.anomalies if not told.startswith("info")] == []


def test_exchanged_rails_are_named_and_only_the_cabling_is_at_fault() -> None:
    document = replayed("rail-swap")
    (anomaly,) = document.anomalies
    assert anomaly.startswith("error swapped-rails: gpu-00002 ")
    assert "mlx5_1" in anomaly
    assert "mlx5_2" in anomaly
    assert unwell(document) == {FIRST: ["CablingConsistent"]}
    assert unhealthy(document) == set()


def test_a_dying_cable_is_degraded_then_down_and_stays_so_over_a_reboot_and_is_told_once() -> None:
    document = replayed("dying-cable")
    assert ports(document) == {"gpu-00005": {"mlx5_2/1": "Down PhysicalLinkDown"}}
    assert unwell(document) == {SECOND: ["LinksHealthy"]}
    assert unhealthy(document) == {"gpu-00005"}
    first = [event.split()[1:4] for event in document.events]
    assert sorted(first) == [
        ["Warning", next(f"HyperNode/{n}" for n, row in document.hyper_nodes.items() if row.members == SECOND),
         "LinksDegraded:"],
        ["Warning", "Node/gpu-00005", "LinksDegraded:"],
    ]  # fmt: skip
    assert all("01:00:00" <= event[:8] <= "01:15:00" for event in document.events)


def test_optics_that_flap_ten_times_are_one_event_each_way() -> None:
    document = replayed("flapping-optics")
    assert [event.split()[3] for event in document.events] == ["LinksFlapping:", "AllLinksUp:"]
    began, ended = (event[:8] for event in document.events)
    assert "00:25:00" <= began <= "00:35:00"
    assert ended >= "01:30:00"
    assert unwell(document) == {}


def test_planned_reboots_are_no_flaps_and_no_events() -> None:
    document = replayed("planned-reboots")
    assert document.events == ()
    assert (unwell(document), ports(document), unhealthy(document)) == ({}, {}, set())


def test_a_partial_sweep_takes_nothing_away_and_hides_no_loss_elsewhere() -> None:
    document = replayed("partial-sweep")
    outcomes = [told.partition(";")[0] for told in document.sweeps]
    assert outcomes == ["00:00:00 ib Complete", "00:05:00 ib Complete", "00:10:00 ib Partial", "00:15:00 ib Complete"]
    assert "it counts as it was last seen" in document.sweeps[1]
    assert "ibnetdiscover: the sweep was cut off; " in document.sweeps[2]
    assert ports(document) == {"gpu-00006": {"mlx5_0/1": "Down PhysicalLinkDown"}}
    assert unhealthy(document) == {"gpu-00006"}
    assert {row.links for row in document.hyper_nodes.values() if row.members == FIRST} == {"0/24"}


def test_a_subnet_manager_that_fails_over_is_one_event() -> None:
    document = replayed("subnet-manager-away")
    (event,) = document.events
    assert "WaitingForSubnetManager" in event
    assert (unwell(document), ports(document), unhealthy(document)) == ({}, {}, set())


def test_a_bond_that_lost_a_leg_is_degraded_and_its_pair_of_leaves_is_one_domain() -> None:
    document = replayed("roce-mlag")
    assert ports(document) == {"gpu-00003": {"mlx5_bond_0/1": "Degraded BondLegDown"}}
    assert unwell(document) == {FIRST: ["LinksHealthy"]}
    assert unhealthy(document) == {"gpu-00003"}
    assert document.anomalies == ()
    assert len(document.events) == 2


def test_without_access_to_switches_the_root_is_assumed() -> None:
    document = replayed("roce-hosts-only")
    assert {row.tier_name for row in document.hyper_nodes.values() if row.assumed} == {"spine"}


def test_an_unhealthy_gpu_moves_nobody_and_a_registration_anew_changes_nothing() -> None:
    document = replayed("nvl72-unhealthy-gpu")
    assert domains(document, "nvlink") == set(RACKS)
    assert len(domains(document, "leaf")) == 2
    assert unhealthy(document) == {"rack2-tray07"}
    assert unwell(document) == {RACKS[1]: ["LinksHealthy"]}
    assert len(document.events) == 2
    assert all("1 of 4 GPUs unhealthy (GPU 2" in event for event in document.events)


def test_the_compute_fabric_makes_the_tree_and_storage_servers_are_no_nodes() -> None:
    document = replayed("compute-and-storage")
    assert set(document.nodes) == {*FIRST, *SECOND}
    assert [told.split(":")[0] for told in document.anomalies] == ["info unclaimed-host"]


def test_rails_that_never_meet_are_one_leaf_domain() -> None:
    document = replayed("rail-only")
    assert domains(document, "leaf") == {tuple(f"gpu-{number:05d}" for number in range(16))}


DRAWN = {
    "clean": NodeCounts({"Up": 4}, 0, 0),
    "compute-and-storage": NodeCounts({"Up": 4 + 2}, 0, 0),
    "dying-cable": NodeCounts({"Up": 4}, 0, 0),
    "flapping-optics": NodeCounts({"Up": 4}, 0, 0),
    "nvl72-unhealthy-gpu": NodeCounts({"Up": 2}, 0, 0),
    "partial-sweep": NodeCounts({"Up": 4}, 0, 0),
    "planned-reboots": NodeCounts({"Up": 4}, 0, 0),
    "rail-only": NodeCounts({"Up": 4}, 0, 0),
    "rail-swap": NodeCounts({"Up": 4}, 0, 0),
    "roce-hosts-only": NodeCounts({"Up": 4}, 4, 4),
    "roce-mlag": NodeCounts({"Up": 1}, 2, 2),
    "subnet-manager-away": NodeCounts({"Up": 4}, 0, 0),
}
"""What every host of a site is drawn with."""
HURT = {
    ("dying-cable", "gpu-00005"): NodeCounts({"Down": 1, "Up": 3}, 0, 0),
    ("partial-sweep", "gpu-00006"): NodeCounts({"Down": 1, "Up": 3}, 0, 0),
    ("roce-mlag", "gpu-00003"): NodeCounts({"Degraded": 1}, 2, 1),
}
"""What is left of it at the end of the story, where that is something else."""


@pytest.mark.parametrize("name", [story.name for story in STORIES])
def test_of_every_host_as_much_is_known_as_is_drawn(name: str) -> None:
    found = {node: row.counts for node, row in replayed(name).nodes.items()}
    assert found == {node: HURT.get((name, node), DRAWN[name]) for node in found}


@pytest.mark.parametrize(
    ("name", "file"),
    [*((story.name, "host.txt") for story in STORIES), ("roce-mlag", "lldp.json"), ("roce-hosts-only", "lldp.json")],
)
def test_a_site_whose_evidence_is_gone_is_not_as_expected(name: str, file: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    shutil.copytree(FIXTURES / name, folder)
    for path in folder.rglob(file):
        path.write_bytes(b"")
    play = Play(read_recording(folder))
    play.run()
    assert differences((folder / EXPECTED).read_bytes(), replay_document(play)) != []
