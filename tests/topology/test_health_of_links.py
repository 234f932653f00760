"""How each link is, from what its two ends say and from what was known before."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.reports import DEGRADED, DOWN, FLAPPING, UNKNOWN, UP
from tests.topology.small_fabric import (
    HOST_LINKS,
    LEAVES,
    NODES,
    PLACES,
    SWITCHES,
    UPLINKS,
    evidence,
    host_link,
    judged,
    ports_of,
    uplink,
    with_ports,
)
from topology.judging import judge_links
from topology.links import NOWHERE, End, KnownLinks, Link, PortState, Verdict, read_lost, write_lost

ALL = {*HOST_LINKS, *UPLINKS}


def down(known: KnownLinks) -> set[Link]:
    return {link for link, verdict in known.links.items() if verdict.word == DOWN}


def test_every_link_of_a_whole_fabric_is_known_and_up() -> None:
    known = judged(evidence())
    assert known.links == dict.fromkeys(ALL, Verdict(UP))


def test_a_known_link_that_its_switch_no_longer_reports_is_down() -> None:
    cut = {host_link("n1", 2), uplink("l2", "s1")}
    known = judged(evidence(), evidence(cut))
    assert known.links.keys() == ALL
    assert down(known) == cut
    assert known.links[host_link("n1", 2)].reason == "NotSeen"


def test_a_link_that_was_never_seen_is_nobodys_loss() -> None:
    assert judged(evidence(cut=[host_link("n1", 2)])).links.keys() == ALL - {host_link("n1", 2)}


def test_silence_changes_no_verdict() -> None:
    cut = {host_link("n1", 1)}
    assert down(judged(evidence(), evidence(silent=SWITCHES))) == set()
    assert down(judged(evidence(), evidence(cut), evidence(silent=SWITCHES))) == cut


def test_one_answering_end_is_enough_to_find_an_uplink_gone() -> None:
    known = judged(evidence(), evidence(cut=[uplink("l1", "s1")], silent=["s1"]))
    assert down(known) == {uplink("l1", "s1")}


def test_a_link_that_one_end_reports_stands_whatever_the_other_end_has_in_its_place() -> None:
    link, other = uplink("l1", "s1"), uplink("l1", "s2")
    look = evidence()
    ports = ports_of(look)
    ports[link.lower] = replace(ports[link.lower], peer=other.upper)
    known = judged(evidence(), with_ports(look, ports))
    assert known.links[link] == Verdict(UP)
    del ports[link.lower]
    assert judged(evidence(), with_ports(look, ports)).links[link] == Verdict(UP)
    del ports[link.upper]
    assert judged(evidence(), with_ports(look, ports)).links[link] == Verdict(DOWN, "NotSeen")


def test_a_dead_switch_takes_its_uplinks_and_leaves_its_hosts_to_their_own_word() -> None:
    lost = {link for link in ALL if LEAVES["l1"] in (link.lower.guid, link.upper.guid)}
    known = judged(evidence(), evidence(lost, silent=["l1"]))
    assert down(known) == {uplink("l1", "s1"), uplink("l1", "s2")}
    word = {host_link("n1", 1).lower: Verdict(DOWN, "Polling")}
    known = judged(evidence(), evidence(lost, silent=["l1"], told=word))
    assert known.links[host_link("n1", 1)] == Verdict(DOWN, "Polling")


def test_the_worse_of_two_ends_counts() -> None:
    link = host_link("n3", 1)
    told = {link.lower: Verdict(FLAPPING), link.upper: Verdict(DEGRADED)}
    assert judged(evidence(told=told)).links[link] == Verdict(FLAPPING)
    told = {link.lower: Verdict(UNKNOWN), link.upper: Verdict(UNKNOWN)}
    assert judged(evidence(told=told)).links[link] == Verdict(UP)


def test_a_port_that_is_remembered_with_its_peer_and_down_is_known_at_once() -> None:
    link = uplink("l1", "s2")
    told = dict.fromkeys(link, Verdict(DOWN, "Polling"))
    assert judged(evidence(told=told)).links[link] == Verdict(DOWN, "Polling")


def test_a_cable_in_another_port_is_a_new_link_and_the_old_one_is_forgotten() -> None:
    old = host_link("n1", 1)
    moved = Link(old.lower, End(old.upper.guid, 9))
    look = evidence(cut=[old])
    look = with_ports(look, {**ports_of(look), moved.upper: PortState(Verdict(UP), peer=moved.lower)})
    assert judged(evidence(), look).links.keys() == ALL - {old} | {moved}


def test_a_node_that_left_the_cluster_and_a_switch_without_a_report_take_their_links_along() -> None:
    without = frozenset(NODES) - {"n2"}
    known = judge_links(judged(evidence()), evidence(), PLACES, without)
    assert known.links.keys() == ALL - {host_link("n2", 1), host_link("n2", 2)}
    fewer = replace(evidence(silent=["s2"]), switches=frozenset(SWITCHES.values()) - {SWITCHES["s2"]})
    assert judged(evidence(), fewer).links.keys() == ALL - {uplink("l1", "s2"), uplink("l2", "s2")}


def test_a_host_that_remembers_its_port_up_loses_a_link_even_if_nobody_saw_the_switch() -> None:
    link = host_link("n1", 1)
    look = evidence(cut=[link])
    look = with_ports(look, {**ports_of(look), link.lower: PortState(Verdict(DOWN, "Polling"), ever_up=True)})
    lost = Link(link.lower, NOWHERE)
    assert judged(look).links[lost] == Verdict(DOWN, "Polling")
    assert judged(look, evidence()).links.keys() == ALL
    assert down(judged(evidence(), look)) == {link}


def test_lost_links_survive_a_restart_as_text() -> None:
    cut = {host_link("n1", 1), uplink("l2", "s1")}
    known = judged(evidence(), evidence(cut))
    text = write_lost(down(known), known.node, 10)
    assert judge_links(read_lost(text), evidence(cut), PLACES, frozenset(NODES)) == known
    assert read_lost("nonsense @/-/ n1@xyz/1-2/3").links == {}
    digits = {guid: f"0-{name}" for guid, name in known.node.items()}
    most = write_lost(ALL, digits, len(UPLINKS) + 1)
    assert set(UPLINKS) < read_lost(most).links.keys()
    assert len(most.split()) == len(UPLINKS) + 1


@settings(max_examples=100, deadline=None)
@given(st.sets(st.sampled_from(sorted(ALL))), st.sets(st.sampled_from(sorted(SWITCHES))))
def test_what_is_mended_is_up_again_and_silence_never_helps(cut: set[Link], silent: set[str]) -> None:
    known = judged(evidence(), evidence(cut))
    assert down(known) == cut
    assert down(judge_links(known, evidence(cut, silent), PLACES, frozenset(NODES))) == cut
    assert judge_links(known, evidence(), PLACES, frozenset(NODES)) == judged(evidence())
