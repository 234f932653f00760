"""Mixed gangs that fit barely: small racks are searched to the end, large ones only as far as the effort goes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.kernel.demand import measure
from scheduler.kernel.exact import NODES, STEPS, Effort, pack_exactly
from scheduler.kernel.gang import Gang, PodClass
from scheduler.kernel.quantity import GPU
from scheduler.kernel.requirements import HostPort, NodeRequirements
from scheduler.kernel.snapshot import NodeFacts, Snapshot
from tests.scheduler.kernel.cluster import gang, nodes_of, placed, rack, refused, snapshot_of
from tests.scheduler.kernel.test_classes import cpus, pods


@dataclass(frozen=True)
class Puzzle:
    """Pods that were put onto nodes, which then were cut to what these take and a little more."""

    kinds: tuple[tuple[int, int], ...]
    """By kind: CPUs and GPUs of a pod."""
    put: tuple[Counter[int], ...]
    """By node: pods of each kind."""
    spare: int

    def gang(self) -> Gang:
        total = sum(self.put, Counter[int]())
        return gang(*(PodClass(f"c{kind}", total[kind], self.asks(kind)) for kind in sorted(total)))

    def asks(self, kind: int) -> dict[str, int]:
        cpu, gpus = self.kinds[kind]
        return {"cpu": cpu, GPU: gpus}

    def snapshot(self) -> Snapshot:
        facts = []
        for number, held in enumerate(self.put):
            room = Counter({"cpu": self.spare, GPU: self.spare, "pods": held.total() + self.spare})
            for kind, count in held.items():
                room.update({name: amount * count for name, amount in self.asks(kind).items()})
            facts.append(NodeFacts(f"n{number:02}", room))
        return snapshot_of([rack("r1", *(fact.name for fact in facts))], *facts)


@st.composite
def puzzles(draw: st.DrawFn, nodes: int, kinds: int, most: int) -> Puzzle:
    amounts = st.tuples(st.integers(0, 8), st.integers(0, 8))
    kept = draw(st.lists(amounts, min_size=kinds, max_size=kinds))
    homes = draw(st.lists(st.tuples(st.integers(0, nodes - 1), st.integers(0, kinds - 1)), min_size=2, max_size=most))
    put = [Counter(kind for where, kind in homes if where == node) for node in range(nodes)]
    return Puzzle(tuple(kept), tuple(put), draw(st.integers(0, 1)))


def test_four_pods_that_fit_in_one_way_only() -> None:
    """5 = 2 + 3 and 6 = 4 + 2; the largest first, as early as it fits, would end with 2 CPUs homeless."""
    snapshot = snapshot_of([rack("r1", "a", "b")], cpus("a", 5), cpus("b", 6))
    placement = placed(snapshot, gang(pods("two", 2, 2), pods("three", 1, 3), pods("four", 1, 4)))
    assert [sorted(nodes_of(placement, index)) for index in range(3)] == [["a", "b"], ["a"], ["b"]]


def test_one_cpu_less_and_they_do_not_fit() -> None:
    snapshot = snapshot_of([rack("r1", "a", "b")], cpus("a", 5), cpus("b", 5))
    assert refused(snapshot, gang(pods("two", 2, 2), pods("three", 1, 3), pods("four", 1, 4))).tiers[0].fits == 3


@settings(max_examples=150, deadline=None)
@given(puzzles(nodes=4, kinds=3, most=10))
def test_pods_that_were_taken_off_their_nodes_find_back(puzzle: Puzzle) -> None:
    placement = placed(puzzle.snapshot(), puzzle.gang())
    assert sum(len(one.pods) for one in placement.assignments) == puzzle.gang().pods


def test_pods_whose_host_ports_conflict_share_no_node() -> None:
    """Two kinds with one port, a third without: three nodes hold the two and the one, whatever the sizes."""
    port = NodeRequirements(host_ports=(HostPort(9000),))
    one, two = PodClass("one", 1, {"cpu": 4000}, port), PodClass("two", 1, {"cpu": 2000}, port)
    snapshot = snapshot_of([rack("r1", "a", "b")], cpus("a", 5), cpus("b", 6))
    demand = measure(snapshot, gang(one, two, pods("free", 2, 2), pods("more", 1, 1)))
    found = pack_exactly(demand, slice(0, 2), (1, 1, 2, 1), Effort())
    assert found is not None
    assert [kind.sum() for kind in found] == [1, 1, 2, 1]
    assert not ((found[0] > 0) & (found[1] > 0)).any()
    assert pack_exactly(measure(snapshot, gang(one, two, pods("free", 3, 2))), slice(0, 2), (1, 1, 3), Effort()) is None


@settings(max_examples=20, deadline=None)
@given(puzzles(nodes=24, kinds=8, most=80))
def test_a_search_ends_when_its_effort_is_spent(puzzle: Puzzle) -> None:
    demand = measure(puzzle.snapshot(), puzzle.gang())
    counts, effort = [one.count for one in puzzle.gang().classes], Effort()
    pack_exactly(demand, slice(0, 24), demand.counts(counts), effort)
    assert STEPS // 2 <= effort.steps <= STEPS
    assert pack_exactly(demand, slice(0, 24), demand.counts(counts), Effort(steps=1)) is None


def test_large_racks_are_not_searched() -> None:
    names = [f"n{number:03}" for number in range(NODES + 1)]
    demand = measure(snapshot_of([rack("r1", *names)]), gang(pods("one", 1, 1), pods("two", 1, 2)))
    effort = Effort()
    assert pack_exactly(demand, slice(0, NODES + 1), (1, 1), effort) is None
    assert effort.steps == STEPS
