"""Which taints are said to be in the way of a gang: those that it has to tolerate to fit, or to fit better."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from cli.whatif.taints import MOST_TRIED, InTheWay, in_the_way, tolerating
from cli.whatif.text import to_text
from scheduler.kernel.gang import Gang
from scheduler.kernel.outcome import Placement, Refusal
from scheduler.kernel.placement import place
from scheduler.kernel.requirements import NOT_READY, UNSCHEDULABLE, Taint, Toleration
from scheduler.kernel.snapshot import NodeFacts, Snapshot
from scheduler.kernel.tree import HyperNodeEntry
from tests.scheduler.kernel.cluster import ROOM, gang, rack, refused, snapshot_of, workers

GPU = Taint("nvidia.com/gpu", "present")
BLUE, RED = Taint("team", "blue"), Taint("team", "red")
CONTROL_PLANE = Taint("node-role.kubernetes.io/control-plane")
RACK: tuple[HyperNodeEntry, ...] = (rack("r1", "a", "b", "c", "d"),)


def tainted(names: Iterable[str], *taints: Taint) -> list[NodeFacts]:
    return [NodeFacts(name, ROOM, taints=taints) for name in names]


def found(snapshot: Snapshot, one: Gang) -> InTheWay | None:
    """What is said; the gang is held to it."""

    def ask(asked: Gang) -> Placement | Refusal:
        return place(snapshot, asked)

    return in_the_way(snapshot, refused(snapshot, one), ask)


def test_a_taint_on_every_node_is_named_as_it_is_written() -> None:
    snapshot = snapshot_of(RACK, *tainted("abcd", GPU))
    taints = found(snapshot, gang(workers(4)))
    assert taints == InTheWay(("nvidia.com/gpu=present:NoSchedule",), 4)
    said = to_text(refused(snapshot, gang(workers(4))), taints)
    assert said.endswith(
        "\nA taint is in the way: with --tolerate nvidia.com/gpu=present:NoSchedule the gang would fit.\n"
    )


def test_only_the_taints_that_matter_are_named() -> None:
    """The node of the control plane has no room that is needed."""
    snapshot = snapshot_of(RACK, *tainted("abc", GPU), *tainted("d", CONTROL_PLANE))
    assert found(snapshot, gang(workers(3))) == InTheWay(("nvidia.com/gpu=present:NoSchedule",), 3)
    both = ("nvidia.com/gpu=present:NoSchedule", "node-role.kubernetes.io/control-plane:NoSchedule")
    taints = found(snapshot, gang(workers(4)))
    assert taints == InTheWay(both, 4)
    said = to_text(refused(snapshot, gang(workers(4))), taints)
    assert f"Taints are in the way: with --tolerate {both[0]} --tolerate {both[1]} the gang would fit." in said


def test_a_key_with_several_values_is_named_once() -> None:
    snapshot = snapshot_of(RACK, *tainted("ab", BLUE), *tainted("cd", RED))
    assert found(snapshot, gang(workers(4))) == InTheWay(("team:NoSchedule",), 4)


def test_a_gang_that_is_too_large_all_the_same_is_told_how_many_would_fit() -> None:
    snapshot = snapshot_of(RACK, *tainted("abc", GPU))
    taints = found(snapshot, gang(workers(9)))
    assert taints == InTheWay(("nvidia.com/gpu=present:NoSchedule",), 4)
    assert " 4 of 9 pods would fit.\n" in to_text(refused(snapshot, gang(workers(9))), taints)


def test_taints_that_change_nothing_are_not_in_the_way() -> None:
    full = [NodeFacts(name, ROOM, used=ROOM, taints=(GPU,)) for name in "ab"]
    assert found(snapshot_of(RACK, *full), gang(workers(4))) is None
    assert found(snapshot_of(RACK), gang(workers(5))) is None
    assert found(snapshot_of(RACK, *tainted("abcd", GPU)), gang(workers(1), tier=0)) is None


@pytest.mark.parametrize("key", [NOT_READY, UNSCHEDULABLE, "node.kubernetes.io/disk-pressure"])
def test_nobody_is_told_to_tolerate_a_node_that_is_not_well(key: str) -> None:
    assert found(snapshot_of(RACK, *tainted("abcd", Taint(key))), gang(workers(4))) is None


def test_what_is_tolerated_already_is_not_named_again() -> None:
    snapshot = snapshot_of(RACK, *tainted("abcd", GPU, BLUE))
    one = tolerating(gang(workers(4)), [Toleration("nvidia.com/gpu", "Exists")])
    assert found(snapshot, one) == InTheWay(("team=blue:NoSchedule",), 4)


def test_with_very_many_taints_the_commonest_are_tried() -> None:
    """A taint of its own on every node: more than are tried, so that the answer comes at once."""
    names = [f"n{number:02}" for number in range(MOST_TRIED + 8)]
    facts = [fact for name in names for fact in tainted([name], Taint(f"only-{name}"))]
    taints = found(snapshot_of((rack("r1", *names),), *facts), gang(workers(len(names))))
    assert taints is not None
    assert (len(taints.taints), taints.fits) == (MOST_TRIED, MOST_TRIED)
