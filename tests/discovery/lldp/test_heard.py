"""How long a neighbour counts. Times are told or virtual."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.lldp.frames import Frame, read_frame
from discovery.lldp.heard import MAX_HELD, MAX_SOURCES, FullError, Heard
from discovery.lldp.listener import BAD_TLV, TOO_MANY_NEIGHBOURS, Listener
from discovery.lldp.neighbours import MAX_NEIGHBOURS
from tests.discovery.lldp.building import END, a_frame, chassis, frame, name, port, tlv, ttl


def said(data: bytes) -> Frame:
    found = read_frame(data)
    assert isinstance(found, Frame)
    return found


def sent_by(number: int, data: bytes) -> bytes:
    """The frame from another MAC."""
    return data[:6] + bytes.fromhex("6600000000") + bytes([number]) + data[12:]


def adapter(number: int, seconds: int = 120) -> bytes:
    """As a network adapter's firmware sends it."""
    mac = bytes.fromhex("506b4bf61e") + bytes([number])
    return frame(chassis(4, mac), port(3, mac), ttl(seconds), tlv(4, b"ConnectX"), END)


def names(heard: Heard, now: float, on: str = "eth0") -> list[str | None]:
    return [one.systemName for one in heard.neighbours(now).get(on, ())]


def test_a_neighbour_counts_until_its_time_is_over_and_a_frame_begins_it_anew() -> None:
    heard = Heard()
    assert heard.take("eth0", said(a_frame(seconds=120)), 1000.0)
    assert names(heard, 1119.9) == ["leaf-01"]
    assert names(heard, 1120.0) == []
    assert not heard.take("eth0", said(a_frame(seconds=120)), 1030.0)
    assert heard.next_end() == 1150.0
    assert not heard.expire(1149.0)
    assert heard.expire(1150.0)
    assert heard.next_end() is None
    assert not heard.expire(2000.0)


def test_a_goodbye_ends_it_at_once_and_touches_nobody_else() -> None:
    heard = Heard()
    heard.take("eth0", said(a_frame(1)), 0.0)
    heard.take("eth0", said(a_frame(2, text=b"leaf-02")), 0.0)
    assert heard.take("eth0", said(a_frame(1, seconds=0)), 1.0)
    assert names(heard, 1.0) == ["leaf-02"]
    assert not heard.take("eth0", said(a_frame(3, seconds=0)), 1.0)


def test_a_goodbye_counts_from_the_mac_that_announced_alone() -> None:
    heard = Heard()
    heard.take("eth0", said(a_frame(1)), 0.0)
    assert not heard.take("eth0", said(sent_by(1, a_frame(1, seconds=0))), 1.0)
    assert names(heard, 1.0) == ["leaf-01"]


def test_what_another_mac_sends_with_the_same_ids_neither_ends_nor_shortens_it() -> None:
    heard = Heard()
    heard.take("eth0", said(a_frame(1, seconds=120)), 0.0)
    heard.take("eth0", said(sent_by(1, a_frame(1, seconds=2))), 1.0)
    heard.expire(60.0)
    assert names(heard, 60.0) == ["leaf-01"]
    heard.take("eth0", said(sent_by(1, a_frame(1, seconds=120))), 60.0)
    heard.take("eth0", said(sent_by(1, a_frame(1, seconds=0))), 61.0)
    assert names(heard, 61.0) == ["leaf-01"]


def test_another_name_of_the_same_sender_is_a_change_and_no_second_neighbour() -> None:
    heard = Heard()
    heard.take("eth0", said(a_frame()), 0.0)
    assert heard.take("eth0", said(a_frame(text=b"leaf-01.renamed")), 1.0)
    assert names(heard, 1.0) == ["leaf-01.renamed"]


def test_ports_are_told_apart_and_one_that_lost_its_cable_is_forgotten() -> None:
    heard = Heard()
    heard.take("eth0", said(a_frame(1)), 0.0)
    heard.take("eth1", said(a_frame(1)), 0.0)
    assert heard.forget("eth0")
    assert set(heard.neighbours(1.0)) == {"eth1"}
    assert not heard.forget("eth0")


def test_a_port_has_a_bounded_number_of_neighbours_and_those_heard_first_stay() -> None:
    heard = Heard()
    for leaf in range(MAX_NEIGHBOURS):
        heard.take("eth0", said(a_frame(leaf)), 0.0)
    with pytest.raises(FullError):
        heard.take("eth0", said(a_frame(200)), 1.0)
    assert not heard.take("eth0", said(a_frame(0)), 2.0)  # of those that are known more is heard
    heard.expire(121.0)
    assert heard.take("eth0", said(a_frame(200)), 121.0)


def test_many_frames_with_few_ids_keep_no_neighbour_out() -> None:
    """Ids of several kinds that are told alike, and one id from many MACs."""
    heard, full = Heard(), 0
    for number in range(20):
        alike = frame(chassis(7, b"x"), port(number % 4 + 4, b"p"), ttl(), name(b"forged"), END)
        try:
            heard.take("eth0", said(sent_by(number, alike)), 0.0)
        except FullError:
            full += 1
    assert full == 20 - MAX_SOURCES
    assert heard.take("eth0", said(a_frame()), 1.0)
    assert names(heard, 1.0)[0] == "leaf-01"


def test_adapters_make_room_for_a_switch_and_not_for_more_adapters() -> None:
    heard = Heard()
    for number in range(MAX_NEIGHBOURS):
        heard.take("eth0", said(adapter(number)), 0.0)
    with pytest.raises(FullError):
        heard.take("eth0", said(adapter(200)), 0.0)
    assert heard.take("eth0", said(a_frame()), 0.0)
    assert names(heard, 1.0) == ["leaf-01"]


def test_where_frames_were_lost_silence_says_nothing_for_a_while() -> None:
    heard = Heard()
    heard.take("eth0", said(a_frame(seconds=2)), 0.0)
    heard.hold("eth0", 5.0)
    assert names(heard, 4.0) == ["leaf-01"]
    assert names(heard, 5.0) == []


def test_frames_that_are_lost_without_end_keep_nobody_for_ever() -> None:
    heard, now = Heard(), 0.0
    heard.take("eth0", said(a_frame(seconds=100)), now)
    while now < 100 + MAX_HELD:
        assert names(heard, now) == ["leaf-01"]
        now += 1.0
        heard.hold("eth0", now + 5.0)
        heard.expire(now)
    assert names(heard, now) == []


@pytest.mark.looptime
async def test_the_listener_wakes_when_a_neighbour_comes_and_when_its_time_is_over() -> None:
    listener, loop = Listener(), asyncio.get_running_loop()
    start = loop.time()
    listener.hear("eth0", a_frame(seconds=120))
    await listener.changed()
    assert loop.time() == start
    loop.call_later(100, listener.hear, "eth0", a_frame(seconds=120))  # no change, yet another two minutes
    await listener.changed()
    assert loop.time() == pytest.approx(start + 220, abs=0.1)
    assert listener.neighbours() == {}
    listener.close()


@pytest.mark.looptime
async def test_the_listener_wakes_at_once_for_a_goodbye_and_in_order_for_several() -> None:
    listener, loop = Listener(), asyncio.get_running_loop()
    start = loop.time()
    listener.hear("eth0", a_frame(1, seconds=300))
    listener.hear("eth0", a_frame(2, seconds=10))
    listener.hear("eth1", a_frame(3, seconds=20))
    await listener.changed()
    for end, left in ((10, {"eth0": 1, "eth1": 1}), (20, {"eth0": 1})):
        await listener.changed()
        assert loop.time() == pytest.approx(start + end, abs=0.1)
        assert {name: len(told) for name, told in listener.neighbours().items()} == left
    listener.hear("eth0", a_frame(1, seconds=0))
    await listener.changed()
    assert loop.time() == pytest.approx(start + 20, abs=0.1)
    assert listener.neighbours() == {}
    listener.close()


@pytest.mark.looptime
async def test_the_listener_counts_what_it_drops_by_reason() -> None:
    listener = Listener()
    for leaf in range(MAX_NEIGHBOURS + 2):
        listener.hear("eth0", a_frame(leaf))
    listener.hear("eth0", b"short")
    listener.hear("eth0", frame(tlv(1, b""), chassis(4, bytes(6)), port(), ttl(), END))
    assert listener.dropped == {TOO_MANY_NEIGHBOURS: 3, "too short": 1, BAD_TLV: 1}
    assert len(listener.neighbours()["eth0"]) == MAX_NEIGHBOURS
    listener.close()


@dataclass(slots=True)
class Plain:
    """What counts, written down again: of every sender the end of its last frame, and nothing forgotten by itself."""

    ends: dict[tuple[str, int], float] = field(default_factory=dict)

    def alive(self, port: str, now: float) -> set[int]:
        return {leaf for (on, leaf), end in self.ends.items() if on == port and end > now}


ports = st.sampled_from(["eth0", "eth1"])
steps = st.lists(
    st.tuples(st.just("frame"), ports, st.integers(1, 3), st.integers(0, 5))
    | st.tuples(st.just("forget"), ports, st.just(0), st.just(0))
    | st.tuples(st.just("expire"), ports, st.just(0), st.just(0))
    | st.tuples(st.just("wait"), ports, st.just(0), st.integers(0, 4)),
    max_size=40,
)


@given(steps)
@settings(max_examples=100)
def test_whatever_happens_those_count_whose_last_frame_still_does(steps: list[tuple[str, str, int, int]]) -> None:
    heard, plain, now = Heard(), Plain(), 100.0
    for what, on, leaf, number in steps:
        if what == "frame":
            before = plain.alive(on, now)
            changed = heard.take(on, said(a_frame(leaf, seconds=number, text=f"leaf-{leaf}".encode())), now)
            plain.ends[on, leaf] = now + number
            assert changed or plain.alive(on, now) == before
        elif what == "forget":
            heard.forget(on)
            plain.ends = {key: end for key, end in plain.ends.items() if key[0] != on}
        elif what == "expire":
            heard.expire(now)
        else:
            now += number
        for port_name in ("eth0", "eth1"):
            assert names(heard, now, port_name) == [f"leaf-{leaf}" for leaf in sorted(plain.alive(port_name, now))]
        ends = [end for end in plain.ends.values() if end > now]
        end = heard.next_end()
        assert end is not None or not ends
        assert not ends or (end or 0.0) <= min(ends)
