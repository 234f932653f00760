"""The files of a recording: what is written is read as the same, and moments lie over each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from discovery.errors import AbsentSourceError, UnreadableSourceError
from discovery.identity import ChassisId
from discovery.lldp.answers import read_answer
from discovery.recording.hostfile import HostFiles, read_host, write_host
from discovery.recording.manifest import Manifest, ManifestError, read_manifest, write_manifest
from discovery.recording.neighbours import write_neighbours
from discovery.recording.perfquery import laid_over
from discovery.recording.reading import RecordingError, read_recording
from discovery.recording.snmprec import read_walk, write_walk
from discovery.recording.taking import Taking
from discovery.reports import Neighbour
from discovery.snmp.tables import read_tables
from discovery.source import Fixture
from discovery.sysfs import read_devices
from tests.discovery.sysfs.adapters import adapter, ethernet

HOST = """\
sys/class/infiniband/mlx5_0/	77
sys/class/infiniband/mlx5_0/device/physfn/
sys/class/infiniband/mlx5_0/device/uevent	DRIVER=mlx5_core
sys/class/infiniband/mlx5_0/device/uevent	PCI_SLOT_NAME=0000:18:00.0
sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error		Invalid argument
sys/class/infiniband/mlx5_0/ports/1/state	4: ACTIVE
"""


def test_a_host_file_is_written_as_it_was_read() -> None:
    assert write_host(read_host(HOST)) == HOST


def test_a_host_file_is_a_source() -> None:
    host = read_host(HOST).below("sys")
    device = "class/infiniband/mlx5_0"
    assert host.read(f"{device}/device/uevent", 99) == b"DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:18:00.0\n"
    assert host.names(f"{device}/device") == ("physfn", "uevent")
    assert host.names(f"{device}/device/physfn") == ()
    assert host.made(device) == "77"
    with pytest.raises(UnreadableSourceError, match="Invalid argument"):
        host.read(f"{device}/ports/1/counters/symbol_error", 99)
    with pytest.raises(AbsentSourceError):
        host.read(f"{device}/ports/2/state", 99)


def test_a_later_moment_changes_lines_and_takes_folders_away() -> None:
    before = read_host(HOST)
    after = read_host("sys/class/infiniband/mlx5_0/ports/1/state\t1: DOWN\n", before)
    assert after.read("sys/class/infiniband/mlx5_0/ports/1/state", 99) == b"1: DOWN\n"
    assert len(after.files) == len(before.files)
    assert read_host("-sys/class/infiniband/mlx5_0/\n", before) == HostFiles()


def test_what_a_probe_reads_is_all_that_it_needs() -> None:
    host = Fixture({**adapter("mlx5_0"), **ethernet("mlx5_1", "eth1"), "class/other": b"nobody reads this\n"})
    taking = Taking(host, "sys")
    seen = read_devices(taking)
    text = write_host(taking.taken)
    assert "nobody" not in text
    assert read_devices(read_host(text).below("sys")).found == seen.found


def test_neighbours_are_written_as_lldpd_prints_them() -> None:
    heard = {
        "eth0": (
            Neighbour(
                chassisId=ChassisId("0c:42:a1:00:00:01"),
                chassisIdSubtype="mac",
                portId="Ethernet1/1",
                portIdSubtype="ifname",
                systemName="leaf-1",
            ),
            Neighbour(chassisId=ChassisId("x"), chassisIdSubtype="local", portId="7", portIdSubtype="local"),
        ),
        "eth1": (Neighbour(chassisId=ChassisId("10.0.0.1"), chassisIdSubtype="ip", portId="odd"),),
    }
    assert read_answer(write_neighbours(heard)).neighbours == heard


def test_recorded_walks_of_real_switches_are_written_as_they_were_read(shared_data: Path) -> None:
    for file in sorted((shared_data / "snmp").glob("*.snmprec")):
        walked = read_walk(file.read_text("utf-8", "surrogateescape"))
        again = read_walk(write_walk(walked))
        assert read_tables(again) == read_tables(walked)
        assert walked.columns
        assert read_tables(walked).remotes


def test_a_later_counter_takes_the_place_of_an_earlier_one_of_the_same_port() -> None:
    one = "# Port counters: Lid 4 port 1 (CapMask: 0)\nSymbolErrorCounter:....0\n"
    two = "# Port counters: Lid 4 port 2 (CapMask: 0)\nSymbolErrorCounter:....3\n"
    assert laid_over(one + two, one.replace("....0", "....9")) == one.replace("....0", "....9") + two


def test_a_manifest_says_what_is_wrong_with_it() -> None:
    assert read_manifest(write_manifest(Manifest(story="x", until=7))) == Manifest(story="x", until=7)
    for bad in (b"{", b'{"format": 9}', b'{"look": 0}', b'{"until": -1}'):
        with pytest.raises(ManifestError):
            read_manifest(bad)


def test_a_folder_that_is_no_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"recording\.json"):
        read_recording(tmp_path)
    (tmp_path / "recording.json").write_bytes(write_manifest(Manifest()))
    with pytest.raises(RecordingError, match="without any moment"):
        read_recording(tmp_path)
