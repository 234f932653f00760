"""Functions by the thousand hide no device; of devices by the thousand none is taken for gone."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from discovery.reports import UP
from discovery.source import Fixture, Tree
from discovery.sysfs import Devices, read_devices
from discovery.sysfs.devices import MAX_DEVICES
from tests.agent.node.node import Node, verdicts
from tests.discovery.sysfs.adapters import ROOT, adapter
from tests.discovery.sysfs.test_devices import found
from tests.discovery.sysfs.test_keeping import lay, look

PROBE_LIMIT = 5.0


def physical(number: int) -> dict[str, bytes]:
    """An adapter with GUIDs of its own."""
    own = f"b83f:d203:00ab:{number:04x}"
    return adapter(f"ibp{number}s0", node_guid=own, ports__1__gids__0=f"fe80:0000:0000:0000:{own}")


def functions(number: int, count: int) -> dict[str, bytes]:
    """What the kernel shows of virtual functions: their ports are up, as that of the physical one is."""
    return {
        f"{ROOT}/ibp{number}s0v{function}/{file}": text
        for function in range(count)
        for file, text in {"device/physfn/vendor": b"0x15b3", "ports/1/state": b"4: ACTIVE"}.items()
    }


def test_a_healthy_adapter_stays_up_while_virtual_functions_become_many() -> None:
    adapters = [24 + 10 * number for number in range(8)]
    node = Node()
    for number in adapters:
        node.files |= physical(number) | functions(number, 2)
    expected = {f"ibp{number}s0": (UP, None) for number in adapters}
    assert verdicts(node.look()) == expected
    for number in adapters:
        node.files |= functions(number, 150)
    assert verdicts(node.look()) == expected
    assert verdicts(node.look(4)) == expected
    assert (node.kept.outcome, node.kept.reason) == ("Found", None)


@pytest.mark.parametrize("mark", ["physfn", "sfnum"])
def test_ten_thousand_functions_are_not_read_and_hide_no_device(tmp_path: Path, mark: str) -> None:
    lay(tmp_path, adapter("mlx5_0") | {"function/device/physfn/vendor": b"0x15b3"})
    (tmp_path / "sub-function/device").mkdir(parents=True)
    (tmp_path / "sub-function/device/sfnum").write_bytes(b"88\n")
    for number in range(10_000):
        (tmp_path / ROOT / f"mlx4_{number}").symlink_to(tmp_path / ("function" if mark == "physfn" else "sub-function"))
    lay(tmp_path, adapter("mlx5_9"))
    began = time.process_time()
    devices, asked = look(tmp_path)
    assert time.process_time() - began < PROBE_LIMIT
    assert [port.device for port in devices.ports] == ["mlx5_0", "mlx5_9"]
    assert len(devices.left_out) == 10_000
    assert not [path for path in asked if path.startswith(f"{ROOT}/mlx4_")]


def test_more_devices_than_are_read_are_counted_told_and_still_there(tmp_path: Path) -> None:
    lay(tmp_path, {path: data for number in range(3) for path, data in adapter(f"mlx5_{number}").items()})
    for number in range(3, 10_000):
        (tmp_path / ROOT / f"mlx5_{number}").symlink_to("mlx5_2")
    began = time.process_time()
    probed = read_devices(Tree(tmp_path))
    assert time.process_time() - began < PROBE_LIMIT
    devices = found(probed)
    assert probed.reason == f"10000 devices, of which {MAX_DEVICES} are read"
    assert [port.device for port in devices.ports] == [f"mlx5_{number}" for number in range(MAX_DEVICES)]
    assert len(devices.known) == 10_000
    again, asked = look(tmp_path, devices)
    assert again.ports == devices.ports
    assert not [path for path in asked if path.startswith(f"{ROOT}/mlx5_{MAX_DEVICES}/")]


def test_a_device_that_is_read_no_more_is_not_gone_and_is_read_again_when_there_is_room() -> None:
    node = Node(physical(9000))
    assert verdicts(node.look()) == {"ibp9000s0": (UP, None)}
    for number in range(MAX_DEVICES):
        node.files |= physical(number)
    assert verdicts(node.look(2))["ibp9000s0"] == (UP, None)
    assert node.kept.reason == f"{MAX_DEVICES + 1} devices, of which {MAX_DEVICES} are read"
    last = node.look(4)[-1]
    assert (last.device, last.verdict, last.reason) == ("ibp9000s0", "Unknown", "NotReadable")
    node.remove("ibp0s0")
    assert verdicts(node.look())["ibp9000s0"] == (UP, None)


def test_a_device_that_becomes_too_much_keeps_its_guid_until_its_driver_is_loaded_again(tmp_path: Path) -> None:
    first, _ = look(lay(tmp_path, adapter("mlx5_900")))
    for number in range(MAX_DEVICES):
        lay(tmp_path, adapter(f"mlx5_{number}"))
    full, _ = look(tmp_path, first)
    known = full.known["mlx5_900"]
    assert known.unread
    assert known.node_guid == first.known["mlx5_900"].node_guid
    os.rename(tmp_path / ROOT / "mlx5_900", tmp_path / "unloaded")
    lay(tmp_path, adapter("mlx5_900"))
    again, _ = look(tmp_path, full)
    assert again.known["mlx5_900"].unread
    assert again.known["mlx5_900"].node_guid is None
    os.rename(tmp_path / ROOT / "mlx5_0", tmp_path / "gone")
    assert look(tmp_path, again)[0].ports[-1] == first.ports[0]


def test_what_is_more_than_is_read_says_nothing_of_a_source_that_tells_no_times() -> None:
    files = {path: data for number in range(MAX_DEVICES + 2) for path, data in physical(number).items()}
    devices: Devices | None = None
    for _ in range(2):
        probed = read_devices(Fixture(files), devices)
        devices = found(probed)
        assert probed.reason == f"{MAX_DEVICES + 2} devices, of which {MAX_DEVICES} are read"
