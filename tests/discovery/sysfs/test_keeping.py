"""What never changes is read once in each load of a driver; what goes or comes again is told as such."""

from __future__ import annotations

import shutil
import threading
from dataclasses import dataclass, field
from pathlib import Path

from discovery.source import Tree
from discovery.sysfs import Devices, read_devices
from tests.discovery.sysfs.adapters import ROOT, adapter
from tests.discovery.sysfs.test_devices import found

STATIC = ("node_guid", "sys_image_guid", "gids/0", "link_layer", "node_type", "uevent", "parent")


def lay(root: Path, files: dict[str, bytes]) -> Path:
    """The drawn files as real ones."""
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return root


@dataclass(slots=True)
class Counting:
    """Real files, and what was read of them."""

    tree: Tree
    seen: list[str] = field(default_factory=list)

    def read(self, path: str, limit: int) -> bytes:
        self.seen.append(path)
        return self.tree.read(path, limit)

    def names(self, path: str) -> tuple[str, ...]:
        return self.tree.names(path)

    def made(self, path: str) -> str | None:
        return self.tree.made(path)


def look(root: Path, before: Devices | None = None) -> tuple[Devices, list[str]]:
    """What is found, and the files that were read for it."""
    source = Counting(Tree(root))
    return found(read_devices(source, before)), source.seen


def test_guids_are_read_once_and_states_at_every_look(tmp_path: Path) -> None:
    lay(tmp_path, adapter("mlx5_0", ports__1__counters__link_downed="1"))
    first, read_first = look(tmp_path)
    second, read_then = look(tmp_path, first)
    assert second.ports == first.ports
    assert any(path.endswith(STATIC) for path in read_first)
    assert not any(path.endswith(STATIC) for path in read_then)
    assert {path.rpartition("/")[2] for path in read_then} >= {"state", "phys_state", "rate", "link_downed"}
    lay(tmp_path, {f"{ROOT}/mlx5_0/ports/1/state": b"2: INIT\n"})
    assert look(tmp_path, second)[0].ports[0].state == "Init"


def test_a_driver_that_is_loaded_again_is_read_anew_and_told_apart(tmp_path: Path) -> None:
    lay(tmp_path, adapter("mlx5_0"))
    before, _ = look(tmp_path)
    shutil.move(tmp_path / ROOT / "mlx5_0", tmp_path / "unloaded")
    lay(tmp_path, adapter("mlx5_0", node_guid="b83f:d203:00ab:cd99"))
    after, _ = look(tmp_path, before)
    assert after.ports[0].nodeGuid == "b83fd20300abcd99"
    assert after.known["mlx5_0"].load != before.known["mlx5_0"].load


def test_a_guid_that_could_not_be_read_is_asked_for_again(tmp_path: Path) -> None:
    lay(tmp_path, adapter("mlx5_0", node_guid="0000:0000:0000:0000"))
    first, _ = look(tmp_path)
    assert first.ports[0].nodeGuid is None
    lay(tmp_path, adapter("mlx5_0"))
    assert look(tmp_path, first)[0].ports[0].nodeGuid == "b83fd20300abcd10"


def test_a_device_that_comes_and_goes_all_the_time_disturbs_no_other(tmp_path: Path) -> None:
    lay(tmp_path, adapter("mlx5_0") | adapter("mlx5_1"))
    whole, _ = look(tmp_path)
    here, away = tmp_path / ROOT / "mlx5_0", tmp_path / "away"
    done = threading.Event()

    def pull() -> None:
        while not done.is_set():
            here.rename(away)
            away.rename(here)

    puller = threading.Thread(target=pull)
    puller.start()
    try:
        devices = whole
        for _ in range(200):
            devices, _ = look(tmp_path, devices)
            assert devices.ports[-1] == whole.ports[1]
            assert {port.device for port in devices.ports} <= {"mlx5_0", "mlx5_1"}
    finally:
        done.set()
        puller.join()
    assert look(tmp_path, devices)[0].ports == whole.ports


def test_a_known_device_that_vanishes_while_it_is_read_shows_no_port(tmp_path: Path) -> None:
    lay(tmp_path, adapter("mlx5_0") | adapter("mlx5_1"))
    before, _ = look(tmp_path)
    for file in ("ports/1/state", "ports/1/phys_state"):
        (tmp_path / ROOT / "mlx5_0" / file).unlink()
    unknown, _ = look(tmp_path, before)
    assert [(port.device, port.state) for port in unknown.ports] == [("mlx5_0", None), ("mlx5_1", "Active")]
    shutil.rmtree(tmp_path / ROOT / "mlx5_0" / "ports")
    gone, _ = look(tmp_path, unknown)
    assert [port.device for port in gone.ports] == ["mlx5_1"]
