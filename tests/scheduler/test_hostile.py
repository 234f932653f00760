"""Objects that say anything at all: every gang ends in a placement or a sentence, and none in doubt is placed."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kube.types import HyperNode, Node, Pod
from scheduler.gangs import candidate, members_of
from scheduler.groups import GroupKey, GroupKind, Wishes, wishes_of_pod_group, wishes_of_pods
from scheduler.kernel.explain import LIMIT, explain
from scheduler.kernel.outcome import Placement
from scheduler.kernel.placement import place
from scheduler.kernel.snapshot_build import take_snapshot
from scheduler.kernel.tree_build import build_tree
from scheduler.nodes import node_facts, read_hyper_nodes, usage_of
from scheduler.pods import read_shape
from tests.scheduler.objects import a_hyper_node, a_node, a_pod, a_pod_group, member

KEYS = (
    "hyperscout.io/gang-size",
    "hyperscout.io/topology-mode",
    "hyperscout.io/topology-highest-tier",
    "volcano.sh/network-topology-mode",
    "volcano.sh/network-topology-highest-tier",
    "batch.kubernetes.io/job-completion-index",
    "volcano.sh/task-spec",
)
TEXTS = st.sampled_from(
    ["", "0", "1", "2", "-1", "1.5", "1e3", "hard", "soft", "leaf", "\uff19", "9" * 20, "9" * 5000, "\u0000", "a\nb"]
) | st.text(max_size=8)
QUANTITIES = st.sampled_from(
    [
        "0",
        "1",
        "4",
        "500m",
        "1e999",
        "9" * 30,
        "-1",
        "-1e30",
        "0.0000001",
        "1Ei",
        "many",
        "",
        "1Zi",
        "9223372036854775807",
    ]
)
NAMES = tuple(f"n{number}" for number in range(4))
AMOUNTS = st.dictionaries(st.sampled_from(["cpu", "memory", "nvidia.com/gpu", "pods", "x/y"]), QUANTITIES, max_size=3)
NUMBERS = st.sampled_from([-(2**63), -1, 0, 1, 2, 3, 2**31, 2**63 - 1])


@st.composite
def pods(draw: st.DrawFn) -> list[Pod]:
    made = []
    for index in range(draw(st.integers(1, 4))):
        spec: dict[str, Any] = {"containers": [{"name": "c", "resources": {"requests": draw(AMOUNTS)}}]}
        if draw(st.integers(0, 4)) == 0:
            spec["nodeName"] = draw(st.sampled_from([*NAMES, "nowhere"]))
        if draw(st.booleans()):
            expression = {"key": draw(TEXTS), "operator": draw(st.sampled_from(["In", "Gt", "Like"])), "values": ["1"]}
            terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
            spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
        annotations = draw(st.dictionaries(st.sampled_from(KEYS), TEXTS, max_size=4))
        made.append(a_pod(f"w-{index}", spec=spec, annotations=annotations))
    return made


@st.composite
def wishes(draw: st.DrawFn) -> Wishes | None:
    """Of a PodGroup, or None: those of the pods' annotations."""
    if draw(st.booleans()):
        return None
    topology = draw(st.fixed_dictionaries({}, optional={
        "mode": st.sampled_from(["hard", "soft", "", "tight"]), "highestTierAllowed": NUMBERS, "highestTierName": TEXTS,
    }))  # fmt: skip
    tasks = draw(st.dictionaries(TEXTS, NUMBERS, max_size=2))
    group = a_pod_group(
        spec={"minMember": draw(NUMBERS), "networkTopology": draw(st.sampled_from([topology, None])),
              "minTaskMember": tasks}
    )  # fmt: skip
    return wishes_of_pod_group(group)


@st.composite
def clusters(draw: st.DrawFn) -> tuple[list[Node], list[HyperNode]]:
    nodes = [a_node(name, allocatable=draw(AMOUNTS), labels={"zone": draw(TEXTS)}) for name in NAMES]
    kinds = [
        member(name=draw(st.sampled_from([*NAMES, "h0", "h1", "nowhere"]))),
        member(regexMatch={"pattern": draw(st.sampled_from(["n[12]", "(", "", ".*", "(?i)N"]))}),
        member("HyperNode", name=draw(st.sampled_from(["h0", "h1", "h2"]))),
        member(),
    ]
    hyper_nodes = [
        a_hyper_node(f"h{number}", *draw(st.lists(st.sampled_from(kinds), max_size=3)), tier=draw(st.integers(-1, 3)))
        for number in range(draw(st.integers(0, 3)))
    ]
    return nodes, hyper_nodes


@settings(max_examples=120, deadline=None)
@given(pods(), wishes(), clusters(), AMOUNTS)
def test_whatever_objects_say_a_gang_is_placed_or_told_why_not(
    some: list[Pod], asked: Wishes | None, cluster: tuple[list[Node], list[HyperNode]], taken: dict[str, str]
) -> None:
    nodes, hyper_nodes = cluster
    by_name = {node.metadata.name: node for node in nodes}
    tree = build_tree((read.entry for read in read_hyper_nodes(hyper_nodes, by_name)), by_name)
    there = usage_of(a_pod("there", spec={"containers": [{"name": "c", "resources": {"requests": taken}}]}))
    snapshot = take_snapshot(tree, [node_facts(node, [there]) for node in nodes])
    said = wishes_of_pods(some, single=False) if asked is None else asked
    members = members_of(some, {})
    gang = candidate(GroupKey(GroupKind.GANG, "ml", "w"), said, members, [read_shape(pod) for pod in members.waiting])
    outcome = place(snapshot, gang.gang)
    assert len(explain(outcome).encode()) <= LIMIT
    if isinstance(outcome, Placement):
        assert not said.unsupported
        assert not any(one.unsupported for one in gang.gang.classes)
        assert said.mode != "hard" or outcome.domain is not None
        assert sum(len(one.pods) for one in outcome.assignments) + len(members.bound) >= (said.min_member or 0)
