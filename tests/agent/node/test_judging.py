"""The ports of a node over time: which stay, which are lost, and what a restart remembers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from agent.node.judging import GONE, Standing
from discovery.health import NEVER_UP, NOT_READABLE
from discovery.reports import DOWN, UNKNOWN, UNPROVISIONED, UP, NodeReport, Port
from tests.agent.node.node import BOOT, Node, verdicts
from tests.discovery.sysfs.adapters import adapter, bond, ethernet, nic

PULLED = {"state": "1: DOWN", "phys_state": "2: Polling"}
PLUGGED = {"state": "4: ACTIVE", "phys_state": "5: LinkUp"}


def guid(number: int) -> dict[str, str]:
    return {
        "node_guid": f"b83f:d203:00ab:{number:04x}",
        "ports__1__gids__0": f"fe80:0000:0000:0000:b83f:d203:00ab:{number:04x}",
    }


@pytest.fixture
def node() -> Node:
    """Two adapters, both up."""
    return Node(adapter("mlx5_0", **guid(0x10)) | adapter("mlx5_1", **guid(0x20)))


def reported(node: Node, boot_id: str = BOOT) -> NodeReport:
    """What its agent last said."""
    return NodeReport(ports=node.look(), bootId=boot_id, heartbeat=node.now)


def test_a_cable_that_is_pulled_is_down_after_three_looks_and_hides_no_other(node: Node) -> None:
    assert verdicts(node.look()) == {"mlx5_0": (UP, None), "mlx5_1": (UP, None)}
    node.set("mlx5_1", **PULLED)
    assert verdicts(node.look(2))["mlx5_1"] == (UP, None)
    assert verdicts(node.look()) == {"mlx5_0": (UP, None), "mlx5_1": (DOWN, "PhysicalLinkDown")}
    node.set("mlx5_1", **PLUGGED)
    assert verdicts(node.look())["mlx5_1"] == (UP, None)


def test_a_probe_that_hangs_keeps_every_port_and_its_verdict_for_a_while(node: Node) -> None:
    before = node.look(2)
    node.hangs = True
    assert node.look(2) == before
    after = node.look()
    assert verdicts(after) == {"mlx5_0": (UNKNOWN, NOT_READABLE), "mlx5_1": (UNKNOWN, NOT_READABLE)}
    assert [(port.portGuid, port.lastUp) for port in after] == [(port.portGuid, port.lastUp) for port in before]
    node.hangs = False
    assert node.look() == before


def test_a_device_that_is_lost_stays_in_the_report_and_is_down(node: Node) -> None:
    before = node.look()
    taken = node.remove("mlx5_1")
    assert verdicts(node.look(2))["mlx5_1"] == (UP, None)
    lost = node.look()[1]
    assert (lost.verdict, lost.reason, lost.portGuid, lost.state) == (DOWN, GONE, before[1].portGuid, None)
    node.files |= taken
    assert verdicts(node.look())["mlx5_1"] == (UP, None)


def test_a_device_under_another_name_is_the_same_port(node: Node) -> None:
    node.look()
    taken = node.remove("mlx5_1")
    node.files |= {path.replace("mlx5_1/", "ibp24s0/"): data for path, data in taken.items()}
    assert verdicts(node.look(4)) == {"mlx5_0": (UP, None), "ibp24s0": (UP, None)}


def rename(node: Node, device: str, name: str) -> None:
    taken = node.remove(device)
    node.files |= {path.replace(f"/{device}/", f"/{name}/"): data for path, data in taken.items()}


def told_by_guid(ports: Sequence[Port]) -> dict[str, tuple[str, str, str | None]]:
    return {str(port.portGuid)[-2:]: (port.device, port.verdict, port.reason) for port in ports}


@pytest.mark.parametrize("at_once", [True, False])
def test_a_device_that_is_lost_is_not_hidden_by_one_that_takes_its_name(node: Node, at_once: bool) -> None:
    node.look(3)
    node.remove("mlx5_0")
    node.look(0 if at_once else 1)
    rename(node, "mlx5_1", "mlx5_0")
    expected = {"10": ("mlx5_0", DOWN, GONE), "20": ("mlx5_0", UP, None)}
    assert told_by_guid(node.look(4)) == expected
    before = reported(node)
    again = Node(dict(node.files), now=node.now)
    again.look()
    again.standing = again.standing.recalling(before)
    assert told_by_guid(again.look(4)) == expected


def test_a_device_that_is_exchanged_is_forgotten(node: Node) -> None:
    node.look(3)
    node.files |= adapter("mlx5_0", **guid(0x30))
    assert told_by_guid(node.look(4)) == {"30": ("mlx5_0", UP, None), "20": ("mlx5_1", UP, None)}


def test_two_ports_with_one_guid_are_both_told() -> None:
    node = Node(adapter("mlx5_0", **guid(0x10)) | adapter("mlx5_1", **guid(0x10), ports__1__state="1: DOWN"))
    assert [port.device for port in node.look(3)] == ["mlx5_0", "mlx5_1"]
    assert verdicts(node.look())["mlx5_0"] == (UP, None)


def test_ports_that_become_a_bond_are_not_lost() -> None:
    node = Node(ethernet("mlx5_0", "eth0", **guid(1)) | ethernet("mlx5_1", "eth1", **guid(2)))
    assert set(verdicts(node.look())) == {"mlx5_0", "mlx5_1"}
    for device in ("mlx5_0", "mlx5_1"):
        node.remove(device)
    files = adapter(
        "mlx5_bond_0", **guid(1), ports__1__link_layer="Ethernet", ports__1__gid_attrs__ndevs__0="bond0",
        device__vendor="0x15b3", device__device="0xa2dc", device__net__eth0__mtu="1500",
    )  # fmt: skip
    node.files = files | nic("eth0") | nic("eth1") | bond("bond0", "eth0", "eth1")
    assert set(verdicts(node.look(4))) == {"mlx5_bond_0"}


def test_a_cable_that_died_before_a_restart_or_a_reboot_is_down_after_it(node: Node) -> None:
    node.look()
    node.set("mlx5_1", **PULLED)
    before = reported(node)
    for boot_id in (BOOT, "another"):
        again = Node(dict(node.files), boot_id=boot_id, now=node.now)
        assert again.look()[1].lastUp is None
        again.standing = again.standing.recalling(before)
        after = again.look(3)[1]
        assert (after.verdict, after.lastUp) == (DOWN, before.ports[1].lastUp)


def test_one_that_never_was_up_is_unprovisioned_also_after_a_restart(node: Node) -> None:
    node.set("mlx5_1", **PULLED)
    assert verdicts(node.look(3))["mlx5_1"] == (UNPROVISIONED, NEVER_UP)
    again = Node(dict(node.files), standing=Standing().recalling(reported(node)))
    assert verdicts(again.look(3))["mlx5_1"] == (UNPROVISIONED, NEVER_UP)


def test_a_device_that_was_lost_is_remembered_over_a_restart_and_forgotten_at_the_next_boot(node: Node) -> None:
    node.look()
    node.remove("mlx5_1")
    node.look(3)
    before = reported(node)
    for boot_id, expected in ((BOOT, {"mlx5_0", "mlx5_1"}), ("another", {"mlx5_0"})):
        again = Node(dict(node.files), boot_id=boot_id, now=node.now)
        again.look()
        again.standing = again.standing.recalling(before)
        assert set(verdicts(again.look())) == expected
