"""A link of which only a part was known is the same link once all of it is seen: it is counted once."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from discovery.reports import DOWN, UP
from tests.topology.small_fabric import (
    HIERARCHY,
    HOST_LINKS,
    LEAVES,
    NODES,
    PLACES,
    SPINES,
    UPLINKS,
    evidence,
    host_link,
    ports_of,
    uplink,
    with_ports,
)
from topology.diagnosis import judge_health
from topology.health import Findings
from topology.judging import Judged, judge
from topology.links import NOWHERE, End, KnownLinks, Link, PortEvidence, PortState, Verdict

ALL = {*HOST_LINKS, *UPLINKS}
LINK, OTHER = host_link("n1", 1), host_link("n1", 2)
ALONE = Link(LINK.lower, NOWHERE)


def says(look: PortEvidence, link: Link, word: str) -> PortEvidence:
    """The host says so of its end, and that it was up once."""
    return with_ports(look, {**ports_of(look), link.lower: PortState(Verdict(word), ever_up=True)})


def look_at(looks: list[PortEvidence], goes_on: bool, known: KnownLinks | None = None) -> Judged:
    """All these looks, one after the other."""
    last = judge(known or KnownLinks(), looks[0], PLACES, frozenset(NODES))
    for before, look in pairwise(looks):
        guids = before.devices.keys() | look.devices.keys()
        touched = frozenset(guid for guid in guids if before.devices.get(guid) != look.devices.get(guid))
        last = judge(last.known, look, PLACES, frozenset(NODES), last if goes_on else None, touched)
    return last


@pytest.mark.parametrize("goes_on", [True, False])
@pytest.mark.parametrize("word", [UP, DOWN])
def test_a_link_that_its_host_alone_knew_is_one_link_when_its_switch_shows_it(goes_on: bool, word: str) -> None:
    dark, seen = evidence(cut=[LINK]), evidence()
    looks = [says(dark, LINK, DOWN), says(seen, LINK, word), says(seen, LINK, UP)]
    assert look_at(looks[:1], goes_on).known.links[ALONE] == Verdict(DOWN)
    found = look_at(looks[:2], goes_on).known
    assert found.links.keys() == ALL
    assert found.links[LINK].word == word
    assert look_at(looks, goes_on).known.links == dict.fromkeys(ALL, Verdict(UP))


@pytest.mark.parametrize("goes_on", [True, False])
def test_it_stands_in_no_total_twice(goes_on: bool) -> None:
    found = look_at([says(evidence(cut=[LINK]), LINK, DOWN), says(evidence(), LINK, UP)], goes_on).known
    health = judge_health(HIERARCHY, Findings(found, PLACES)).hyper_nodes["leaf-1"]
    assert (health.unhealthy, health.total) == (0, 4 + 2)


@pytest.mark.parametrize("goes_on", [True, False])
def test_one_that_is_up_again_takes_no_other_along(goes_on: bool) -> None:
    dark = evidence(cut=[LINK, OTHER])
    both = says(says(dark, LINK, DOWN), OTHER, DOWN)
    found = look_at([both, says(both, LINK, UP)], goes_on).known
    assert found.links[ALONE] == Verdict(UP)
    assert found.links[Link(OTHER.lower, NOWHERE)] == Verdict(DOWN)


def test_a_remembered_one_that_its_switch_shows_is_one_link_at_the_first_look() -> None:
    known = KnownLinks({ALONE: Verdict(DOWN)}, {LINK.lower.guid: "n1"})
    assert look_at([evidence()], goes_on=False, known=known).known.links == dict.fromkeys(ALL, Verdict(UP))


@pytest.mark.parametrize("goes_on", [True, False])
@pytest.mark.parametrize("link", [LINK, uplink("l1", "s1")])
def test_a_port_that_was_not_told_is_known_once_it_is(goes_on: bool, link: Link) -> None:
    whole = evidence()
    ports = {end: state for end, state in ports_of(whole).items() if end != link.lower}
    ports[link.upper] = replace(ports[link.upper], peer=End(link.lower.guid, 0))
    found = look_at([with_ports(whole, ports), whole], goes_on).known
    assert found.links == dict.fromkeys(ALL, Verdict(UP))


@pytest.mark.parametrize("remembered", [UP, DOWN])
def test_an_uplink_that_was_taken_for_a_downlink_is_turned_over(remembered: str) -> None:
    first = look_at([evidence()], goes_on=False).known
    wrong = {Link(*reversed(link)) if link.upper.guid == SPINES["s1"] else link for link in first.links}
    known = KnownLinks(dict.fromkeys(wrong, Verdict(remembered)), first.node)
    assert look_at([evidence()], goes_on=False, known=known).known.links == dict.fromkeys(ALL, Verdict(UP))


def test_a_cable_that_is_within_a_level_by_now_is_nobodys_own_link() -> None:
    beside = Link(End(LEAVES["l1"], 20), End(LEAVES["l2"], 20))
    first = look_at([evidence()], goes_on=False).known
    known = KnownLinks({**first.links, beside: Verdict(DOWN)}, first.node)
    assert look_at([evidence()], goes_on=False, known=known).known.links.keys() == ALL
