"""Devices and their ports, by the kernel's own spellings; what is missing or odd hides nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from discovery.errors import UnreadableSourceError
from discovery.identity import guid
from discovery.probing import Probed
from discovery.reports import ABSENT, FAILED, FOUND, Port
from discovery.source import Fixture, Tree
from discovery.sysfs import Devices, read_boot_id, read_devices
from tests.discovery.sysfs.adapters import ROOT, adapter

DETAILS = ("nodeGuid", "portGuid", "systemImageGuid", "linkLayer", "state", "physicalState", "width", "speed")


def found(probed: Probed[Devices]) -> Devices:
    """What a look found, where it found something."""
    assert (probed.name, probed.outcome) == ("sysfs", FOUND)
    assert probed.found is not None
    return probed.found


def read(files: dict[str, bytes]) -> Devices:
    """One look at a drawn node."""
    return found(read_devices(Fixture(files)))


def test_a_port_is_read_with_its_guids_and_its_rate() -> None:
    assert read(adapter("mlx5_0")).ports == (
        Port(
            device="mlx5_0", port=1, nodeGuid=guid(0xB83FD20300ABCD10), portGuid=guid(0xB83FD20300ABCD12),
            systemImageGuid=guid(0xB83FD20300ABCD10), linkLayer="InfiniBand", state="Active", physicalState="LinkUp",
            width=4, speed="NDR",
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "width", "speed"),
    [
        ("2.5 Gb/sec (1X SDR)", 1, "SDR"),
        ("10 Gb/sec (4X)", 4, "SDR"),
        ("20 Gb/sec (4X DDR)", 4, "DDR"),
        ("40 Gb/sec (4X QDR)", 4, "QDR"),
        ("40 Gb/sec (4X FDR10)", 4, "FDR10"),
        ("56 Gb/sec (4X FDR)", 4, "FDR"),
        ("100 Gb/sec (4X EDR)", 4, "EDR"),
        ("200 Gb/sec (4X HDR)", 4, "HDR"),
        ("200 Gb/sec (2X NDR)", 2, "NDR"),
        ("800 Gb/sec (4X XDR)", 4, "XDR"),
        ("120 Gb/sec (12X QDR)", 12, "QDR"),
        ("0 GB/sec", None, None),
        ("0 Gb/sec (0X SDR)", None, None),
        ("400 Gb/sec (4X ???)", None, None),
        ("", None, None),
    ],
)
def test_every_generation_of_rates_is_understood_and_no_rate_is_none(
    said: str, width: int | None, speed: str | None
) -> None:
    port = read(adapter("mlx5_0", ports__1__rate=said)).ports[0]
    assert (port.width, port.speed) == (width, speed)


def test_a_port_without_a_link_has_no_rate_whatever_its_driver_makes_up() -> None:
    down = {"ports__1__state": "1: DOWN", "ports__1__phys_state": "2: Polling", "ports__1__rate": "10 Gb/sec (4X SDR)"}
    port = read(adapter("mlx5_0", **down)).ports[0]
    assert (port.state, port.physicalState, port.width, port.speed) == ("Down", "Polling", None, None)


@pytest.mark.parametrize(
    ("file", "text", "field"),
    [
        ("node_guid", "0000:0000:0000:0000", "nodeGuid"),
        ("node_guid", "nonsense", "nodeGuid"),
        ("ports__1__state", "9: DREAMING", "state"),
        ("ports__1__phys_state", "", "physicalState"),
        ("ports__1__phys_state", "4: ACTIVE", "physicalState"),
        ("ports__1__phys_state", "5: \x00\xff", "physicalState"),
        ("ports__1__rate", "0 Gb/sec", "width"),
        ("ports__1__gids__0", "fe80:0000:0000:0000:0000:0000:0000:0000", "portGuid"),
    ],
)
def test_what_says_nothing_leaves_its_value_unknown_and_only_that(file: str, text: str, field: str) -> None:
    whole, odd = read(adapter("mlx5_0")).ports[0], read(adapter("a", **{file: text})).ports[0]
    assert getattr(odd, field) is None
    unknown = {field} | ({"speed"} if field == "width" else set())
    assert {name for name in DETAILS if getattr(odd, name) != getattr(whole, name)} == unknown


def test_ports_are_found_and_never_assumed() -> None:
    files = adapter("mlx4_0", ports__2__state="1: DOWN", ports__2__link_layer="InfiniBand") | adapter("mlx5_1")
    files |= {f"{ROOT}/mlx5_1/ports/{odd}/state": b"4: ACTIVE" for odd in ("zero", "1b", "²", "99999999")}
    assert [(port.device, port.port, port.state) for port in read(files).ports] == [
        ("mlx4_0", 1, "Active"), ("mlx4_0", 2, "Down"), ("mlx5_1", 1, "Active"),
    ]  # fmt: skip


def test_omni_path_and_iwarp_are_told_for_what_they_are() -> None:
    files = adapter("hfi1_0", device__uevent="DRIVER=hfi1\nPCI_SLOT_NAME=0000:05:00.0")
    files |= adapter("opap24s0", board_id="Cornelis Omni-Path Express")
    files |= adapter("irdma0", node_type="4: RNIC", ports__1__link_layer="Ethernet")
    files |= adapter("mlx5_0", device__uevent="DRIVER=mlx5_core", board_id="no Omni-Path board at all")
    files |= adapter("efa_0", ports__1__link_layer="Unknown")
    ports = read(files).ports
    assert {port.device: port.linkLayer for port in ports} == {
        "hfi1_0": "OmniPath", "opap24s0": "OmniPath", "irdma0": "iWARP", "mlx5_0": "InfiniBand", "efa_0": None,
    }  # fmt: skip
    assert {port.device for port in ports if port.portGuid} == {"mlx5_0"}


def test_virtual_functions_are_left_out_and_many_devices_keep_the_order_of_their_numbers() -> None:
    files = adapter("mlx5_10") | adapter("mlx5_2") | {f"{ROOT}/mlx5_2/device/sriov_numvfs": b"16"}
    for number in range(11, 300):
        files |= adapter(f"mlx5_{number}", device__physfn__vendor="0x15b3")
    files |= adapter("mlx5_300", device__sfnum="88") | adapter("rxe0", parent="eth0")
    devices = read(files)
    assert [port.device for port in devices.ports] == ["mlx5_2", "mlx5_10"]
    assert devices.left_out["mlx5_42"] == "a virtual function"
    assert devices.left_out["mlx5_300"] == "a virtual function"
    assert devices.left_out["rxe0"] == "made by software"


@pytest.mark.parametrize("name", ["smi1", "ibp11s0planes"])
def test_an_smi_sub_device_shows_no_ports_whatever_its_name(name: str) -> None:
    function = "DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:0b:00.0"
    files = adapter("mlx5_0", device__uevent=function)
    planes = {f"ports__{port}__link_layer": "InfiniBand" for port in range(1, 5)}
    files |= adapter(name, device__uevent=function, **planes)
    files |= adapter("mlx5_1", device__uevent="DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:0c:00.0", **planes)
    devices = read(files)
    assert {port.device for port in devices.ports} == {"mlx5_0", "mlx5_1"}
    assert devices.left_out == {name: "an SMI sub-device"}


def test_a_device_that_vanishes_while_it_is_read_hides_no_other_and_is_named() -> None:
    probed = read_devices(Fixture(adapter("mlx5_1") | {f"{ROOT}/mlx5_0/fw_ver": b"28.39.1002\n"}))
    assert [port.device for port in found(probed).ports] == ["mlx5_1"]
    assert probed.reason == "no port of mlx5_0 is readable"


def test_a_node_without_adapters_is_absent_and_one_that_cannot_be_read_has_failed(tmp_path: Path) -> None:
    assert read_devices(Fixture({"class/net/lo/mtu": b"65536\n"})).outcome == ABSENT
    nowhere = read_devices(Tree(tmp_path / "nowhere"))
    assert (nowhere.outcome, (nowhere.reason or "").partition(":")[0]) == (FAILED, "this is no sysfs")
    (tmp_path / ROOT).mkdir(parents=True)
    assert read_devices(Tree(tmp_path)).outcome == ABSENT
    unreadable = read_devices(Unreadable())
    assert (unreadable.outcome, unreadable.reason) == (FAILED, "class/infiniband: no rights")
    silent = read_devices(Fixture({f"{ROOT}/mlx5_0/fw_ver": b"1"}))
    assert (silent.outcome, silent.reason) == (FAILED, "no port of mlx5_0 is readable")


def test_a_boot_is_known_by_the_id_that_the_kernel_draws() -> None:
    files = {"sys/kernel/random/boot_id": b"1b4e28ba-2fa1-11d2-883f-0016d3cca427\n"}
    assert read_boot_id(Fixture(files)) == "1b4e28ba-2fa1-11d2-883f-0016d3cca427"
    assert read_boot_id(Fixture()) is None


class Unreadable:
    """A source that gives nothing."""

    def read(self, path: str, limit: int) -> bytes:
        raise UnreadableSourceError(f"{path}: no rights")

    def names(self, path: str) -> tuple[str, ...]:
        raise UnreadableSourceError(f"{path}: no rights")

    def made(self, path: str) -> str | None:
        return None
