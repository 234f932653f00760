"""Inputs at the edge of what can be called a fabric: an answer that makes sense, in little time, and never a crash."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from discovery.ibnetdiscover import parse
from discovery.scan import NodeKind, Scan
from tests.topology.concluding import broken_rules
from tests.topology.synth.checks import domains, kinds, roots
from tests.topology.wiring import fat_tree, scan_of
from topology.cluster import EVERY_HOST, Cluster
from topology.conclude import Conclusion, conclude

TREE = fat_tree(leaves=4, spines=2, hosts=6)
HOSTS = frozenset(f"h{leaf}-{host}" for leaf in range(4) for host in range(6))


def concluded(scans: Sequence[Scan], nodes: Iterable[str], cluster: Cluster = EVERY_HOST) -> Conclusion:
    """The conclusion, which keeps all rules and accounts for these nodes."""
    conclusion = conclude(scans, cluster)
    assert broken_rules(conclusion, set(nodes)) == []
    return conclusion


def reasons(conclusion: Conclusion) -> dict[str, int]:
    return dict(Counter(one.reason for one in conclusion.unplaced))


def tiers(conclusion: Conclusion) -> dict[str, int]:
    return dict(Counter(node.tier_name for node in conclusion.hierarchy.hyper_nodes))


def without_texts(scan: Scan) -> Scan:
    return replace(scan, nodes=replace(scan.nodes, description=("",) * len(scan.nodes)))


def without_guids(scan: Scan) -> Scan:
    zeros = np.zeros(len(scan.nodes), np.uint64)
    return replace(scan, nodes=replace(scan.nodes, guid=zeros, system_guid=zeros))


def test_switches_without_hosts_are_a_fabric_that_places_nobody() -> None:
    scan = scan_of([cable for cable in TREE if "host:" not in cable])
    conclusion = concluded([scan], ["a", "b"], Cluster(frozenset("ab")))
    assert conclusion.hierarchy.hyper_nodes == ()
    assert reasons(conclusion) == {"NoFabricPort": 2}
    assert [(fabric.role, len(fabric.switches)) for fabric in conclusion.structure.fabrics] == [("unknown", 6)]
    assert kinds(conclusion) == {}


def test_a_scan_of_nothing_and_a_lone_switch_place_nobody() -> None:
    for scan in (scan_of([]), scan_of([], ["s"])):
        assert reasons(concluded([scan], ["a"], Cluster(frozenset("a")))) == {"NoFabricPort": 1}


def test_no_scan_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="no scan to conclude from"):
        conclude([])


def test_hosts_that_are_cabled_to_each_other_alone_are_unplaced_for_want_of_a_switch() -> None:
    scan = scan_of(["host:a/HCA-1 host:b/HCA-1"])
    scan = replace(scan, nodes=replace(scan.nodes, kind=np.full(2, NodeKind.HOST, np.uint8)))
    conclusion = concluded([scan], "ab")
    assert conclusion.hierarchy.hyper_nodes == ()
    assert reasons(conclusion) == {"no-switch": 2}


def test_two_thousand_hosts_on_one_switch_are_one_hyper_node() -> None:
    hosts = [f"h{number}" for number in range(2000)]
    conclusion = concluded([scan_of([f"s host:{host}/HCA-1" for host in hosts])], hosts)
    assert domains(conclusion, "leaf") == {frozenset(hosts)}
    assert len(conclusion.hierarchy.hyper_nodes) == 1


@pytest.mark.parametrize("places", [[0], [150], [0, 299], [*range(0, 300, 10)], [*range(300)]])
def test_in_a_chain_of_switches_hosts_of_one_switch_stay_together_under_one_root(places: list[int]) -> None:
    cables = [f"s{number} s{number + 1}" for number in range(299)]
    cables += [f"s{place} host:h{place}-{host}/HCA-1" for place in places for host in range(4)]
    together = {frozenset(f"h{place}-{host}" for host in range(4)) for place in places}
    hosts = frozenset().union(*together)
    conclusion = concluded([scan_of(cables)], hosts)
    assert domains(conclusion, "leaf") == together
    assert roots(conclusion) == [hosts]


def test_adapters_without_any_text_are_nobodys_and_with_a_claim_they_are_their_nodes() -> None:
    scan = without_texts(scan_of(TREE))
    assert concluded([scan], []).hierarchy.hyper_nodes == ()
    adapters = scan.nodes.guid[scan.nodes.kind == NodeKind.HOST].tolist()
    claims = {guid: f"n{number}" for number, guid in enumerate(adapters)}
    conclusion = concluded([scan], claims.values(), Cluster(frozenset(claims.values()), port_guids=claims))
    assert domains(conclusion, "leaf") == {frozenset(f"n{6 * leaf + host}" for host in range(6)) for leaf in range(4)}
    assert roots(conclusion) == [frozenset(claims.values())]


def test_where_no_guid_is_known_cables_and_names_still_tell_all() -> None:
    conclusion = concluded([without_guids(scan_of(TREE))], HOSTS)
    assert domains(conclusion, "leaf") == {frozenset(f"h{leaf}-{host}" for host in range(6)) for leaf in range(4)}
    assert roots(conclusion) == [HOSTS]
    assert concluded([without_texts(without_guids(scan_of(TREE)))], []).hierarchy.hyper_nodes == ()


def test_three_fabrics_that_each_have_hosts_of_the_same_names_place_none_of_them_by_name() -> None:
    whole = scan_of(TREE)
    scans = [
        replace(whole, nodes=replace(whole.nodes, guid=whole.nodes.guid + np.uint64(number << 40)))
        for number in range(3)
    ]
    conclusion = concluded(scans, HOSTS, Cluster(HOSTS))
    assert len(conclusion.structure.fabrics) == 3
    assert conclusion.hierarchy.hyper_nodes == ()
    assert reasons(conclusion) == {"duplicate-name": 24}
    assert kinds(conclusion)["duplicate-name"] == 24


def test_three_unconnected_fabrics_that_each_have_a_port_of_every_host_are_planes_of_one() -> None:
    cables = [
        cable.replace("leaf", f"leaf-{plane}-").replace("spine", f"spine-{plane}-").replace("HCA-1", f"HCA-{plane}")
        for plane in range(3)
        for cable in TREE
    ]
    conclusion = concluded([scan_of(cables)], HOSTS)
    assert [(fabric.planes, len(fabric.hosts)) for fabric in conclusion.structure.fabrics] == [(3, 24)]
    assert tiers(conclusion) == {"leaf": 4, "spine": 1}
    assert roots(conclusion) == [HOSTS]


def test_a_full_mesh_of_sixty_leaves_is_sixty_domains_under_one_root_and_said_to_be_no_tree() -> None:
    cables = [f"l{leaf} host:h{leaf}-{host}/HCA-1" for leaf in range(60) for host in range(4)]
    cables += [f"l{one} l{other}" for one, other in combinations(range(60), 2)]
    hosts = [f"h{leaf}-{host}" for leaf in range(60) for host in range(4)]
    conclusion = concluded([scan_of(cables)], hosts)
    assert tiers(conclusion) == {"leaf": 60, "spine": 1}
    assert kinds(conclusion) == {"not-a-tree": 1}
    assert roots(conclusion) == [frozenset(hosts)]


def test_five_hundred_switches_with_a_host_each_and_no_cable_between_them_are_roots_of_their_own() -> None:
    hosts = [f"h{number}" for number in range(500)]
    conclusion = concluded([scan_of([f"s{host} host:{host}/HCA-1" for host in hosts])], hosts)
    assert tiers(conclusion) == {"leaf": 500}
    assert sorted(roots(conclusion), key=sorted) == [frozenset([host]) for host in sorted(hosts)]


def test_a_switch_that_is_cabled_to_itself_alone_keeps_its_host() -> None:
    conclusion = concluded([scan_of(["s s x3", "s host:a/HCA-1"])], "a")
    assert domains(conclusion, "leaf") == {frozenset("a")}
    assert kinds(conclusion) == {"self-link": 3}


def test_switches_and_an_adapter_that_nothing_joins_place_nobody() -> None:
    lonely = b"""vendid=0x2c9
Switch 36 "S-0000000000000001" # "one" base port 0 lid 1 lmc 0
Switch 36 "S-0000000000000002" # "two" base port 0 lid 2 lmc 0
Ca 1 "H-0000000000000003" # "a HCA-1"
"""
    found = conclude([parse(lonely, "by hand")])
    assert [(entry.node, entry.reason) for entry in found.unplaced] == [("a", "no-switch")]
