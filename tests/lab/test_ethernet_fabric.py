"""From frames on real cables to the tree: lldpd and snmpd speak, agents and sweeps listen, the controller concludes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from controller.conclusion.memory import Memory
from controller.conclusion.standing import ASSUMED, LINKS
from controller.decide import Outcome, decide
from controller.settings import ControllerSettings
from controller.snapshot import Snapshot
from discovery.reports import SWEEPER_LABEL, NodeReport, SwitchReport
from kube.types import Node, NodeReportObject, SweepReportObject, SwitchReportObject
from tests.controller.looking import chains, members
from tests.controller.site import meta
from tests.discovery.lldp.building import END, chassis, frame, port, tlv, ttl
from tests.lab.fabric import Fabric, add_second_leaves, raise_fabric
from tests.lab.namespaces import laid
from tests.lab.seeing import node_reports, switch_reports, whole_sweep
from tests.lab.wire import sending

SWEPT = {"spine-01": 2, "leaf-01": 5, "leaf-02": 5}
"""The neighbours of each switch."""


@pytest.fixture(scope="module")
def fabric() -> Iterator[Fabric]:
    with laid() as lab:
        yield raise_fabric(lab)


def concluded(nodes: Mapping[str, NodeReport], switches: Mapping[str, SwitchReport]) -> Outcome:
    """What the controller makes of these reports, and of nothing else."""
    snapshot = Snapshot(
        nodes=tuple(Node(metadata=meta(name)) for name in sorted(nodes)),
        node_reports=tuple(
            NodeReportObject(metadata=meta(name), spec=report) for name, report in sorted(nodes.items())
        ),
        switch_reports=tuple(
            SwitchReportObject(metadata=meta(name, {SWEEPER_LABEL: "eth"}), spec=report)
            for name, report in sorted(switches.items())
        ),
        sweeps=(SweepReportObject(metadata=meta("eth"), spec=whole_sweep(switches.values(), len(nodes))),)
        if switches
        else (),
    )
    decision = decide(Memory(started=0.0), snapshot, 1000.0, ControllerSettings())
    assert decision.outcome is not None, decision.waiting
    return decision.outcome


LEAF_1, LEAF_2 = (tuple(f"gpu-{number:02}" for number in numbers) for numbers in (range(1, 5), range(5, 9)))


def domains(outcome: Outcome) -> set[tuple[str, ...]]:
    """The nodes of each lowest HyperNode."""
    return {found.members for found in outcome.desired if found.member_kind == "Node"}


def roots(outcome: Outcome) -> dict[str, bool]:
    """The HyperNodes at the top, and whether each is assumed."""
    tops = {chain[-1] for chain in chains(outcome).values()}
    return {found.name: (ASSUMED, "true") in found.annotations for found in outcome.desired if found.name in tops}


def deafened(nodes: Mapping[str, NodeReport]) -> dict[str, NodeReport]:
    """As if no host heard anybody."""
    return {
        name: replace(report, interfaces=tuple(replace(one, neighbours=()) for one in report.interfaces))
        for name, report in nodes.items()
    }


async def test_hosts_and_switches_together_tell_of_leaves_under_a_spine(fabric: Fabric) -> None:
    outcome = concluded(await node_reports(fabric), await switch_reports(fabric, SWEPT))
    assert members(outcome) == {
        "eth-leaf-leaf-01": LEAF_1,
        "eth-leaf-leaf-02": LEAF_2,
        "eth-spine-spine-01": ("eth-leaf-leaf-01", "eth-leaf-leaf-02"),
    }
    assert roots(outcome) == {"eth-spine-spine-01": False}
    assert links(outcome) == {"eth-leaf-leaf-01": "0/5", "eth-leaf-leaf-02": "0/5", "eth-spine-spine-01": "0/0"}
    assert outcome.notices == ()


def links(outcome: Outcome) -> dict[str, str]:
    """How many links of its own each HyperNode has, and how many of them are not well."""
    return {found.name: dict(found.annotations)[LINKS] for found in outcome.desired}


async def test_hosts_alone_tell_of_the_same_leaves_and_their_root_is_assumed(fabric: Fabric) -> None:
    outcome = concluded(await node_reports(fabric), {})
    assert members(outcome) == {
        "eth-leaf-leaf-01": LEAF_1,
        "eth-leaf-leaf-02": LEAF_2,
        "eth-spine-root": ("eth-leaf-leaf-01", "eth-leaf-leaf-02"),
    }
    assert roots(outcome) == {"eth-spine-root": True}


async def test_switches_alone_tell_where_hosts_are_that_hear_nobody(fabric: Fabric) -> None:
    outcome = concluded(deafened(await node_reports(fabric)), await switch_reports(fabric, SWEPT))
    assert domains(outcome) == {LEAF_1, LEAF_2}
    assert roots(outcome) == {"eth-spine-spine-01": False}


async def test_adapters_that_speak_beside_or_without_their_hosts_change_nothing(fabric: Fabric) -> None:
    """Of gpu-01 both its system and its adapter are heard, of gpu-02 its adapter alone; neither hears anybody."""
    nodes = deafened(await node_reports(fabric))
    for name in ("gpu-01", "gpu-02"):
        mac = bytes.fromhex(str(nodes[name].interfaces[0].mac).replace(":", ""))
        with sending(fabric.hosts[name], "eth0") as send:
            send(frame(chassis(4, mac), port(3, mac), ttl(3600), tlv(4, b"ConnectX-7"), END))
    fabric.daemons["gpu-02"].stop()
    switches = await switch_reports(fabric, SWEPT)
    outcome = concluded(nodes, switches)
    assert domains(outcome) == {LEAF_1, LEAF_2}
    assert roots(outcome) == {"eth-spine-spine-01": False}
    assert outcome.notices == ()


async def test_a_bond_to_two_leaves_is_one_domain_a_pair(fabric: Fabric) -> None:
    """The last test here: cables are added, and stay. gpu-02 is still silent, as the test before left it."""
    add_second_leaves(fabric)
    nodes = await node_reports(fabric, neighbours=2)
    assert {interface.bond for report in nodes.values() for interface in report.interfaces} == {"bond0"}
    switches = await switch_reports(fabric, SWEPT | {"spine-01": 4, "leaf-01b": 4, "leaf-02b": 5})
    swept, heard = concluded(nodes, switches), concluded(nodes, {})
    assert domains(swept) == domains(heard) == {LEAF_1, LEAF_2}
    assert list(roots(swept).values()) == [False]
    assert list(roots(heard).values()) == [True]
