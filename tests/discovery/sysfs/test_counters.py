"""Error counters: a value that says nothing is unknown, never zero; a port that refuses them is left alone."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from discovery.errors import UnreadableSourceError
from discovery.samples import Counters
from discovery.source import Fixture
from discovery.sysfs import Devices, read_devices
from tests.discovery.sysfs.adapters import ROOT, adapter
from tests.discovery.sysfs.test_devices import found, read

COUNTERS = "ports__1__counters__"


def counted(**files: str) -> Counters:
    """The counters of a drawn port; files are named as in `counters`."""
    drawn = adapter("mlx5_0", **{f"{COUNTERS}{name}": text for name, text in files.items()})
    return read(drawn).counters["mlx5_0", 1]


def test_the_errors_of_a_link_are_counted_each_under_its_own_name() -> None:
    assert counted(
        symbol_error="7", link_error_recovery="2", link_downed="3", port_rcv_errors="14",
        local_link_integrity_errors="1", excessive_buffer_overrun_errors="5", port_xmit_wait="2489603687",
    ) == Counters(
        symbol_errors=7, link_error_recovery=2, link_downed=3, receive_errors=14, local_link_integrity_errors=1,
        excessive_buffer_overrun_errors=5,
    )  # fmt: skip


@pytest.mark.parametrize("text", ["N/A (no PMA)", "", "-1", "12 errors", "0x10", "1e3", "1" * 21, str(2**64), "²"])
def test_what_is_no_count_is_unknown(text: str) -> None:
    assert counted(symbol_error=text, link_downed="0") == Counters(link_downed=0)


@pytest.mark.parametrize(
    ("file", "field", "end"),
    [
        ("symbol_error", "symbol_errors", 0xFFFF),
        ("port_rcv_errors", "receive_errors", 0xFFFF),
        ("link_downed", "link_downed", 0xFF),
        ("link_error_recovery", "link_error_recovery", 0xFF),
        ("local_link_integrity_errors", "local_link_integrity_errors", 0xF),
        ("excessive_buffer_overrun_errors", "excessive_buffer_overrun_errors", 0xF),
    ],
)
def test_a_counter_at_the_end_of_its_bits_counts_no_more_and_a_wider_one_does(file: str, field: str, end: int) -> None:
    values = [end - 1, end, end + 1, 2**32 - 1, 2**40, 2**64 - 1]
    told = [getattr(counted(**{file: str(value)}), field) for value in values]
    assert told == [end - 1, None, end + 1, None, 2**40, None]


def test_of_an_ethernet_port_its_interface_counts_and_the_hardware_what_came_in_broken() -> None:
    port = adapter("mlx5_0", ports__1__link_layer="Ethernet", ports__1__counters__symbol_error="1")
    assert read(port).counters == {("mlx5_0", 1): Counters()}
    port |= adapter("mlx5_0", ports__1__link_layer="Ethernet", ports__1__hw_counters__rx_icrc_encapsulated="70001")
    assert read(port).counters == {("mlx5_0", 1): Counters(receive_errors=70001)}


@dataclass(slots=True)
class Refusing:
    """A sysfs whose hardware refuses some files (EINVAL) as long as it is locked; counts how often it was asked."""

    files: dict[str, bytes]
    locked: bool = True
    asked: list[str] = field(default_factory=list)

    def read(self, path: str, limit: int) -> bytes:
        if "/mlx5_0/ports/1/counters/" in path:
            self.asked.append(path)
            if self.locked:
                raise UnreadableSourceError(f"{path}: Invalid argument")
        return Fixture(self.files).read(path, limit)

    def names(self, path: str) -> tuple[str, ...]:
        return Fixture(self.files).names(path)

    def made(self, path: str) -> str | None:
        return "1" if any(file.startswith(f"{path}/") for file in self.files) else None


def test_a_port_that_refuses_its_counters_is_asked_ever_less_often_and_hides_no_other() -> None:
    drawn = adapter("mlx5_0", ports__1__counters__symbol_error="3")
    drawn |= adapter("mlx5_1", ports__1__counters__symbol_error="4")
    sysfs = Refusing(drawn)
    devices, asked_at = Devices(), []
    for look in range(40):
        before = len(sysfs.asked)
        devices = found(read_devices(sysfs, devices))
        assert devices.counters == {("mlx5_0", 1): Counters(), ("mlx5_1", 1): Counters(symbol_errors=4)}
        asked_at += [look] * (len(sysfs.asked) - before)
    assert asked_at == [0, 2, 5, 10, 19, 36], "one question a try, and after each twice as many looks without"
    sysfs.locked = False
    for _ in range(40):
        devices = found(read_devices(sysfs, devices))
    assert devices.counters["mlx5_0", 1] == Counters(symbol_errors=3)
    assert not devices.pauses


def test_a_port_that_has_no_counters_is_not_one_that_refuses_them() -> None:
    devices = read({path: data for path, data in adapter("mlx5_0").items() if "counters" not in path})
    assert devices.counters == {("mlx5_0", 1): Counters()}
    assert devices.pauses == {}
    assert f"{ROOT}/mlx5_0/ports/1/state" in adapter("mlx5_0")
