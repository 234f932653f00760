"""What an operator may say of a sweeper: of one kind of fabric, with targets that can be asked."""

from __future__ import annotations

import pytest

from cli.ending import CommandError
from cli.processes.loading import Given, load
from cli.processes.sweeper_settings import Snmp, SweeperOptions


def loaded(**values: str) -> SweeperOptions:
    flags = {key.replace("__", "."): Given(value, "--set") for key, value in values.items()}
    return load(SweeperOptions, None, {}, flags)


def test_an_ethernet_sweeper_takes_addresses_networks_and_names() -> None:
    found = loaded(sweep__kind="ethernet", snmp__targets="10.0.0.0/30,leaf-01.example:1161").snmp
    assert [str(target) for target in found.asked()] == ["10.0.0.1", "10.0.0.2", "leaf-01.example:1161"]
    assert (found.bounds().timeout, found.bounds().rows) == (2.0, 100_000)


def test_without_a_word_the_fabric_is_infiniband() -> None:
    assert loaded().sweep.kind == "infiniband"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"sweep__kind": "ethernet"},
            "sweep.kind: 'ethernet' from --set cannot be used: nobody is named to ask; "
            "name the switches in snmp.targets",
        ),
        (
            {"snmp__targets": "10.0.0.1"},
            "snmp.targets: '10.0.0.1' from --set cannot be used: a sweeper asks them where sweep.kind is ethernet, "
            "and it is infiniband",
        ),
        (
            {"sweep__kind": "ethernet", "snmp__targets": "10.0.0.0/8"},
            "snmp.targets: '10.0.0.0/8' from --set cannot be used: 10.0.0.0/8 holds 16,777,216 addresses, "
            "more than the 4,096 hosts that are asked at most; "
            "name fewer, or smaller networks, or set snmp.mostTargets higher",
        ),
        ({"sweep__kind": "ethernet", "snmp__targets": "10.0.0.300"}, "'10.0.0.300' is no host to ask"),
        ({"sweep__kind": "ethernet", "snmp__targets": "a b"}, "'a b' is no host to ask"),
        ({"sweep__kind": "token-ring"}, "sweep.kind"),
        ({"sweep__kind": "ethernet", "snmp__targets": "10.0.0.1", "snmp__tries": "0"}, "snmp.tries"),
    ],
)
def test_what_cannot_be_is_a_sentence(values: dict[str, str], sentence: str) -> None:
    with pytest.raises(CommandError) as caught:
        loaded(**values)
    assert sentence in str(caught.value)


def test_no_key_takes_a_secret() -> None:
    assert not [key for key in Snmp.model_fields if "password" in key or "community" in key or "user" in key]
