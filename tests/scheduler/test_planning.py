"""One pass: the gangs in their order, each beside those before it."""

from __future__ import annotations

from datetime import UTC, datetime

from scheduler.gangs import Candidate
from scheduler.groups import GroupKey, GroupKind
from scheduler.kernel.gang import PodClass
from scheduler.kernel.outcome import Placement, Reason, Refusal
from scheduler.kernel.snapshot import NodeFacts
from scheduler.planning import Situation, by_priority, decide
from tests.scheduler.kernel.cluster import ROOM, gang, names, rack, tree_of, workers
from tests.scheduler.objects import a_pod

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def wanting(name: str, *classes: PodClass, hour: int = 12) -> Candidate:
    pods = tuple(tuple(a_pod(f"{name}-{index}") for index in range(one.count)) for one in classes)
    return Candidate(GroupKey(GroupKind.GANG, "ml", name), gang(*classes), pods, NOON.replace(hour=hour))


def situation(nodes: int) -> Situation:
    tree = tree_of([rack("r1", *names("r1", nodes))])
    return Situation(tree, [NodeFacts(str(name), ROOM) for name in tree.node_names], {})


def test_the_older_gang_goes_first_and_its_places_are_taken() -> None:
    waiting = by_priority([wanting("young", workers(3), hour=13), wanting("old", workers(2), hour=11)])
    first, second = decide(situation(4), waiting)
    assert (first.candidate.key.name, [seat.node for seat in first.seats]) == ("old", ["r1-n1", "r1-n2"])
    assert isinstance(second.outcome, Refusal)
    assert second.outcome.tiers[0].fits == 2


def test_a_refused_gang_leaves_its_place_to_the_next() -> None:
    first, second = decide(situation(4), [wanting("large", workers(5)), wanting("small", workers(4))])
    assert (isinstance(first.outcome, Refusal), isinstance(second.outcome, Placement)) == (True, True)


def test_500_gangs_without_hyper_nodes_are_told_so_each() -> None:
    bare = Situation(tree_of([], names("lone", 4)), [NodeFacts(name, ROOM) for name in names("lone", 4)], {})
    decisions = decide(bare, [wanting(f"g{number}", workers(1)) for number in range(500)])
    outcomes = [one.outcome for one in decisions]
    assert {one.reason for one in outcomes if isinstance(one, Refusal)} == {Reason.NO_HYPER_NODES}
    assert len({one.candidate.key for one in decisions if isinstance(one.outcome, Refusal)}) == 500


def test_a_gang_over_which_the_kernel_stumbles_is_refused_and_costs_nobody_else() -> None:
    broken = PodClass("worker", 1, {"cpu": "many"})  # type: ignore[dict-item]  # what no reader of pods would make
    first, second = decide(situation(4), [wanting("broken", broken), wanting("sound", workers(4))])
    assert isinstance(first.outcome, Refusal)
    assert first.outcome.reason == Reason.NOT_JUDGED
    assert "an error of the scheduler: TypeError" in first.outcome.detail
    assert len(second.seats) == 4
