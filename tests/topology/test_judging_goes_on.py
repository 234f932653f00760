"""Going on from the last look gives what judging every link anew gives, whatever happened in between."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.reports import DEGRADED, DOWN, UP
from tests.topology.small_fabric import HIERARCHY, HOST_LINKS, NODES, PLACES, UPLINKS, evidence, ports_of, with_ports
from topology.diagnosis import diagnose, judge_health
from topology.health import Findings, Limits
from topology.judging import Judged, judge
from topology.links import NOWHERE, End, KnownLinks, Link, Places, PortEvidence, PortState, Verdict, by_guid

ALL = (*HOST_LINKS, *UPLINKS)
KINDS = (
    "cut",
    "mend",
    "upper says",
    "lower says",
    "host says",
    "recable",
    "silent",
    "switch leaves",
    "node leaves",
    "places",
)
STEPS = st.tuples(
    st.sampled_from(KINDS), st.sampled_from(ALL), st.sampled_from(ALL), st.sampled_from([UP, DOWN, DEGRADED])
)


def say(look: PortEvidence, end: End, state: PortState | None) -> PortEvidence:
    ports = ports_of(look)
    if state is None:
        ports.pop(end, None)
    else:
        ports[end] = state
    return with_ports(look, ports)


def recabled(look: PortEvidence, link: Link, other: Link) -> PortEvidence:
    """The cable of the one link's lower end leads to the other's upper end."""
    for end in link:
        look = say(look, end, None)
    return say(look, other.upper, PortState(Verdict(UP), peer=link.lower))


def after(look: PortEvidence, kind: str, link: Link, other: Link, word: str) -> PortEvidence:
    """The evidence of the next look."""
    match kind:
        case "cut":
            return say(say(look, link.upper, None), link.lower, None)
        case "mend":
            return say(look, link.upper, PortState(Verdict(UP), peer=link.lower))
        case "upper says":
            return say(look, link.upper, PortState(Verdict(word), peer=link.lower))
        case "lower says" if link in UPLINKS:
            return say(look, link.lower, PortState(Verdict(word), peer=link.upper))
        case "host says" if link in HOST_LINKS:
            return say(look, link.lower, PortState(Verdict(word, "Polling"), ever_up=True))
        case "recable":
            return recabled(look, link, other)
        case "silent":
            return replace(look, answered=look.answered ^ {link.upper.guid})
        case "switch leaves":
            switches = look.switches ^ {link.upper.guid}
            return replace(look, switches=switches, answered=look.answered & switches)
    return look


def touched(before: PortEvidence, now: PortEvidence) -> frozenset[int]:
    guids = before.devices.keys() | now.devices.keys()
    return frozenset(guid for guid in guids if before.devices.get(guid) != now.devices.get(guid))


@settings(max_examples=100, deadline=None)
@given(st.lists(STEPS, max_size=20))
def test_judging_goes_on_as_it_would_begin_anew(steps: list[tuple[str, Link, Link, str]]) -> None:
    look, nodes, places = evidence(), frozenset(NODES), PLACES
    last = judge(KnownLinks(), look, places, nodes)
    health = diagnose(HIERARCHY, Findings(last.known, places), Limits())
    for kind, link, other, word in steps:
        now = after(look, kind, link, other, word)
        if kind == "node leaves":
            nodes = nodes ^ {"n1"}
        if kind == "places":
            places = Places(places.level, places.node, places.label)
        went_on = judge(last.known, now, places, nodes, last, touched(look, now))
        anew = judge(last.known, now, places, nodes)
        check(last, went_on, anew)
        findings = Findings(went_on.known, places)
        health = diagnose(HIERARCHY, findings, Limits(), health, went_on.changed)
        assert health.health == judge_health(HIERARCHY, findings)
        look, last = now, went_on


def check(before: Judged, went_on: Judged, anew: Judged) -> None:
    assert went_on.known == anew.known
    assert went_on.changed == anew.changed
    known = went_on.known.links
    assert went_on.changed == {
        link for link in known.keys() | before.known.links.keys() if known.get(link) != before.known.links.get(link)
    }
    assert {guid: set(found) for guid, found in went_on.known.at.items() if found} == {
        guid: set(found) for guid, found in by_guid(known).items()
    }


def test_a_link_that_only_its_host_knows_is_found_once_its_old_cable_is_forgotten() -> None:
    link, other = HOST_LINKS[0], HOST_LINKS[1]
    look = evidence(cut=[link, other])
    look = say(look, link.lower, PortState(Verdict(DOWN), ever_up=True))
    look = say(look, link.upper, PortState(Verdict(UP), peer=other.lower))
    first = judge(KnownLinks(dict.fromkeys(ALL, Verdict(UP))), look, PLACES, frozenset(NODES))
    assert link not in first.known.links
    second = judge(first.known, look, PLACES, frozenset(NODES), first)
    assert second.known.links[Link(link.lower, NOWHERE)] == Verdict(DOWN)
