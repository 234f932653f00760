"""What the kernel's messages mean, on messages packed by hand as its headers say."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator

import pytest

from discovery.netlink import Link, Links
from discovery.netlink.ethtool import Ethtool, symbol_errors, uncorrectable_blocks
from discovery.netlink.links import Modes
from discovery.netlink.modes import understand
from discovery.netlink.reading import Seen
from discovery.netlink.talking import GENERIC, Conversation
from discovery.source import Fixture
from tests.discovery.netlink import drawn
from tests.discovery.sysfs.adapters import nic

ITS_OWN, THE_BONDS = bytes.fromhex("0c42a1000001"), bytes.fromhex("0c42a1000099")
FIRST = 4_000_000
"""Numbers that no interface of this machine has: what drivers are asked of them has no answer."""


@pytest.fixture
def ethtool() -> Iterator[Ethtool]:
    """This machine's drivers."""
    with Conversation(GENERIC) as talk:
        yield Ethtool(talk)


def seen(ethtool: Ethtool, *dump: bytes, **files: bytes) -> Links:
    """What a look makes of drawn interfaces; eth0 to eth3 are NICs."""
    nics = nic("eth0") | nic("eth1") | nic("eth2") | nic("eth3")
    return Seen(Fixture(nics | {path.replace("__", "/"): data for path, data in files.items()}), ethtool).links(dump)


def test_a_member_of_a_bond_is_told_with_its_bond_and_its_own_address(ethtool: Ethtool) -> None:
    dump = [
        drawn.bond(FIRST, "bond0"),
        drawn.member(FIRST + 1, "eth0", FIRST, THE_BONDS, ITS_OWN),
        drawn.member(FIRST + 2, "eth1", FIRST, THE_BONDS, THE_BONDS),
    ]
    links = seen(ethtool, *dump)
    assert [(link.name, link.bond, link.mac) for link in links] == [
        ("eth0", "bond0", "0c:42:a1:00:00:01"), ("eth1", "bond0", "0c:42:a1:00:00:99"),
    ]  # fmt: skip
    assert links.others == set(), "what sysfs does not show (yet) is looked at again"
    assert seen(ethtool, *dump, class__net__bond0__mtu=b"1500").others == {FIRST}, "the bond itself has no cable"


def test_a_port_of_a_bridge_is_a_member_of_no_bond(ethtool: Ethtool) -> None:
    bridge = drawn.link(FIRST, "br0", drawn.nested(drawn.LINKINFO, drawn.attribute(1, b"bridge\0")))
    port = drawn.link(FIRST + 1, "eth0", drawn.attribute(drawn.MASTER, struct.pack("=I", FIRST)))
    assert [(link.name, link.bond) for link in seen(ethtool, bridge, port)] == [("eth0", None)]


def test_the_permanent_address_counts_before_one_that_somebody_set(ethtool: Ethtool) -> None:
    addresses = drawn.attribute(drawn.ADDRESS, THE_BONDS), drawn.attribute(drawn.PERM_ADDRESS, ITS_OWN)
    assert seen(ethtool, drawn.link(FIRST, "eth0", *addresses)).by_name["eth0"].mac == "0c:42:a1:00:00:01"
    nothing = drawn.link(FIRST, "eth0", drawn.attribute(drawn.ADDRESS, bytes(6)))
    assert seen(ethtool, nothing).by_name["eth0"].mac is None


def test_carrier_and_its_losses_are_told_and_unknown_while_the_interface_is_switched_off(ethtool: Ethtool) -> None:
    counts = [
        drawn.attribute(drawn.CARRIER, b"\1"), drawn.attribute(drawn.CHANGES, struct.pack("=I", 9)),
        drawn.attribute(drawn.DOWN_COUNT, struct.pack("=I", 4)),
    ]  # fmt: skip
    links = seen(ethtool, drawn.link(FIRST, "eth0", *counts), drawn.link(FIRST + 1, "eth1", *counts, flags=0))
    up, off = links.by_name["eth0"], links.by_name["eth1"]
    assert (up.up, up.carrier, up.carrier_changes, up.carrier_down_count) == (True, True, 9, 4)
    assert (off.up, off.carrier) == (False, None)
    assert up.counters.link_downed == 4


def test_interfaces_of_ipoib_and_those_without_a_device_have_no_ethernet_cable(ethtool: Ethtool) -> None:
    ipoib = struct.pack("=BxHiII", 0, 32, FIRST, 1, 0) + drawn.attribute(drawn.IFNAME, b"eth0\0")
    links = seen(ethtool, drawn.message(drawn.NEWLINK, ipoib), drawn.link(FIRST + 1, "veth7"))
    assert not len(links)
    assert links.others == {FIRST}


def test_messages_cut_anywhere_or_overwritten_cost_their_own_interface_at_most(ethtool: Ethtool) -> None:
    whole = drawn.member(FIRST + 1, "eth0", FIRST, THE_BONDS, ITS_OWN)
    other = drawn.link(FIRST + 2, "eth1", drawn.attribute(drawn.CARRIER, b"\1"))
    dice = random.Random(7)
    for cut in range(0, len(whole), 3):
        spoilt = bytearray(whole)
        for _ in range(3):
            spoilt[dice.randrange(20, len(spoilt))] = dice.randrange(256)
        for bad in (whole[:cut], bytes(spoilt)):
            assert "eth1" in seen(ethtool, bad, other).by_name


MODES = ["Autoneg", "FIBRE", "25000baseCR/Full", "100000baseCR4/Full", "100000baseCR2/Full", "200000baseCR4/Full"]


@pytest.mark.parametrize(
    ("names", "speed", "told", "lanes", "pam4"),
    [
        (MODES, 200_000, None, 4, True),
        (MODES, 25_000, None, 1, False),
        (MODES, 100_000, None, None, False),
        (MODES, 100_000, 2, 2, True),
        ([], 800_000, None, None, True),
        (["400000baseLR4_ER4_FR4/Full", "1000baseT/Half"], 400_000, None, 4, True),
    ],
)
def test_speeds_and_lanes_are_those_of_the_modes(
    names: list[str], speed: int, told: int | None, lanes: int | None, pam4: bool
) -> None:
    modes = understand(drawn.link_modes(names, speed, told))
    assert (modes.speed, modes.lanes, modes.pam4) == (speed, lanes, pam4)


def test_the_speeds_that_an_interface_could_have_are_told_rising_and_once() -> None:
    assert understand(drawn.link_modes(MODES, 25_000)).supported == (25_000, 100_000, 200_000)


@pytest.mark.parametrize("speed", [0, 2**32 - 1])
def test_a_speed_that_the_driver_does_not_know_is_unknown(speed: int) -> None:
    assert understand(drawn.link_modes(MODES, speed)) == Modes(supported=(25_000, 100_000, 200_000))


def test_errors_are_those_that_no_correction_repaired() -> None:
    assert symbol_errors(drawn.phy_statistics(42)) == 42
    assert symbol_errors(drawn.phy_statistics(None)) is None
    assert uncorrectable_blocks(drawn.fec_statistics(7, 3, 4)) == 7
    assert uncorrectable_blocks(drawn.fec_statistics()) is None


def test_links_are_in_the_order_of_their_numbers(ethtool: Ethtool) -> None:
    nics = nic("eth2") | nic("eth10")
    dump = [drawn.link(FIRST, "eth10"), drawn.link(FIRST + 1, "eth2")]
    assert [link.name for link in Seen(Fixture(nics), ethtool).links(dump)] == ["eth2", "eth10"]
    assert isinstance(Seen(Fixture(nics), ethtool).links(dump).by_name["eth2"], Link)
