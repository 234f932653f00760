"""`bench place`: place, and refuse, a gang of 10,000 pods on 100,000 nodes, against one plain pass over their numbers.

    python -m bench.place [ROUNDS]

The reference is the least that any placement must do: free is int64[4][nodes] in C order, and the pass is the minimum
over resources of free[r] // request[r]. Nodes carry labels and taints, and the pods select and tolerate them, as on a
real cluster. Everything runs in one thread; tree and snapshot are built once, outside what is measured.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.reference import Figure, best_of, report
from scheduler.kernel.explain import sentences
from scheduler.kernel.gang import Gang, PodClass
from scheduler.kernel.outcome import Placement, Refusal
from scheduler.kernel.placement import place
from scheduler.kernel.quantity import GPU
from scheduler.kernel.requirements import NodeRequirements, Taint, Toleration
from scheduler.kernel.snapshot import NodeFacts, Snapshot
from scheduler.kernel.snapshot_build import take_snapshot
from scheduler.kernel.tree import HyperNodeEntry, Tree
from scheduler.kernel.tree_build import build_tree

NODES, NODES_A_RACK, RACKS_A_ROW = 100_000, 18, 20
PODS, CLASSES, ROUNDS = 10_000, 8, 25
PLACE_LIMIT, REFUSE_LIMIT, CLASSES_LIMIT = 15, 15, 60
GIB = 1 << 30
WANTED = NodeRequirements(
    labels=(("accelerator", "h200"),), tolerations=(Toleration(GPU, "Exists", effect="NoSchedule"),)
)
ROOT_TIER = 3


def draw_tree() -> Tree:
    """Racks of 18 nodes, rows of 20 racks, one root."""
    nodes = [f"node-{number:06}" for number in range(NODES)]
    racks = [
        HyperNodeEntry(f"rack-{first}", 1, "nvlink", (), tuple(nodes[first : first + NODES_A_RACK]))
        for first in range(0, NODES, NODES_A_RACK)
    ]
    rows = [
        HyperNodeEntry(f"row-{first}", 2, "leaf", tuple(rack.name for rack in racks[first : first + RACKS_A_ROW]))
        for first in range(0, len(racks), RACKS_A_ROW)
    ]
    root = HyperNodeEntry("root", ROOT_TIER, "spine", tuple(row.name for row in rows))
    return build_tree([*racks, *rows, root], nodes)


def fill(tree: Tree) -> Snapshot:
    """Nodes of 8 GPUs, a fifth of them free, the others in use to some part; one in a hundred is cordoned."""
    dice = np.random.default_rng(7)
    busy = np.maximum(0, dice.integers(-2, 9, NODES)).tolist()
    cordoned = (dice.random(NODES) < 0.01).tolist()
    room = {"cpu": 128_000, "memory": 2048 * GIB, "pods": 110, GPU: 8}
    facts = (
        NodeFacts(
            name=name,
            allocatable=room,
            used={"cpu": gpus * 12_000, "memory": gpus * 200 * GIB, "pods": gpus + 6, GPU: gpus},
            labels={"accelerator": "h200", "kubernetes.io/hostname": name},
            taints=(Taint(GPU, "present"),),
            unschedulable=out,
        )
        for name, gpus, out in zip(tree.node_names, busy, cordoned, strict=True)
    )
    return take_snapshot(tree, facts)


def alike(tier: int) -> Gang:
    requests = {"cpu": 12_000, "memory": 200 * GIB, GPU: 4}
    return Gang("alike", (PodClass("worker", PODS, requests, WANTED),), "hard", tier)


def eight_classes() -> Gang:
    classes = [
        PodClass(f"class-{number}", PODS // CLASSES, {"cpu": 1_000 * number, "memory": 16 * GIB, GPU: number}, WANTED)
        for number in range(1, CLASSES + 1)
    ]
    return Gang("eight", tuple(classes), "hard", ROOT_TIER)


def plain_pass(free: NDArray[np.int64], request: Sequence[int]) -> NDArray[np.int64]:
    """The reference."""
    fits: NDArray[np.int64] = free[0] // request[0]
    for row in range(1, len(request)):
        fits = np.minimum(fits, free[row] // request[row])
    return fits


def place_by_name(snapshot: Snapshot, gang: Gang) -> list[NDArray[np.object_]]:
    """Node names for all pods, class by class."""
    placement = place(snapshot, gang)
    assert isinstance(placement, Placement)
    names = [placement.node_names(index) for index in range(len(gang.classes))]
    assert sum(map(len, names)) == gang.pods
    return names


def refuse_with_reasons(snapshot: Snapshot, gang: Gang) -> tuple[str, ...]:
    refusal = place(snapshot, gang)
    assert isinstance(refusal, Refusal)
    return sentences(refusal)


def run(rounds: int) -> int:
    """Measure everything and print what came out; the exit code."""
    began = time.perf_counter()
    tree = draw_tree()
    drawn = time.perf_counter()
    snapshot = fill(tree)
    print(f"{NODES:,} nodes: tree built in {drawn - began:.2f} s, snapshot in {time.perf_counter() - drawn:.2f} s")
    free = np.ascontiguousarray(snapshot.free)
    request = [12_000, 200 * GIB, 1, 4]
    whole, too_low, eight = alike(ROOT_TIER), alike(ROOT_TIER - 1), eight_classes()
    best = best_of(
        {
            "reference": lambda: plain_pass(free, request),
            "place": lambda: place_by_name(snapshot, whole),
            "refuse": lambda: refuse_with_reasons(snapshot, too_low),
            "classes": lambda: place_by_name(snapshot, eight),
        },
        rounds,
    )
    print(*(f"{task} {seconds * 1000:.2f} ms" for task, seconds in best.items()), sep=", ", flush=True)
    return report(
        [
            Figure(f"{PODS:,} pods placed / reference", best["place"] / best["reference"], PLACE_LIMIT),
            Figure(f"{PODS:,} pods refused / reference", best["refuse"] / best["reference"], REFUSE_LIMIT),
            Figure(f"{CLASSES} classes placed / reference", best["classes"] / best["reference"], CLASSES_LIMIT),
        ]
    )


if __name__ == "__main__":
    sys.exit(run(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
