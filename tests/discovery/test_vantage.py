"""The ports that a fabric can be swept from, of trees written by hand after the kernel's documentation."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from discovery.reports import ABSENT, FAILED
from discovery.source import Fixture, Tree
from discovery.vantage import OwnPort, own_ports

NODE = "2c5e:ab03:00b8:7b40"


def port(device: str, number: int, **files: str) -> dict[str, bytes]:
    """An active InfiniBand port, as far as the files do not say otherwise."""
    usual = {
        "link_layer": "InfiniBand",
        "state": "4: ACTIVE",
        "sm_lid": "0x1",
        "gids/0": f"fe80:0000:0000:0000:2c5e:ab03:00b8:7b4{number}",
    }
    folder = f"class/infiniband/{device}/ports/{number}"
    return {f"{folder}/{name}": f"{text}\n".encode() for name, text in (usual | files).items()}


def image(device: str, guid: str = NODE) -> dict[str, bytes]:
    return {f"class/infiniband/{device}/sys_image_guid": f"{guid}\n".encode()}


def test_every_infiniband_port_of_every_adapter_is_one_whatever_its_number() -> None:
    files = port("mlx5_10", 1) | port("mlx5_2", 3) | port("mlx5_2", 6, state="1: DOWN") | image("mlx5_2")
    found = own_ports(Fixture(files)).found
    assert found is not None
    assert list(map(str, found)) == ["mlx5_2/3", "mlx5_2/6", "mlx5_10/1"]
    assert [one.active for one in found] == [True, False, True]
    assert found[0] == OwnPort(
        device="mlx5_2",
        port=3,
        state="ACTIVE",
        port_guid=found[0].port_guid,
        subnet=("fe80:0000:0000:0000", "0x1"),
    )
    assert found[0].port_guid == "2c5eab0300b87b43"
    assert found[1].state == "DOWN"


def test_ethernet_virtual_functions_and_sub_devices_are_none() -> None:
    files = (
        port("mlx5_0", 1)
        | port("mlx5_1", 1, link_layer="Ethernet")
        | port("mlx5_7", 1)
        | {"class/infiniband/mlx5_7/device/physfn/vendor": b"0x15b3\n"}
        | port("smi1", 1)
    )
    found = own_ports(Fixture(files)).found
    assert found is not None
    assert list(map(str, found)) == ["mlx5_0/1"]


def test_an_adapter_with_a_sub_device_is_planarised_and_others_are_not() -> None:
    files = port("mlx5_0", 1) | image("mlx5_0") | port("smi1", 1) | image("smi1")
    files |= port("mlx5_1", 1) | image("mlx5_1", "2c5e:ab03:00b8:9990")
    found = own_ports(Fixture(files)).found
    assert found is not None
    assert {str(one): one.planar for one in found} == {"mlx5_0/1": True, "mlx5_1/1": False}


def test_a_port_of_which_little_can_be_read_is_one_and_its_identity_unknown() -> None:
    found = own_ports(Fixture({"class/infiniband/mlx5_0/ports/1/link_layer": b"InfiniBand\n"})).found
    assert found == (OwnPort(device="mlx5_0", port=1, state="", active=False),)


def test_no_infiniband_is_absent_and_says_what_there_is() -> None:
    assert own_ports(Fixture({"class/net/lo/mtu": b"1"})).outcome == ABSENT
    roce = own_ports(Fixture(port("mlx5_1", 1, link_layer="Ethernet")))
    assert (roce.outcome, roce.reason) == (ABSENT, "no InfiniBand port (mlx5_1/1 is Ethernet)")


def test_what_is_no_sysfs_has_failed() -> None:
    assert own_ports(Fixture()).outcome == FAILED


def test_virtual_functions_and_sub_devices_by_the_thousand_hide_no_adapter() -> None:
    files = port("smi1", 1) | image("smi1", "2c5e:ab03:00b8:9990")
    for number in range(8):
        files |= port(f"ibp{number}s0", 1) | image(f"ibp{number}s0")
        for function in range(40):
            device = f"class/infiniband/ibp{number}s0v{function}"
            mark = "device/physfn/vendor" if number % 2 else "device/sfnum"
            files |= {f"{device}/{mark}": b"0x15b3\n", f"{device}/ports/1/link_layer": b"InfiniBand\n"}
            files |= image(f"smi{number}{function}", f"0000:0000:{number:04x}:{function:04x}")
    probed = own_ports(Fixture(files))
    assert list(map(str, probed.found or ())) == [f"ibp{number}s0/1" for number in range(8)]
    assert probed.reason is None


def test_more_adapters_than_are_read_are_told() -> None:
    files = {path: data for number in range(258) for path, data in port(f"mlx5_{number}", 1).items()}
    probed = own_ports(Fixture(files))
    assert len(probed.found or ()) == 256
    assert probed.reason == "258 devices, of which 256 are read"
    none = own_ports(Fixture({path: data.replace(b"InfiniBand", b"Ethernet") for path, data in files.items()}))
    assert (none.outcome, (none.reason or "")[:54]) == (
        ABSENT,
        "no InfiniBand port (258 devices, of which 256 are read",
    )


@pytest.mark.parametrize("kind", ["file", "pipe", "link"])
def test_a_class_that_is_no_folder_is_a_failure_that_says_so(tmp_path: Path, kind: str) -> None:
    at = tmp_path / "class/infiniband"
    at.parent.mkdir()
    assert own_ports(Tree(tmp_path)).outcome == ABSENT
    if kind == "file":
        at.write_bytes(b"")
    elif kind == "pipe":
        os.mkfifo(at)
    else:
        at.symlink_to("nowhere")
    probed = own_ports(Tree(tmp_path))
    reason = "this is no sysfs: its class/infiniband is no folder; see where it is read"
    assert (probed.outcome, probed.reason) == (FAILED, reason)
