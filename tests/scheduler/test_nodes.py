"""Nodes and HyperNodes as the kernel sees them."""

from __future__ import annotations

import pytest

from scheduler.apart import excluded_nodes, repulsions
from scheduler.kernel.requirements import HostPort, Taint
from scheduler.kernel.snapshot import LinkCount
from scheduler.nodes import node_facts, read_hyper_nodes, read_links, usage_of
from tests.scheduler.objects import a_hyper_node, a_node, a_pod, asking, member

NODES = {name: a_node(name, labels={"rack": name[:2]}) for name in ("r1-n1", "r1-n2", "r2-n1")}


def test_a_node_holds_what_its_pods_take() -> None:
    port = {"containers": [{"name": "c", "ports": [{"hostPort": 8080, "containerPort": 8080}]}]}
    pods = [a_pod("a", spec=asking(cpu="2", memory="1Gi")), a_pod("b", spec=asking(cpu="500m")), a_pod("c", spec=port)]
    node = a_node("n", spec={"taints": [{"key": "k", "effect": "NoSchedule"}], "unschedulable": True})
    facts = node_facts(node, [usage_of(pod) for pod in pods])
    assert facts.allocatable == {"cpu": 16000, "memory": 64 * 2**30, "pods": 110}
    assert facts.used == {"cpu": 2500, "memory": 2**30, "pods": 3}
    assert facts.taints == (Taint("k"),)
    assert facts.unschedulable
    assert facts.host_ports == (HostPort(8080),)


@pytest.mark.parametrize(("status", "ready"), [("True", True), ("False", False), ("Unknown", False)])
def test_only_a_node_that_says_so_is_ready(status: str, ready: bool) -> None:
    assert node_facts(a_node("n", ready=status), []).ready is ready


@pytest.mark.parametrize(("status", "healthy"), [("True", True), ("False", False), ("Unknown", True)])
def test_an_unhealthy_fabric_is_known_not_guessed(status: str, healthy: bool) -> None:
    node = a_node("n", conditions=[{"type": "FabricHealthy", "status": status}])
    assert node_facts(node, []).fabric_healthy is healthy


def test_a_pod_that_cannot_be_counted_closes_its_node() -> None:
    facts = node_facts(a_node("n"), [usage_of(a_pod(spec=asking(cpu="many")))])
    assert facts.allocatable == {}


def test_all_kinds_of_members_are_resolved() -> None:
    names = [
        member(name="r2-n1"),
        member(regexMatch={"pattern": "^r1-"}),
        member(labelMatch={"matchLabels": {"rack": "r2"}}),
        member(labelMatch={"matchExpressions": [{"key": "rack", "operator": "NotIn", "values": ["r1"]}]}),
        member(labelMatch={}),
        member("HyperNode", name="below"),
    ]
    (read,) = read_hyper_nodes([a_hyper_node("h", *names, tier=3)], NODES)
    assert read.entry.nodes == ("r2-n1", "r1-n1", "r1-n2", "r2-n1", "r2-n1")
    assert read.entry.children == ("below",)
    assert read.entry.tier == 3
    assert read.not_understood == ()


def test_a_selector_that_is_not_understood_takes_in_nobody() -> None:
    odd = [
        member(regexMatch={"pattern": "(?=r1)"}),
        member(labelMatch={"matchExpressions": [{"key": "rack", "operator": "Like", "values": ["r1"]}]}),
        member("HyperNode", regexMatch={"pattern": "below"}),
    ]
    (read,) = read_hyper_nodes([a_hyper_node("h", *odd)], NODES)
    assert (read.entry.nodes, read.entry.children) == ((), ())
    assert ["(?=r1)" in read.not_understood[0], "'Like'" in read.not_understood[1]] == [True, True]
    assert len(read.not_understood) == 3


def test_a_pattern_that_is_none_costs_its_own_hyper_node_only() -> None:
    broken = a_hyper_node("broken", member(regexMatch={"pattern": "r1-(n1"}), member(name="r2-n1"))
    sound = a_hyper_node("sound", member(regexMatch={"pattern": "n1$"}))
    first, second = read_hyper_nodes([broken, sound], NODES)
    assert first.entry.nodes == ("r2-n1",)
    assert first.not_understood == ("node name pattern 'r1-(n1': missing ): r1-(n1",)
    assert (second.entry.nodes, second.not_understood) == (("r1-n1", "r2-n1"), ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1/16", LinkCount(1, 16)),
        ("0/0", LinkCount(0, 0)),
        ("17/16", None),
        ("x", None),
        ("-1/4", None),
        ("1/2/3", None),
    ],
)
def test_the_links_annotation_is_a_count_or_nothing(text: str, expected: LinkCount | None) -> None:
    assert read_links(a_hyper_node("h", links=text)) == expected
    assert read_links(a_hyper_node("h")) is None


def test_pods_that_want_to_be_alone_keep_others_off() -> None:
    term = {"topologyKey": "rack", "labelSelector": {"matchLabels": {"app": "train"}}}
    anti = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    there = repulsions(a_pod("db", spec={"nodeName": "r1-n1", "affinity": anti}))
    assert excluded_nodes(a_pod(labels={"app": "train"}), there, NODES) == {"r1-n1", "r1-n2"}
    assert excluded_nodes(a_pod(labels={"app": "web"}), there, NODES) == frozenset()
