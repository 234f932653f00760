"""A look says of each port whether its link is up, and why not; what cannot be known changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from discovery.samples import Counters, PortSample
from discovery.sysfs import port_samples
from tests.discovery.sysfs.adapters import adapter, ethernet
from tests.discovery.sysfs.test_devices import read

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def sample(**files: str) -> PortSample:
    """The sample of a drawn port."""
    return port_samples(read(adapter("mlx5_0", **files)), NOON, "boot")["mlx5_0", 1]


@pytest.mark.parametrize(
    ("state", "physical", "link", "reason"),
    [
        ("4: ACTIVE", "5: LinkUp", "Up", None),
        ("5: ACTIVE_DEFER", "5: LinkUp", "Up", None),
        ("2: INIT", "5: LinkUp", "Waiting", "WaitingForSubnetManager"),
        ("3: ARMED", "5: LinkUp", "Waiting", "WaitingForSubnetManager"),
        ("1: DOWN", "5: LinkUp", "Down", "LogicalLinkDown"),
        ("1: DOWN", "2: Polling", "Down", "PhysicalLinkDown"),
        ("1: DOWN", "3: Disabled", "Down", "PortDisabled"),
        ("4: ACTIVE", "6: LinkErrorRecovery", "Down", "PhysicalLinkDown"),
        ("", "2: Polling", None, None),
        ("4: ACTIVE", "", None, None),
        ("0: NOP", "5: LinkUp", None, None),
    ],
)
def test_the_link_is_what_both_states_say(state: str, physical: str, link: str | None, reason: str | None) -> None:
    seen = sample(ports__1__state=state, ports__1__phys_state=physical)
    assert (seen.link, seen.reason, seen.at) == (link, reason, NOON)


@pytest.mark.parametrize(("speed", "pam4"), [("EDR", False), ("FDR10", False), ("HDR", True), ("XDR", True)])
def test_lanes_from_hdr_on_carry_pam4(speed: str, pam4: bool) -> None:
    assert sample(ports__1__rate=f"100 Gb/sec (4X {speed})").pam4 is pam4


def test_counters_and_the_boot_go_with_it() -> None:
    seen = sample(ports__1__counters__link_downed="4")
    assert seen.counters == Counters(link_downed=4)
    assert (seen.incarnation or "").startswith("boot/")


def test_omni_path_and_iwarp_are_told_and_not_judged() -> None:
    files = adapter("hfi1_0", device__uevent="DRIVER=hfi1") | ethernet("irdma0", "eth0", node_type="4: RNIC")
    devices = read(files | ethernet("mlx5_0", "eth1"))
    assert len(devices.ports) == 3
    assert set(port_samples(devices, NOON, None)) == {("mlx5_0", 1)}
