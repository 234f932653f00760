"""An attribute that says what nobody understands is counted and named; what the kernel says of nothing is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from discovery.source import Fixture
from discovery.sysfs import Devices, read_devices
from tests.agent.node.node import Node
from tests.discovery.sysfs.adapters import ROOT, adapter, ethernet
from tests.discovery.sysfs.test_devices import found
from tests.discovery.sysfs.test_keeping import lay, look


def reason(files: dict[str, bytes], before: Devices | None = None) -> str | None:
    """What is told beside the devices."""
    return read_devices(Fixture(files), before).reason


ATTRIBUTES = (
    "node_guid", "sys_image_guid", "ports/1/state", "ports/1/phys_state", "ports/1/rate", "ports/1/link_layer",
    "ports/1/gids/0", "ports/1/counters/symbol_error", "ports/1/counters/port_rcv_errors",
)  # fmt: skip


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_rubbish_in_one_attribute_is_told_with_its_place(attribute: str) -> None:
    files = adapter("mlx5_0") | adapter("mlx5_1", **{attribute.replace("/", "__"): "no\x1b[2Jthing that is known"})
    assert reason(files) == (
        f"attributes that are not understood: 1 (the first is mlx5_1/{attribute}, "
        r"which says 'no\x1b[2Jthing that'...)"
    )
    assert [port.device for port in found(read_devices(Fixture(files))).ports] == ["mlx5_0", "mlx5_1"]


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_more_than_a_page_is_told_too(attribute: str) -> None:
    assert reason(adapter("mlx5_0", **{attribute.replace("/", "__"): "x" * 5000})) == (
        f"attributes that are not understood: 1 (the first is mlx5_0/{attribute}, which says more than 4,096 bytes)"
    )


def test_several_are_counted_and_the_first_in_order_is_named() -> None:
    files = adapter("mlx5_10", node_guid="x") | adapter("mlx5_2", ports__1__state="y", ports__1__rate="z")
    assert reason(files) == (
        "attributes that are not understood: 3 (the first is mlx5_2/ports/1/state, which says 'y')"
    )


@pytest.mark.parametrize(
    ("attribute", "said"),
    [
        ("state", "0: NOP"), ("state", "9: UNKNOWN"), ("state", ""), ("phys_state", "0: <unknown>"), ("phys_state", ""),
        ("rate", "0 Gb/sec"), ("rate", "0 Gb/sec (0X)"), ("rate", "2.5 Gb/sec (1X)"), ("rate", "1600 Gb/sec (8X XDR)"),
        ("link_layer", "Unknown"), ("gids/0", "0000:0000:0000:0000:0000:0000:0000:0000"), ("gids/0", ""),
        ("counters/symbol_error", "N/A (no PMA)"), ("counters/symbol_error", "65535"), ("counters/symbol_error", ""),
    ],
)  # fmt: skip
def test_what_the_kernel_writes_where_it_knows_nothing_is_understood(attribute: str, said: str) -> None:
    assert reason(adapter("mlx5_0", **{f"ports__1__{attribute.replace('/', '__')}": said})) is None


def test_a_rate_that_a_driver_makes_up_without_a_link_is_not_judged() -> None:
    assert reason(adapter("mlx5_0", ports__1__state="1: DOWN", ports__1__rate="any")) is None


def test_of_an_ethernet_port_the_gid_is_none_of_a_subnet_and_may_say_anything() -> None:
    assert reason(ethernet("mlx5_0", "eth0", ports__1__gids__0="any")) is None


def test_what_is_told_stays_while_attributes_are_kept_and_rubbish_varies(tmp_path: Path) -> None:
    lay(tmp_path, adapter("mlx5_0", sys_image_guid="odd", ports__1__rate="first"))
    first, _ = look(tmp_path)
    assert list(first.unclear.values()) == ["'odd'", "'first'"]
    lay(tmp_path, {f"{ROOT}/mlx5_0/ports/1/rate": b"second"})
    again, asked = look(tmp_path, first)
    assert again.unclear == first.unclear
    assert f"{ROOT}/mlx5_0/sys_image_guid" not in asked
    lay(tmp_path, {f"{ROOT}/mlx5_0/ports/1/rate": b"400 Gb/sec (4X NDR)"})
    assert list(look(tmp_path, again)[0].unclear) == [f"{ROOT}/mlx5_0/sys_image_guid"]


def test_counters_that_rest_after_a_refusal_change_nothing_that_is_told(tmp_path: Path) -> None:
    lay(tmp_path, adapter("mlx5_0", ports__1__counters__symbol_error="odd"))
    (tmp_path / ROOT / "mlx5_0/ports/1/counters/port_rcv_errors").mkdir()
    devices: Devices | None = None
    for _ in range(4):
        devices, _ = look(tmp_path, devices)
        assert not devices.unclear


def test_an_agent_tells_it_at_every_look_alike() -> None:
    node = Node(adapter("mlx5_0", ports__1__phys_state="\x00\x01"))
    told = set()
    for _ in range(3):
        node.look()
        told.add(node.kept.reason)
    assert told == {
        r"attributes that are not understood: 1 (the first is mlx5_0/ports/1/phys_state, which says '\x00\x01')"
    }
