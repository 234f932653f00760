"""The interfaces of real namespaces, asked of the real kernel; a drawn sysfs says which of them are NICs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from discovery.netlink import Links, link_samples, private, read_links, talking
from discovery.probing import Probed
from discovery.reports import ABSENT, FAILED, FOUND
from discovery.source import Fixture, Tree
from tests.discovery.sysfs.adapters import nic
from tests.lab.namespaces import Machine, laid

NICS = Fixture(nic("eth0") | nic("eth1"))
WITHOUT_NICS = Fixture({f"class/net/{name}/mtu": b"1500" for name in ("lo", "eth0", "eth1")})
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MASTERS = ["bridge", *(["bond"] if Path("/sys/module/bonding").exists() else [])]
"""Kernels of small machines have no bonds; `test_understanding` has the messages."""


@pytest.fixture(scope="module")
def cabled() -> Iterator[tuple[Machine, Machine]]:
    """A host with two NICs on a switch."""
    with laid() as lab:
        host, leaf = lab.machine("host"), lab.machine("leaf")
        lab.cable((host, "eth0"), (leaf, "swp1"))
        lab.cable((host, "eth1"), (leaf, "swp2"))
        yield host, leaf


def look(host: Machine, before: Links | None = None) -> Probed[Links]:
    """One look from inside."""
    with host.entered():
        return read_links(NICS, before)


def found(host: Machine, before: Links | None = None) -> Links:
    """What it finds."""
    probed = look(host, before)
    assert (probed.name, probed.outcome, probed.reason) == ("netlink", FOUND, None)
    assert probed.found is not None
    return probed.found


def shown(host: Machine, name: str, file: str) -> str:
    """What the kernel's own sysfs of the namespace says."""
    return host.run("cat", f"/sys/class/net/{name}/{file}").strip()


def test_interfaces_are_told_as_the_kernels_own_sysfs_tells_them(cabled: tuple[Machine, Machine]) -> None:
    host, _ = cabled
    links = found(host)
    assert list(links.by_name) == ["eth0", "eth1"]
    for link in links:
        assert link.mac == shown(host, link.name, "address")
        assert str(link.ifindex) == shown(host, link.name, "ifindex")
        assert (link.up, link.carrier) == (True, shown(host, link.name, "carrier") == "1")
        assert str(link.carrier_down_count) == shown(host, link.name, "carrier_down_count")
        assert str(link.speed) == shown(host, link.name, "speed")


def test_a_far_end_that_is_switched_off_takes_the_carrier_and_is_counted(cabled: tuple[Machine, Machine]) -> None:
    host, leaf = cabled
    before = found(host)
    leaf.run("ip", "link", "set", "swp1", "down")
    down = found(host, before)
    eth0 = down.by_name["eth0"]
    assert (eth0.up, eth0.carrier, eth0.speed) == (True, False, None)
    assert eth0.counters.link_downed == (before.by_name["eth0"].counters.link_downed or 0) + 1
    assert down.by_name["eth1"].carrier is True
    samples = link_samples(down, NOON, "boot")
    assert (samples["eth0"].link, samples["eth0"].reason) == ("Down", "NoCarrier")
    assert (samples["eth1"].link, samples["eth1"].reason, samples["eth1"].at) == ("Up", None, NOON)
    assert samples["eth1"].incarnation == f"boot/{before.by_name['eth1'].ifindex}"
    host.run("ip", "link", "set", "eth1", "down")
    off = link_samples(found(host, down), NOON, None)["eth1"]
    assert (off.link, off.reason) == ("Down", "PortDisabled")
    host.run("ip", "link", "set", "eth1", "up")
    leaf.run("ip", "link", "set", "swp1", "up")
    again = found(host, down)
    assert (again.by_name["eth0"].carrier, again.by_name["eth0"].speed) == (True, before.by_name["eth0"].speed)


@pytest.mark.parametrize("kind", MASTERS)
def test_only_a_bond_makes_a_member_of_a_bond(cabled: tuple[Machine, Machine], kind: str) -> None:
    host, _ = cabled
    own = shown(host, "eth1", "address")
    host.run("ip", "link", "add", "master0", "address", "02:00:00:00:77:77", "type", kind)
    try:
        host.run("ip", "link", "set", "eth1", "down")
        host.run("ip", "link", "set", "eth1", "master", "master0")
        host.run("ip", "link", "set", "eth1", "up")
        eth1 = found(host).by_name["eth1"]
        assert (eth1.bond, eth1.mac) == ("master0" if kind == "bond" else None, own)
    finally:
        host.run("ip", "link", "del", "master0")
        host.run("ip", "link", "set", "eth1", "up")


def test_what_no_cable_goes_into_is_understood_once_and_a_renamed_nic_is_found(
    cabled: tuple[Machine, Machine],
) -> None:
    host, _ = cabled
    with host.entered():
        sysfs = Fixture(nic("eth0") | nic("eth1") | {"class/net/lo/mtu": b"65536\n"})
        first = read_links(sysfs).found
    assert first is not None
    assert first.others == {1}, "the loopback"
    host.run("ip", "link", "set", "eth1", "name", "was1")
    try:
        between = found(host, first)
        assert list(between.by_name) == ["eth0"]
        assert between.others == {1}
    finally:
        host.run("ip", "link", "set", "was1", "name", "eth1")
    assert list(found(host, between).by_name) == ["eth0", "eth1"]


def test_statistics_that_a_driver_names_itself_are_read_by_their_names(cabled: tuple[Machine, Machine]) -> None:
    """A veth tells the number of its other end so."""
    host, leaf = cabled
    with host.entered():
        names = private.names_of("eth0")
        values = private.values_of("eth0", len(names))
        assert private.values_of("eth0", len(names) + 1) == [], "a list that has changed is not read"
        assert not private.names_of("nothing")
        assert not private.values_of("nothing", 1)
        assert private.find("eth0") is None, "it counts none of the errors that are wanted"
    assert str(values[names.index("peer_ifindex")]) == shown(leaf, "swp1", "ifindex")


def test_a_namespace_without_nics_is_absent_and_this_machine_reads_as_its_sysfs(
    cabled: tuple[Machine, Machine],
) -> None:
    host, _ = cabled
    with host.entered():
        assert read_links(WITHOUT_NICS).outcome == ABSENT
    real = Path("/sys/class/net")
    ours = {name for name in os.listdir(real) if (real / name / "device").exists()}
    assert {link.name for link in read_links(Tree(Path("/sys"))).found or ()} == ours


@pytest.mark.parametrize("kind", ["no sysfs", "file", "pipe", "loop"])
def test_without_a_list_of_interfaces_the_probe_has_failed(
    cabled: tuple[Machine, Machine], tmp_path: Path, kind: str
) -> None:
    host, _ = cabled
    at = tmp_path / "class/net"
    if kind != "no sysfs":
        at.parent.mkdir()
    if kind == "file":
        at.write_bytes(b"")
    elif kind == "pipe":
        os.mkfifo(at)
    elif kind == "loop":
        at.symlink_to(at)
    before = found(host)
    with host.entered():
        probed, later = read_links(Tree(tmp_path)), read_links(Tree(tmp_path), before)
    assert probed.outcome == FAILED
    assert (probed.reason or "").startswith("cannot tell which interfaces have a cable: ")
    assert later.outcome == FOUND, "what was known to have a cable has it still"
    assert [link.name for link in later.found or ()] == ["eth0", "eth1"]
    assert later.reason is None


def test_a_nic_that_comes_while_there_is_no_list_of_interfaces_is_told(cabled: tuple[Machine, Machine]) -> None:
    host, _ = cabled
    with host.entered():
        before = read_links(Fixture(nic("eth0") | {"class/net/lo/mtu": b"65536"})).found
        probed = read_links(Fixture(), before)
    assert probed.found is not None
    assert [link.name for link in probed.found] == ["eth0"]
    assert (probed.reason or "").startswith("cannot tell which interfaces have a cable: ")


def test_a_kernel_that_refuses_is_a_failed_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talking, "ROUTE", 31)
    monkeypatch.setattr("discovery.netlink.reading.ROUTE", 31)
    probed = read_links(NICS)
    assert probed.outcome == FAILED
    assert (probed.reason or "").startswith("cannot ask the kernel for its interfaces")
