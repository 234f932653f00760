"""The interfaces as a sysfs alone shows them, drawn and real."""

from __future__ import annotations

from pathlib import Path

from discovery.netlink import Link, Links, read_links, read_recorded_links
from discovery.netlink.links import Modes
from discovery.reports import ABSENT, FAILED
from discovery.samples import Counters
from discovery.source import Fixture, Tree
from tests.discovery.sysfs.adapters import bond, nic

TOLD = {
    "type": "1", "ifindex": "4", "address": "0c:42:a1:00:00:99", "carrier": "1", "carrier_changes": "6",
    "carrier_down_count": "3", "speed": "200000", "flags": "0x1003",
}  # fmt: skip


def read(files: dict[str, bytes]) -> Links:
    """What one look finds."""
    links = read_recorded_links(Fixture(files)).found
    assert links is not None
    return links


def test_a_member_of_a_bond_is_told_with_all_that_sysfs_shows() -> None:
    files = nic("eth1", **TOLD, bonding_slave__perm_hwaddr="0c:42:a1:00:00:01") | bond("bond0", "eth0", "eth1")
    assert read(files).by_name == {
        "eth1": Link(
            name="eth1", ifindex=4, mac="0c:42:a1:00:00:01", up=True, carrier=True, carrier_changes=6,
            carrier_down_count=3, bond="bond0", modes=Modes(speed=200_000), counters=Counters(link_downed=3),
        )
    }  # fmt: skip


def test_what_is_missing_or_says_nothing_is_unknown() -> None:
    files = nic("eth0") | nic("eth1", **TOLD | {"carrier": "", "speed": "-1", "flags": "up", "ifindex": "x"})
    eth0, eth1 = read(files)
    assert (eth0.mac, eth0.up, eth0.carrier, eth0.speed, eth0.carrier_down_count) == (None, None, None, None, None)
    assert (eth1.mac, eth1.up, eth1.carrier, eth1.speed) == ("0c:42:a1:00:00:99", None, None, None)


def test_only_ethernet_with_a_cable_counts() -> None:
    files = nic("ib0", **TOLD | {"type": "32"}) | {"class/net/veth0/type": b"1\n"} | nic("vf0", device__physfn__x="")
    assert read_recorded_links(Fixture(files)).outcome == ABSENT
    assert read_recorded_links(Fixture()).outcome == FAILED


def test_this_machine_reads_the_same_over_netlink_and_from_its_sysfs() -> None:
    sys = Tree(Path("/sys"))
    asked, read_only = read_links(sys).found or Links(), read_recorded_links(sys).found or Links()
    assert [(link.name, link.ifindex, link.mac, link.carrier, link.carrier_down_count) for link in asked] == [
        (link.name, link.ifindex, link.mac, link.carrier, link.carrier_down_count) for link in read_only
    ]
