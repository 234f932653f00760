"""Random small clusters against an oracle that tries everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.kernel.gang import Gang, PodClass
from scheduler.kernel.outcome import Placement, Refusal
from scheduler.kernel.placement import place
from scheduler.kernel.quantity import GPU
from scheduler.kernel.snapshot import NodeFacts, Snapshot
from scheduler.kernel.snapshot_build import take_snapshot
from scheduler.kernel.tree import HyperNodeEntry
from scheduler.kernel.tree_build import build_tree

RESOURCES = ("cpu", GPU, "pods")
Amounts = Mapping[str, int]


@dataclass(frozen=True)
class World:
    """Racks (tier 1) in rows (tier 2) or alone, nodes in racks or outside, with what each has free."""

    racks: Mapping[str, tuple[str, ...]]
    rows: Mapping[str, tuple[str, ...]]
    free: Mapping[str, Amounts]

    def domains(self, tier: int) -> dict[str, tuple[str, ...]]:
        if tier == 1:
            return dict(self.racks)
        return {name: tuple(node for one in racks for node in self.racks[one]) for name, racks in self.rows.items()}

    def snapshot(self, backwards: bool = False) -> Snapshot:
        entries = [HyperNodeEntry(name, 1, "rack", (), nodes) for name, nodes in self.racks.items()]
        entries += [HyperNodeEntry(name, 2, "row", racks) for name, racks in self.rows.items()]
        facts = [NodeFacts(name, amounts) for name, amounts in self.free.items()]
        step = -1 if backwards else 1
        return take_snapshot(build_tree(entries[::step], list(self.free)[::step]), facts[::step])


@st.composite
def worlds(draw: st.DrawFn) -> World:
    places = draw(st.lists(st.sampled_from(["r1", "r2", "r3", "r4", ""]), min_size=1, max_size=7))
    racks: dict[str, list[str]] = {}
    free: dict[str, Amounts] = {}
    for number, where in enumerate(places):
        free[f"n{number}"] = {resource: draw(st.integers(-1, 4)) for resource in RESOURCES}
        if where:
            racks.setdefault(where, []).append(f"n{number}")
    rows: dict[str, list[str]] = {}
    for name in racks:
        above = draw(st.sampled_from(["row1", "row2", ""]))
        if above:
            rows.setdefault(above, []).append(name)
    frozen = {name: tuple(nodes) for name, nodes in racks.items()}
    return World(frozen, {name: tuple(inside) for name, inside in rows.items()}, free)


def classes(most: int) -> st.SearchStrategy[PodClass]:
    amounts = st.fixed_dictionaries({"cpu": st.integers(0, 3), GPU: st.integers(0, 3)})
    return st.builds(PodClass, st.just("c"), st.integers(1, most), amounts)


def asks(pod_class: PodClass) -> Amounts:
    return {**{name: amount for name, amount in pod_class.requests.items() if amount}, "pods": 1}


def capacity(free: Amounts, wanted: Amounts) -> int:
    return max(0, min(free[resource] // amount for resource, amount in wanted.items()))


def room(world: World, nodes: tuple[str, ...], pod_class: PodClass) -> int:
    return sum(capacity(world.free[node], asks(pod_class)) for node in nodes)


def fits_somehow(world: World, nodes: tuple[str, ...], wanted: list[Amounts]) -> bool:
    """Every way to put every pod on every node."""
    for ways in product(nodes, repeat=len(wanted)):
        used: Counter[tuple[str, str]] = Counter()
        for node, amounts in zip(ways, wanted, strict=True):
            for resource, amount in amounts.items():
                used[node, resource] += amount
        if all(amount <= world.free[node][resource] for (node, resource), amount in used.items()):
            return True
    return False


def check_sound(world: World, gang: Gang, placement: Placement, backwards: bool = False) -> set[str]:
    """Nothing is over-committed, every pod has one node, all inside the domain; returns the nodes."""
    used: Counter[tuple[str, str]] = Counter()
    nodes: set[str] = set()
    for index, assignment in enumerate(placement.assignments):
        names = placement.node_names(index).tolist()
        assert assignment.pods.tolist() == sorted(set(assignment.pods.tolist()))
        assert len(names) == len(assignment.pods) <= gang.classes[index].count
        nodes.update(names)
        for name in names:
            used.update({(name, resource): amount for resource, amount in asks(gang.classes[index]).items()})
    assert all(amount <= world.free[node][resource] for (node, resource), amount in used.items())
    if placement.domain is not None and placement.tier is not None:
        assert nodes <= set(world.domains(placement.tier)[placement.domain])
    return nodes


@settings(max_examples=150, deadline=None)
@given(worlds(), classes(6), st.integers(1, 2))
def test_one_class_is_placed_exactly_when_some_allowed_domain_has_room(world: World, one: PodClass, tier: int) -> None:
    gang = Gang("g", (one,), "hard", tier)
    outcome = place(world.snapshot(), gang)
    roomy = [
        number
        for number in range(1, tier + 1)
        if any(room(world, nodes, one) >= one.count for nodes in world.domains(number).values())
    ]
    if isinstance(outcome, Refusal):
        assert roomy == []
        for report in outcome.tiers:
            assert report.tier is not None
            best = max(room(world, nodes, one) for nodes in world.domains(report.tier).values())
            assert report.fits == min(best, one.count)
        return
    check_sound(world, gang, outcome)
    assert outcome.complete
    assert outcome.tier == roomy[0]
    leftovers = [room(world, nodes, one) - one.count for nodes in world.domains(roomy[0]).values()]
    chosen = room(world, world.domains(roomy[0])[str(outcome.domain)], one) - one.count
    assert chosen == min(left for left in leftovers if left >= 0)


@settings(max_examples=150, deadline=None)
@given(worlds(), st.lists(classes(2), min_size=2, max_size=3), st.sampled_from(["hard", "soft", "none"]))
def test_several_classes_never_claim_more_than_there_is(world: World, several: list[PodClass], mode: str) -> None:
    kinds = tuple(replace(one, name=f"c{number}") for number, one in enumerate(several))
    gang = Gang("g", kinds, mode, 2 if mode == "hard" else None)  # type: ignore[arg-type]  # one of the three
    outcome = place(world.snapshot(), gang)
    if isinstance(outcome, Placement):
        check_sound(world, gang, outcome)
        assert sum(len(one.pods) for one in outcome.assignments) == gang.pods
        assert mode != "hard" or outcome.domain is not None


@settings(max_examples=60, deadline=None)
@given(worlds(), st.lists(classes(2), min_size=2, max_size=3))
def test_several_small_classes_are_refused_only_where_no_rack_takes_them(world: World, several: list[PodClass]) -> None:
    kinds = tuple(replace(one, name=f"c{number}") for number, one in enumerate(several))
    wanted = [asks(one) for one in kinds for _ in range(one.count)]
    outcome = place(world.snapshot(), Gang("g", kinds, "hard", 1))
    if isinstance(outcome, Refusal):
        small = [nodes for nodes in world.racks.values() if len(nodes) <= 3]
        assert not any(fits_somehow(world, nodes, wanted) for nodes in small)


@settings(max_examples=100, deadline=None)
@given(worlds(), st.lists(classes(4), min_size=1, max_size=2), st.integers(1, 4))
def test_min_member_is_kept_and_nothing_that_fits_whole_is_cut(
    world: World, several: list[PodClass], least: int
) -> None:
    kinds = tuple(replace(one, name=f"c{number}") for number, one in enumerate(several))
    whole = Gang("g", kinds, "soft")
    gang = replace(whole, min_member=min(least, whole.pods))
    outcome = place(world.snapshot(), gang)
    if isinstance(outcome, Placement):
        check_sound(world, gang, outcome)
        assert sum(len(one.pods) for one in outcome.assignments) >= gang.least
        assert outcome.complete == isinstance(place(world.snapshot(), whole), Placement)


@settings(max_examples=60, deadline=None)
@given(worlds(), classes(5), st.sampled_from(["hard", "soft", "none"]))
def test_the_order_of_input_changes_nothing(world: World, one: PodClass, mode: str) -> None:
    gang = Gang("g", (one,), mode, 2 if mode == "hard" else None)  # type: ignore[arg-type]  # one of the three
    there, back = place(world.snapshot(), gang), place(world.snapshot(backwards=True), gang)
    if isinstance(there, Refusal) or isinstance(back, Refusal):
        assert there == back
        return
    assert (there.domain, there.node_names(0).tolist()) == (back.domain, back.node_names(0).tolist())


@settings(max_examples=60, deadline=None)
@given(worlds(), classes(3), st.data())
def test_missing_pods_stand_in_the_lowest_domain_of_the_bound_ones_that_has_room(
    world: World, one: PodClass, data: st.DataObject
) -> None:
    bound = tuple(data.draw(st.lists(st.sampled_from(sorted(world.free)), min_size=1, max_size=2)))
    outcome = place(world.snapshot(), Gang("g", (one,), "hard", 2, bound=bound))
    holders = [
        (tier, name)
        for tier in (1, 2)
        for name, nodes in world.domains(tier).items()
        if set(bound) <= set(nodes) and room(world, nodes, one) >= one.count
    ]
    if isinstance(outcome, Refusal):
        assert holders == []
    else:
        assert (outcome.tier, outcome.domain) == holders[0]
