"""Files that no sysfs should hold: what is bad is unknown, nothing is waited for, and all else is kept."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from discovery.reports import ABSENT, FAILED
from discovery.source import Tree
from discovery.sysfs import read_devices
from tests.discovery.sysfs.adapters import ROOT, adapter, ethernet
from tests.discovery.sysfs.test_devices import found
from tests.discovery.sysfs.test_keeping import lay

ATTRIBUTES = sorted(
    path.removeprefix(f"{ROOT}/mlx5_0/") for path in adapter("mlx5_0", ports__1__counters__link_downed="0")
)


def oversized(at: Path) -> None:
    at.write_bytes(b"4: ACTIVE\n" * 10_000)


def binary(at: Path) -> None:
    at.write_bytes(bytes(range(256)) * 8)


def empty(at: Path) -> None:
    at.write_bytes(b"")


def folder(at: Path) -> None:
    at.mkdir()


def loop(at: Path) -> None:
    at.symlink_to(at)


def endless(at: Path) -> None:
    at.symlink_to("/dev/zero")


def pipe(at: Path) -> None:
    os.mkfifo(at)


def forbidden(at: Path) -> None:
    at.symlink_to("/proc/self/mem")


@pytest.mark.parametrize("spoil", [oversized, binary, empty, folder, loop, endless, pipe, forbidden])
def test_whatever_one_file_is_only_its_own_value_is_lost(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    for attribute in ATTRIBUTES:
        root = lay(tmp_path / attribute.replace("/", "_"), adapter("mlx5_0") | adapter("mlx5_1"))
        whole = found(read_devices(Tree(root)))
        at = root / ROOT / "mlx5_0" / attribute
        at.unlink(missing_ok=True)
        at.parent.mkdir(parents=True, exist_ok=True)
        spoil(at)
        spoilt = found(read_devices(Tree(root)))
        assert spoilt.ports[1] == whole.ports[1]
        assert [(port.device, port.port) for port in spoilt.ports] == [("mlx5_0", 1), ("mlx5_1", 1)]
        lost = {
            name
            for name in ("nodeGuid", "systemImageGuid", "state", "physicalState", "width")
            if getattr(spoilt.ports[0], name) != getattr(whole.ports[0], name)
        }
        assert len(lost) <= 1, f"{attribute} cost {lost}"


def test_a_port_folder_that_is_a_file_or_a_loop_hides_no_other(tmp_path: Path) -> None:
    lay(tmp_path, adapter("mlx5_0"))
    (tmp_path / ROOT / "mlx5_0/ports/2").write_bytes(b"no folder")
    (tmp_path / ROOT / "mlx5_9").symlink_to("mlx5_9")
    (tmp_path / ROOT / "mlx5_8").write_bytes(b"no folder")
    probed = read_devices(Tree(tmp_path))
    assert [(port.device, port.port) for port in found(probed).ports] == [("mlx5_0", 1)]
    assert probed.reason == "no port of mlx5_8, mlx5_9 is readable"


def test_a_name_that_is_no_text_is_passed_over(tmp_path: Path) -> None:
    lay(tmp_path, adapter("mlx5_0"))
    (tmp_path / ROOT / os.fsdecode(b"mlx5_\xff")).symlink_to("mlx5_0")
    assert [port.device for port in found(read_devices(Tree(tmp_path))).ports] == ["mlx5_0"]


def test_names_that_no_kernel_gives_are_only_names(tmp_path: Path) -> None:
    odd = ["a b", "mlx5_0\n", "..x", "é", "x" * 200, "mlx5_%s", "smi", "smi1x"]
    files: dict[str, bytes] = {}
    for name in odd:
        files |= adapter(name)
    lay(tmp_path, files)
    assert {port.device for port in found(read_devices(Tree(tmp_path))).ports} == set(odd)


def broken(at: Path) -> None:
    at.symlink_to("nowhere")


NO_FOLDER = [empty, pipe, broken, forbidden]


@pytest.mark.parametrize("spoil", [*NO_FOLDER, loop])
def test_a_class_that_is_no_folder_is_a_failure_that_says_so(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    (tmp_path / "class").mkdir()
    assert read_devices(Tree(tmp_path)).outcome == ABSENT
    spoil(tmp_path / ROOT)
    probed = read_devices(Tree(tmp_path))
    assert probed.outcome == FAILED
    if spoil in NO_FOLDER:
        assert probed.reason == f"this is no sysfs: its {ROOT} is no folder; see where it is read"


@pytest.mark.parametrize("spoil", [*NO_FOLDER, loop])
def test_without_a_list_of_interfaces_ports_are_told_and_that_too(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    lay(tmp_path, ethernet("mlx5_0", "eth0"))
    whole = read_devices(Tree(tmp_path))
    (tmp_path / "class/net").rename(tmp_path / "away")
    spoil(tmp_path / "class/net")
    probed = read_devices(Tree(tmp_path))
    assert found(probed).ports == found(whole).ports
    assert whole.reason is None
    assert (probed.reason or "").startswith("the interfaces of Ethernet ports are not known: class/net: ")
