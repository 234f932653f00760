"""Targets as operators write them."""

from __future__ import annotations

import pytest

from discovery.snmp.targets import Target, read_targets


def spelled(*words: str, most: int = 1000) -> list[str]:
    return [str(target) for target in read_targets(words, most)]


def test_addresses_names_and_ports() -> None:
    words = ("10.0.0.7", "10.0.0.7:1161", "2001:db8::7", "[2001:DB8::8]:1161", "leaf-01.example", "Leafs.svc:1161")
    assert spelled(*words) == [
        "10.0.0.7", "10.0.0.7:1161", "[2001:db8::7]", "[2001:db8::8]:1161", "leaf-01.example", "leafs.svc:1161",
    ]  # fmt: skip


def test_a_network_is_its_hosts_without_the_ends() -> None:
    assert spelled("10.0.0.0/30") == ["10.0.0.1", "10.0.0.2"]
    assert spelled("10.0.0.9/31") == ["10.0.0.8", "10.0.0.9"]
    assert len(read_targets(["10.0.0.0/24"], 254)) == 254


@pytest.mark.parametrize(
    ("word", "hosts"),
    [
        ("10.0.0.0/30:1161", ["10.0.0.1:1161", "10.0.0.2:1161"]),
        ("10.0.0.0/255.255.255.252:1161", ["10.0.0.1:1161", "10.0.0.2:1161"]),
        ("2001:db8::/127:1161", ["[2001:db8::]:1161", "[2001:db8::1]:1161"]),
        ("[2001:db8::]/127:1161", ["[2001:db8::]:1161", "[2001:db8::1]:1161"]),
        ("[2001:db8::/127]:1161", ["[2001:db8::]:1161", "[2001:db8::1]:1161"]),
        ("2001:db8::/127", ["[2001:db8::]", "[2001:db8::1]"]),
    ],
)
def test_a_network_has_a_port_where_it_is_another_one(word: str, hosts: list[str]) -> None:
    assert spelled(word) == hosts


def test_what_is_named_twice_is_asked_once() -> None:
    assert spelled("10.0.0.1", "10.0.0.0/30", "10.0.0.1:161") == ["10.0.0.1", "10.0.0.2"]


def test_only_names_need_resolving() -> None:
    assert [Target(host).is_address for host in ("10.0.0.1", "::1", "leaf-01")] == [True, True, False]


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        (
            "10.0.0.0/8",
            "16,777,216 addresses, more than the 1,000 hosts that are asked at most; name fewer, or smaller",
        ),
        ("2001:db8::/64", "holds 18,446,744,073,709,551,616 addresses"),
        ("10.0.0.0/33", "is no network"),
        ("10.0.0.1:99999", "a port is a number from 1 to 65535"),
        ("10.0.0.1:", "a port is a number"),
        ("10.0.0.0/24:0", "a port is a number from 1 to 65535"),
        ("10.0.0.0/24:", "a port is a number from 1 to 65535"),
        ("10.0.0.0/255:1161", "is no network"),
        ("10.0.0.300", "'10.0.0.300' is no host to ask"),
        ("10.0.0.300:1161", "is no host to ask"),
        ("10.0.0", "is no host to ask"),
        ("300", "is no host to ask"),
        ("leaf 1", "is no host to ask"),
        ("-v2c public", "is no host to ask"),
        ("", "is no host to ask"),
        ("leaf;reboot", "is no host to ask"),
    ],
)
def test_what_is_no_target_is_named(word: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_targets([word], 1000)


def test_several_networks_together_are_bounded_too() -> None:
    with pytest.raises(ValueError, match=r"the targets up to 10\.0\.2\.0/24 are more than the 600 hosts"):
        read_targets([f"10.0.{third}.0/24" for third in range(4)], 600)
