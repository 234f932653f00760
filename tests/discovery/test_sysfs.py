"""The sysfs probe on real captures and on the kernel's own spellings; what is missing or odd hides nothing else."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from discovery.errors import UnreadableSourceError
from discovery.identity import guid
from discovery.reports import ABSENT, FAILED, FOUND, Port
from discovery.source import Fixture, Host
from discovery.sysfs import read_ports

ROOT = "class/infiniband"
DETAILS = ("nodeGuid", "portGuid", "systemImageGuid", "linkLayer", "state", "physicalState", "width", "speed")


def device(name: str, **files: str) -> dict[str, bytes]:
    """An adapter with one healthy NDR port; files are named with `__` for `/`."""
    given = {
        "node_guid": "b83f:d203:00ab:cd10",
        "sys_image_guid": "b83f:d203:00ab:cd10",
        "ports__1__state": "4: ACTIVE",
        "ports__1__phys_state": "5: LinkUp",
        "ports__1__rate": "400 Gb/sec (4X NDR)",
        "ports__1__link_layer": "InfiniBand",
        "ports__1__gids__0": "fe80:0000:0000:0000:b83f:d203:00ab:cd12",
    } | files
    return {f"{ROOT}/{name}/{path.replace('__', '/')}": f"{text}\n".encode() for path, text in given.items()}


def test_a_port_is_read_with_its_guids_and_its_rate() -> None:
    found = read_ports(Fixture(device("mlx5_0")))
    assert found.outcome.outcome == FOUND
    assert found.ports == (
        Port(
            device="mlx5_0", port=1, nodeGuid=guid(0xB83FD20300ABCD10), portGuid=guid(0xB83FD20300ABCD12),
            systemImageGuid=guid(0xB83FD20300ABCD10), linkLayer="InfiniBand", state="Active", physicalState="LinkUp",
            width=4, speed="NDR",
        ),
    )  # fmt: skip


def test_a_real_h100_node_has_eight_ndr_ports_and_its_ethernet_bond(shared_data: Path, tmp_path: Path) -> None:
    found = read_ports(rooted(shared_data / "sysfs/h100", tmp_path)).ports
    fast = [port for port in found if (port.linkLayer, port.width, port.speed) == ("InfiniBand", 4, "NDR")]
    assert len(fast) == 8
    assert all((port.state, port.physicalState) == ("Active", "LinkUp") for port in fast)
    bond = next(port for port in found if port.device == "mlx5_bond_0")
    assert (bond.linkLayer, bond.nodeGuid, bond.portGuid) == ("Ethernet", None, None)


def test_several_ports_missing_files_and_other_makers_stand_side_by_side(shared_data: Path, tmp_path: Path) -> None:
    found = read_ports(rooted(shared_data / "sysfs/mixed", tmp_path)).ports
    assert [(port.device, port.port) for port in found] == [("hfi1_0", 1), ("mlx4_0", 1), ("mlx4_0", 2), ("mlx5_0", 1)]
    assert found[3].nodeGuid == "0a7fbc1245efd23b"
    assert {port.systemImageGuid for port in found} == {None}


def rooted(devices: Path, folder: Path) -> Host:
    """The capture as class/infiniband of a sysfs."""
    (folder / "class").mkdir()
    (folder / ROOT).symlink_to(devices)
    return Host(io.BytesIO(), folder)


@pytest.mark.parametrize(
    ("file", "text", "field"),
    [
        ("node_guid", "0000:0000:0000:0000", "nodeGuid"),
        ("node_guid", "nonsense", "nodeGuid"),
        ("ports__1__state", "9: DREAMING", "state"),
        ("ports__1__phys_state", "", "physicalState"),
        ("ports__1__rate", "0 Gb/sec", "width"),
        ("ports__1__gids__0", "fe80:0000:0000:0000:0000:0000:0000:0000", "portGuid"),
    ],
)
def test_what_says_nothing_leaves_its_value_unknown_and_only_that(file: str, text: str, field: str) -> None:
    whole, found = (
        read_ports(Fixture(device("mlx5_0"))).ports[0],
        read_ports(Fixture(device("a", **{file: text}))).ports[0],
    )
    assert getattr(found, field) is None
    unknown = {field} | ({"speed"} if field == "width" else set())
    assert {name for name in DETAILS if getattr(found, name) != getattr(whole, name)} == unknown


def test_the_gid_of_an_ethernet_port_is_no_port_guid() -> None:
    assert read_ports(Fixture(device("mlx5_0", ports__1__link_layer="Ethernet"))).ports[0].portGuid is None


def test_a_device_that_vanishes_while_it_is_read_hides_no_other() -> None:
    files = device("mlx5_1") | {f"{ROOT}/mlx5_0/fw_ver": b"28.39.1002\n"}
    found = read_ports(Fixture(files))
    assert [port.device for port in found.ports] == ["mlx5_1"]
    assert found.outcome.outcome == FOUND


def test_virtual_functions_are_left_out_and_many_devices_keep_the_order_of_their_numbers() -> None:
    files = device("mlx5_10") | device("mlx5_2") | {f"{ROOT}/mlx5_2/device/sriov_numvfs": b"16"}
    for number in range(11, 300):
        files |= device(f"mlx5_{number}", device__physfn__vendor="0x15b3")
    assert [port.device for port in read_ports(Fixture(files)).ports] == ["mlx5_2", "mlx5_10"]


def test_a_node_without_adapters_is_absent_and_one_that_cannot_be_read_has_failed(tmp_path: Path) -> None:
    assert read_ports(Fixture({"class/net/lo/mtu": b"65536\n"})).outcome.outcome == ABSENT
    nowhere = read_ports(Host(io.BytesIO(), tmp_path / "nowhere")).outcome
    assert (nowhere.outcome, (nowhere.reason or "").partition(":")[0]) == (FAILED, "this is no sysfs")
    (tmp_path / ROOT).mkdir(parents=True)
    assert read_ports(Host(io.BytesIO(), tmp_path)).outcome.outcome == ABSENT
    unreadable = read_ports(Unreadable()).outcome
    assert (unreadable.outcome, unreadable.reason) == (FAILED, "class/infiniband: no rights")
    silent = read_ports(Fixture({f"{ROOT}/mlx5_0/fw_ver": b"1"})).outcome
    assert (silent.outcome, silent.reason) == (FAILED, "no port of mlx5_0 is readable")


class Unreadable:
    """A source that gives nothing."""

    def read(self, path: str, limit: int) -> bytes:
        raise UnreadableSourceError(f"{path}: no rights")

    def names(self, path: str) -> tuple[str, ...]:
        raise UnreadableSourceError(f"{path}: no rights")
