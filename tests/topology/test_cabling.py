"""Which cables are known from one look to the next, and what the reports say that are concluded from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.identity import ChassisId, guid
from discovery.reports import HOST, SWITCH, Peer, SwitchPort, SwitchReport
from topology.cabling import Cabling, KnownCabling, Today, know
from topology.links import End, Link
from topology.remembering import remember
from topology.rivals import Cable, cable_of
from topology.sweeps import Sweeps
from topology.told import read_report

LEAVES, SPINE = (1, 2), 9
NAMES = {1: "leaf-1", 2: "leaf-2", SPINE: "spine"}
HOSTS = {0x10 + number: f"node-{number} mlx5_0" for number in range(4)}

Cables = frozenset[tuple[int, int, int, int]]
"""Switch, port, far GUID, far port."""
WHOLE: Cables = frozenset(
    {(leaf, 1 + at, 0x10 + 2 * row + at, 1) for row, leaf in enumerate(LEAVES) for at in (0, 1)}
    | {(leaf, 8, SPINE, leaf) for leaf in LEAVES}
)
"""Each leaf with two hosts and a cable to the spine."""


def report(switch: int, cables: Cables) -> SwitchReport:
    """What the switch says of these cables."""
    ends = [(a, p, b, q) for a, p, b, q in cables if a == switch] + [
        (b, q, a, p) for a, p, b, q in cables if b == switch
    ]
    ports = [
        SwitchPort(
            number=port,
            peer=Peer(
                kind=HOST if far in HOSTS else SWITCH,
                guid=guid(far),
                description=HOSTS.get(far, NAMES.get(far)),
                port=far_port,
            ),
        )
        for _, port, far, far_port in sorted(ends)
    ]
    return SwitchReport(guid=guid(switch), description=NAMES.get(switch), ports=tuple(ports))


def today(cables: Cables, without: frozenset[int] = frozenset(), **more: frozenset[int]) -> Today:
    """The reports of all switches but those `without` one."""
    told = {NAMES[switch]: read_report("s", report(switch, cables)) for switch in NAMES if switch not in without}
    return Today(told, **more)


def sweep(number: int, *, whole: bool = True) -> Sweeps:
    """The look at the sweep of that number; `whole` False: no whole sweep came since the last look."""
    return Sweeps({"s": number}, {"s": number - whole}, frozenset({"s"}))


def known(*looks: Today) -> Cabling:
    """After one whole sweep a look."""
    cabling = know(KnownCabling(), looks[0], sweep(1))
    for number, look in enumerate(looks[1:], start=2):
        cabling = know(cabling.known, look, sweep(number))
    return cabling


def cables(cabling: Cabling) -> set[Cable]:
    return set(cabling.known.cables)


def as_cables(rows: Cables) -> set[Cable]:
    return {cable_of(End(a, p), End(b, q)) for a, p, b, q in rows}


def told(reports: Mapping[str, tuple[SwitchReport, ...]]) -> set[Cable]:
    """All cables that these reports tell of, by whichever end."""
    return {cable for of_one in reports.values() for found in of_one for cable, _ in read_report("s", found).cables}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sets(st.sampled_from(sorted(WHOLE))), st.sets(st.sampled_from(sorted(NAMES)))), max_size=6)
)
def test_whatever_is_absent_and_whoever_is_silent_all_cables_stay_known(
    looks: list[tuple[set[tuple[int, int, int, int]], set[int]]],
) -> None:
    cabling = known(today(WHOLE), *(today(WHOLE - cut, frozenset(without)) for cut, without in looks))
    assert cables(cabling) == as_cables(WHOLE)
    assert told(cabling.held) == as_cables(WHOLE)
    assert cabling.shown is cabling.held
    switches = [found.guid for found in cabling.held["s"]]
    assert sorted(switches, key=str) == sorted((guid(switch) for switch in NAMES), key=str)


def test_reports_of_which_every_word_counts_stay_the_same_objects() -> None:
    look = today(WHOLE)
    assert {id(found) for found in known(look, look).held["s"]} == {id(found.report) for found in look.told.values()}


def test_a_cable_that_nothing_contradicts_counts_at_once() -> None:
    more = WHOLE | {(1, 3, 0x20, 1)}
    assert cables(known(today(WHOLE), today(more))) == as_cables(more)


MOVED = (WHOLE - {(1, 1, 0x10, 1)}) | {(2, 5, 0x10, 1)}


def test_a_port_with_another_cable_is_in_doubt_until_three_whole_sweeps_showed_it() -> None:
    first = known(today(WHOLE), today(MOVED))
    assert cables(first) == told(first.held) == as_cables(WHOLE)
    assert told(first.shown) == as_cables(MOVED)
    second = know(first.known, today(MOVED), sweep(3))
    between = know(second.known, today(MOVED), sweep(3, whole=False))
    assert cables(between) == as_cables(WHOLE)
    third = know(between.known, today(MOVED), sweep(4))
    assert cables(third) == told(third.held) == as_cables(MOVED)
    assert third.known.doubts == {}


def test_a_look_between_sweeps_counts_for_nothing_and_loses_no_count() -> None:
    cabling = know(known(today(WHOLE)).known, today(MOVED), sweep(1, whole=False))
    for number in (2, 3):
        cabling = know(cabling.known, today(MOVED), sweep(number))
        cabling = know(cabling.known, today(WHOLE), sweep(number, whole=False))
        assert cables(cabling) == as_cables(WHOLE)
    assert cables(know(cabling.known, today(MOVED), sweep(4))) == as_cables(MOVED)


def test_a_whole_sweep_without_it_ends_a_doubt() -> None:
    cabling = known(today(WHOLE), today(MOVED), today(MOVED), today(WHOLE), today(MOVED), today(MOVED))
    assert cables(cabling) == as_cables(WHOLE)


def test_a_cable_that_is_still_told_stands_beside_what_contradicts_it() -> None:
    both = WHOLE | {(2, 5, 0x10, 1)}
    looks = [today(both)] * 3
    assert told(known(today(WHOLE), looks[0]).shown) == as_cables(both)
    assert cables(known(today(WHOLE), *looks[:2])) == as_cables(WHOLE)
    assert cables(known(today(WHOLE), *looks)) == as_cables(both)


def test_the_last_words_of_a_silent_switch_contradict_nothing() -> None:
    last_words = (WHOLE - {(1, 8, SPINE, 1)}) | {(1, 8, SPINE, 7)}
    look = today(WHOLE)
    mixed = Today({**look.told, "leaf-1": today(last_words).told["leaf-1"]}, silent=frozenset({1}))
    cabling = known(look, *[mixed] * 4)
    assert cables(cabling) == told(cabling.held) == as_cables(WHOLE)
    assert cables(known(mixed)) == as_cables(WHOLE)
    alone = Today({"leaf-1": today(WHOLE).told["leaf-1"]}, silent=frozenset({1}))
    assert cables(known(alone)) == as_cables(frozenset(row for row in WHOLE if row[0] == 1))


def test_a_switch_that_left_takes_its_cables_along_and_comes_back_with_them_at_once() -> None:
    rest = frozenset(row for row in WHOLE if row[0] != 1)
    gone = today(WHOLE, frozenset({1}), left=frozenset({1}))
    cabling = known(today(WHOLE), gone)
    assert cables(cabling) == told(cabling.held) == as_cables(rest)
    assert cables(know(cabling.known, today(WHOLE), sweep(3))) == as_cables(WHOLE)


def test_a_host_whose_node_is_gone_takes_along_only_what_is_absent() -> None:
    absent = WHOLE - {(1, 1, 0x10, 1)}
    assert cables(known(today(WHOLE), today(absent, departed=frozenset({0x10})))) == as_cables(absent)
    assert cables(known(today(WHOLE), today(WHOLE, departed=frozenset({0x10})))) == as_cables(WHOLE)


def test_another_adapter_for_the_same_device_of_a_host_contradicts_the_old_one_at_any_port() -> None:
    HOSTS[0x30] = HOSTS[0x10]
    new = (WHOLE - {(1, 1, 0x10, 1)}) | {(1, 4, 0x30, 1)}
    assert cables(known(today(WHOLE), today(new))) == as_cables(WHOLE)
    assert cables(known(today(WHOLE), *[today(new)] * 3)) == as_cables(new)


def test_a_port_that_was_not_known_is_no_contradiction() -> None:
    vague = (WHOLE - {(1, 8, SPINE, 1)}) | {(1, 8, SPINE, 0)}
    silent = frozenset({SPINE})
    assert cables(known(today(vague, silent), today(WHOLE))) == as_cables(WHOLE)


def test_a_report_under_another_name_is_the_same_switch() -> None:
    look = today(WHOLE)
    renamed = {("other" if name == "leaf-1" else name): found for name, found in look.told.items()}
    cabling = known(look, Today(renamed))
    assert len(cabling.held["s"]) == 3
    assert told(cabling.held) == as_cables(WHOLE)


def test_lost_links_of_before_a_restart_are_known_where_both_ends_are() -> None:
    rest = WHOLE - {(1, 8, SPINE, 1), (1, 1, 0x10, 1)}
    uplink, of_host = Link(End(1, 8), End(SPINE, 1)), Link(End(0x10, 1), End(1, 1))
    unknown = [Link(End(0x10, 1), End(77, 1)), Link(End(77, 1), End(1, 5))]
    host = Peer(kind=HOST, guid=guid(0x10), description=HOSTS[0x10], port=1)
    before = remember([uplink, of_host, *unknown], today(rest).told, {End(0x10, 1): host})
    assert set(before.cables) == as_cables(WHOLE - rest)
    cabling = know(before, today(rest), sweep(1))
    assert cables(cabling) == told(cabling.held) == as_cables(WHOLE)


def test_the_slowest_of_the_live_sweepers_counts() -> None:
    live = frozenset({"a", "b"})
    assert not Sweeps({"a": 9, "b": 5, "dead": 1}, {}, live).agree({"a": 1, "b": 3, "dead": 1})
    assert Sweeps({"a": 9, "b": 6, "dead": 1}, {}, live).agree({"a": 1, "b": 3, "dead": 1})
    assert not Sweeps({"dead": 9}).agree({})


def test_by_lldp_a_cable_that_is_still_told_stands_whatever_contradicts_it_and_how_often() -> None:
    def heard(rows: Cables) -> Today:
        told = today(rows).told
        return Today({name: read_report("s", by_lldp(found.report)) for name, found in told.items()})

    def by_lldp(found: SwitchReport) -> SwitchReport:
        return replace(found, guid=None, chassisId=ChassisId(str(found.guid)))

    before = known(heard(WHOLE))
    both, moved = heard(WHOLE | {(2, 5, 0x10, 1)}), heard(MOVED)
    assert cables(known(heard(WHOLE), *[both] * 6)) == cables(before)
    assert cables(known(heard(WHOLE), *[both] * 6, moved)) == cables(known(moved))
