"""The members of a bond as ports of one device: which port each is, and how it is."""

from __future__ import annotations

import pytest

from discovery.ethernet import read_attached
from discovery.ethernet.attachments import PortWord, words_of_ports
from discovery.reports import DEGRADED, DOWN, UP, Interface, NodeReport, Port
from tests.discovery.ethernet.evidence import guid_of, mac


def bond(*legs: str, dark: str = "", verdict: str = UP, reason: str | None = None) -> NodeReport:
    """One of an adapter with two ports; its members have the bond's MAC."""
    port = Port(device="mlx5_bond_0", port=1, nodeGuid=guid_of(1), linkLayer="Ethernet", verdict=verdict, reason=reason)
    interfaces = (
        Interface(name=leg, mac=mac(1), carrier=leg != dark, bond="bond0", rdmaDevice="mlx5_bond_0") for leg in legs
    )
    return NodeReport(ports=(port,), interfaces=tuple(interfaces))


def numbers(report: NodeReport) -> dict[str, int]:
    return {end.interface: end.port for end in read_attached("n1", report).ends}


def words(report: NodeReport) -> dict[int, PortWord]:
    return {word.port: word for _, word in words_of_ports(report)}


@pytest.mark.parametrize(
    "legs", [("eth0", "eth1"), ("enp26s0f0np0", "enp26s0f1np1"), ("eth2", "eth3"), ("eth9", "eth10")]
)
def test_a_member_is_the_port_that_it_is_whoever_else_is_reported(legs: tuple[str, str]) -> None:
    both = numbers(bond(*legs))
    assert len(set(both.values())) == 2
    assert [numbers(bond(leg)) for leg in legs] == [{leg: both[leg]} for leg in legs]


def test_the_ports_of_an_adapter_are_counted_as_they_are_written_on_it() -> None:
    assert numbers(bond("enp26s0f1np1", "enp26s0f0np0")) == {"enp26s0f0np0": 1, "enp26s0f1np1": 2}


@pytest.mark.parametrize("legs", [("left", "right"), ("ens1np0", "ens2np0"), ("p", "p0"), ("eth123456", "eth1")])
def test_members_whose_names_do_not_tell_them_apart_are_two_ports_all_the_same(legs: tuple[str, str]) -> None:
    assert sorted(numbers(bond(*legs)).values()) == [1, 2]


@pytest.mark.parametrize(("verdict", "reason"), [(DOWN, "TooManySymbolErrors"), (DEGRADED, "SymbolErrors")])
def test_a_member_without_a_link_hides_no_errors_of_the_other(verdict: str, reason: str) -> None:
    found = words(bond("eth0", "eth1", dark="eth0", verdict=verdict, reason=reason))
    assert (found[1].verdict, found[1].reason, found[1].spared) == (DOWN, "NoCarrier", True)
    assert (found[2].verdict, found[2].reason) == (verdict, reason)


def test_a_bond_that_is_degraded_for_the_member_without_a_link_alone_has_a_good_other() -> None:
    found = words(bond("eth0", "eth1", dark="eth0", verdict=DEGRADED, reason="BondLegDown"))
    assert (found[1].verdict, found[2].verdict, found[2].reason) == (DOWN, UP, None)
