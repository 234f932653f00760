"""RoCE ports on a bond: legs that lose their carrier, that are nowhere any more, and what their counters say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from discovery.netlink import Link
from discovery.reports import DEGRADED, DOWN, FLAPPING, UP
from discovery.samples import Counters
from tests.agent.node.node import Node, verdicts
from tests.discovery.sysfs.adapters import adapter, bond, nic

LEGS = {"eth0": 3, "eth1": 7}
"""By interface, how often it had lost its carrier before."""
DEVICE = adapter(
    "mlx5_bond_0", ports__1__link_layer="Ethernet", ports__1__gid_attrs__ndevs__0="bond0",
    device__vendor="0x15b3", device__device="0xa2dc", device__net__eth0__mtu="1500",
)  # fmt: skip
BOTH = DEVICE | nic("eth0") | nic("eth1") | bond("bond0", "eth0", "eth1")
ONE = DEVICE | nic("eth0") | bond("bond0", "eth0")


def leg(name: str, losses: int) -> Link:
    counters = Counters(link_downed=losses, symbol_errors=0)
    return Link(name=name, ifindex=2 + list(LEGS).index(name), up=True, carrier=True, counters=counters)


def links(*names: str, **more: int) -> tuple[Link, ...]:
    return tuple(leg(name, LEGS[name] + more.get(name, 0)) for name in names)


@pytest.fixture
def node() -> Node:
    """Watched for longer than a boot is quiet."""
    node = Node(dict(BOTH), links("eth0", "eth1"))
    node.look(100)
    return node


def verdict(node: Node, looks: int = 1) -> tuple[str, str | None]:
    return verdicts(node.look(looks))["mlx5_bond_0"]


def test_a_bond_with_one_leg_down_is_degraded_and_with_none_left_down(node: Node) -> None:
    node.pull("eth1")
    assert verdict(node, 3) == (DEGRADED, "BondLegDown")
    node.pull("eth0", "eth1")
    assert verdict(node, 3) == (DOWN, "NoCarrier")


@pytest.mark.parametrize("sysfs", [BOTH, ONE])
def test_a_leg_that_one_list_of_interfaces_lacks_is_nothing(node: Node, sysfs: dict[str, bytes]) -> None:
    for _ in range(6):
        node.links, node.files = links("eth0"), dict(sysfs)
        assert verdict(node) == (UP, None)
        node.links, node.files = links("eth0", "eth1"), dict(BOTH)
        assert verdict(node, 5) == (UP, None)


@pytest.mark.parametrize("sysfs", [BOTH, ONE])
def test_a_leg_that_is_nowhere_any_more_is_down_until_it_is_back(node: Node, sysfs: dict[str, bytes]) -> None:
    node.links, node.files = links("eth0"), dict(sysfs)
    assert verdict(node, 4) == (DEGRADED, "BondLegDown")
    assert verdict(node, 500) == (DEGRADED, "BondLegDown")
    node.links, node.files = links("eth0", "eth1"), dict(BOTH)
    assert verdict(node, 10) == (UP, None)


def test_a_leg_that_is_taken_out_of_the_bond_or_comes_under_another_name_is_not_missed(node: Node) -> None:
    node.files = ONE | nic("eth1")
    assert verdict(node, 10) == (UP, None)
    node.files = dict(BOTH)
    assert verdict(node, 10) == (UP, None)
    node.files = DEVICE | nic("eth0") | nic("ens1") | bond("bond0", "eth0", "ens1")
    node.links = (*links("eth0"), replace(leg("eth1", 7), name="ens1"))
    assert verdict(node, 10) == (UP, None)


def test_every_leg_flaps_by_itself(node: Node) -> None:
    node.links = links("eth0", "eth1", eth0=1, eth1=1)
    assert verdict(node) == (UP, None)
    node.links = links("eth1", eth0=1, eth1=1)
    node.look()
    node.links = links("eth0", "eth1", eth0=2, eth1=1)
    assert verdict(node) == (FLAPPING, "LinkFlapping")


def test_a_look_at_the_interfaces_that_fails_or_a_counter_that_cannot_be_read_is_no_rise(node: Node) -> None:
    for _ in range(4):
        node.links = ()
        node.look()
        node.links = (leg("eth0", 3), replace(leg("eth1", 7), counters=Counters()))
        node.look()
        node.links = links("eth0", "eth1")
        assert verdict(node, 3) == (UP, None)
