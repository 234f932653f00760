"""Conditions of HyperNodes and nodes, counted by hand on the small fabric: 4 host links and 2 uplinks a leaf."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from discovery.reports import DEGRADED, FLAPPING
from tests.topology.small_fabric import HIERARCHY, LEAVES, PLACES, UPLINKS, evidence, host_link, judged, uplink
from topology.anomaly import Anomaly, CableEnd
from topology.diagnosis import judge_health
from topology.health import Condition, Findings, Freshness, Health, Limits
from topology.links import Link, Verdict

FRESH = Freshness(known=True)


def health_after(cut: Iterable[Link] = (), told: dict[Link, Verdict] | None = None) -> Health:
    look = evidence(cut, told={link.upper: verdict for link, verdict in (told or {}).items()})
    return judge_health(HIERARCHY, Findings(judged(evidence(), look), PLACES, freshness=FRESH))


def condition(health: Health, name: str, kind: str) -> Condition:
    return next(found for found in health.hyper_nodes[name].conditions if found.type == kind)


def test_a_whole_fabric_is_ready_in_everything() -> None:
    health = health_after()
    assert {name: (found.unhealthy, found.total) for name, found in health.hyper_nodes.items()} == {
        "leaf-1": (0, 6),
        "leaf-2": (0, 6),
        "root": (0, 0),
    }
    for found in health.hyper_nodes.values():
        assert [(c.type, c.status) for c in found.conditions] == [
            ("Ready", "True"),
            ("LinksHealthy", "True"),
            ("CablingConsistent", "True"),
            ("EvidenceFresh", "True"),
        ]
    assert {node: found.status for node, found in health.nodes.items()} == dict.fromkeys(
        ["n1", "n2", "n3", "n4"], "True"
    )


def test_a_cut_host_cable_is_its_leafs_and_its_nodes_alone() -> None:
    health = health_after([host_link("n1", 2)])
    assert (health.hyper_nodes["leaf-1"].unhealthy, health.hyper_nodes["leaf-1"].total) == (1, 6)
    assert health.hyper_nodes["leaf-1"].lost == (host_link("n1", 2),)
    found = condition(health, "leaf-1", "LinksHealthy")
    assert (found.status, found.reason) == ("False", "LinksDown")
    assert found.message == "1 of 6 links unhealthy: 1 down (n1 hca2/1 to l1/2)"
    assert [condition(health, name, "LinksHealthy").status for name in ("leaf-2", "root")] == ["True", "True"]
    assert {node: found.status for node, found in health.nodes.items()} == {
        "n1": "False", "n2": "True", "n3": "True", "n4": "True",
    }  # fmt: skip


def test_an_uplink_belongs_to_the_domain_below_and_to_no_node() -> None:
    health = health_after([uplink("l2", "s1")])
    assert condition(health, "leaf-2", "LinksHealthy").status == "False"
    assert condition(health, "root", "LinksHealthy").status == "True"
    assert all(found.status == "True" for found in health.nodes.values())


@pytest.mark.parametrize(("word", "reason"), [(DEGRADED, "LinksDegraded"), (FLAPPING, "LinksFlapping")])
def test_a_link_need_not_be_down_to_be_unhealthy(word: str, reason: str) -> None:
    health = health_after(told={host_link("n3", 1): Verdict(word)})
    assert condition(health, "leaf-2", "LinksHealthy").reason == reason
    assert health.nodes["n3"].reason == reason
    assert health.hyper_nodes["leaf-2"].lost == ()


def test_one_link_in_six_is_more_than_a_tenth_and_a_looser_limit_allows_it() -> None:
    known = judged(evidence(), evidence([host_link("n1", 2)]))
    findings = Findings(known, PLACES, freshness=FRESH)
    assert condition(judge_health(HIERARCHY, findings), "leaf-1", "Ready").status == "False"
    loose = judge_health(HIERARCHY, findings, Limits(unhealthy_links=0.5))
    assert condition(loose, "leaf-1", "Ready") == Condition(
        "Ready", "True", "LinksDown", "2 nodes, 1 of 6 own links unhealthy"
    )


def test_a_node_without_any_usable_link_makes_its_leaf_unready_whatever_the_share() -> None:
    cut = [host_link("n1", 1), host_link("n1", 2)]
    findings = Findings(judged(evidence(), evidence(cut)), PLACES, freshness=FRESH)
    found = condition(judge_health(HIERARCHY, findings, Limits(unhealthy_links=1.0)), "leaf-1", "Ready")
    assert (found.status, found.message) == ("False", "1 node without a usable link (n1)")


def test_a_switch_without_any_uplink_makes_its_domain_unready_whatever_the_share() -> None:
    cut = [link for link in UPLINKS if link.lower.guid == LEAVES["l2"]]
    findings = Findings(judged(evidence(), evidence(cut)), PLACES, freshness=FRESH)
    found = condition(judge_health(HIERARCHY, findings, Limits(unhealthy_links=1.0)), "leaf-2", "Ready")
    assert (found.status, found.message) == ("False", "1 switch without an uplink (l2)")


@pytest.mark.parametrize("kind", ["swapped-rails", "swapped-cables", "stray-cable", "nvlink-across-leaves"])
def test_cables_in_each_others_place_are_told_and_make_nothing_unready(kind: str) -> None:
    anomaly = Anomaly(
        kind, "error", "ib", (CableEnd("N1", None, None), CableEnd("l1", f"{0xA1:016x}", 1)), "n1 is wrong"
    )
    health = judge_health(HIERARCHY, Findings(judged(evidence()), PLACES, (anomaly,), FRESH))
    found = condition(health, "leaf-1", "CablingConsistent")
    assert (found.status, found.reason, found.message) == ("False", "CablesSwapped", "1 finding: n1 is wrong")
    assert condition(health, "leaf-2", "CablingConsistent").status == "True"
    assert condition(health, "leaf-1", "Ready").status == "True"


def test_where_sources_disagree_it_is_unknown_whether_cabling_is_consistent_unless_something_is_wrong() -> None:
    ends = (CableEnd("l1", f"{0xA1:016x}", 11), CableEnd("s1", f"{0xB1:016x}", 1), CableEnd("s2", f"{0xB2:016x}", 1))
    disputed = Anomaly("sources-disagree", "warning", "ib", ends, "l1 port 11 is disputed")
    health = judge_health(HIERARCHY, Findings(judged(evidence()), PLACES, (disputed,), FRESH))
    for name in ("leaf-1", "root"):
        assert condition(health, name, "CablingConsistent") == Condition(
            "CablingConsistent", "Unknown", "SourcesDisagree", "1 port in dispute: l1 port 11 is disputed"
        )
    assert condition(health, "leaf-2", "CablingConsistent").status == "True"
    swapped = Anomaly("swapped-rails", "error", "ib", (CableEnd("n1", None, 1),), "n1 is wrong")
    both = judge_health(HIERARCHY, Findings(judged(evidence()), PLACES, (disputed, swapped), FRESH))
    assert condition(both, "leaf-1", "CablingConsistent").reason == "CablesSwapped"
    assert condition(both, "root", "CablingConsistent").reason == "SourcesDisagree"


def test_other_anomalies_are_no_matter_of_cabling() -> None:
    anomaly = Anomaly("missing-link", "warning", "ib", (CableEnd("l1", f"{0xA1:016x}", None),), "one is missing")
    health = judge_health(HIERARCHY, Findings(judged(evidence()), PLACES, (anomaly,), FRESH))
    assert condition(health, "leaf-1", "CablingConsistent").status == "True"


def test_old_evidence_is_told_where_it_is_old_and_makes_nothing_unready() -> None:
    l1 = frozenset({0xA1})
    for partly, reason in ((frozenset[int](), "EvidenceStale"), (l1, "PartialSweep")):
        freshness = Freshness(known=True, stale_switches=l1, partly_swept=partly)
        health = judge_health(HIERARCHY, Findings(judged(evidence()), PLACES, freshness=freshness))
        found = condition(health, "leaf-1", "EvidenceFresh")
        assert (found.status, found.reason) == ("False", reason)
        assert condition(health, "leaf-2", "EvidenceFresh").status == "True"
        assert condition(health, "leaf-1", "Ready").status == "True"


def test_more_than_a_tenth_of_silent_reports_is_old_evidence() -> None:
    reporting, silent = frozenset({"n1", "n2", "n3", "n4"}), frozenset({"n1"})
    freshness = Freshness(known=True, reporting=reporting, stale_nodes=silent)
    health = judge_health(HIERARCHY, Findings(judged(evidence()), PLACES, freshness=freshness))
    found = condition(health, "leaf-1", "EvidenceFresh")
    assert (found.status, found.message) == ("False", "1 of 2 node reports older than three periods (n1)")
    assert condition(health, "leaf-2", "EvidenceFresh").status == "True"
    loose = judge_health(
        HIERARCHY, Findings(judged(evidence()), PLACES, freshness=freshness), Limits(stale_reports=0.25)
    )
    assert [condition(loose, name, "EvidenceFresh").status for name in ("leaf-1", "root")] == ["False", "True"]


@pytest.mark.parametrize(
    ("reporting", "said"),
    [
        ((), "swept; none of its 2 nodes reports"),
        (("n1", "n9"), "swept; 1 of its 2 nodes reports"),
        (("n1", "n2"), "swept; 2 of its 2 nodes report"),
    ],
)
def test_of_current_evidence_it_is_said_how_many_nodes_report(reporting: tuple[str, ...], said: str) -> None:
    freshness = Freshness(known=True, reporting=frozenset(reporting))
    health = judge_health(HIERARCHY, Findings(judged(evidence()), PLACES, freshness=freshness))
    found = condition(health, "leaf-1", "EvidenceFresh")
    assert (found.status, found.reason, found.message) == ("True", "EvidenceCurrent", said)


def test_an_unknown_age_is_said_and_makes_nothing_unready() -> None:
    health = judge_health(HIERARCHY, Findings(judged(evidence()), PLACES))
    for name in ("leaf-1", "root"):
        found = condition(health, name, "EvidenceFresh")
        assert (found.status, found.reason) == ("Unknown", "AgeUnknown")
        assert found.message.startswith("the controller has just started")
        assert condition(health, name, "Ready").status == "True"
