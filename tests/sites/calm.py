"""Stories in which nothing happens: how a site is built, and what is odd about it from the start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from discovery.recording.layout import MAP, SWEEP
from tests.sites.infiniband import cables_of, hosts, rail, sweep
from tests.sites.story import Story
from topology.synth.drawing import Drawing
from topology.synth.sites import compute_and_storage
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

SMALL = Tree(units=(Unit(4, 4),) * 2, spines=2, name="dc", host_prefix="gpu-", aggregation=False)
DUMP = f"fabrics/ib/{SWEEP}{MAP}"


def stories() -> Iterator[Story]:
    """Four of them."""
    drawing = draw_tree(SMALL)
    yield Story(
        "clean",
        "8 hosts with 4 rails in 2 units under 2 spines, every cable where it belongs and every port up.",
        {0: {**hosts(drawing), DUMP: sweep(drawing)}},
    )
    yield Story(
        "rail-swap",
        "The site of `clean`; on gpu-00002 the cables of mlx5_1 and mlx5_2 are exchanged: each is on the other's rail.",
        {0: {**hosts(drawing), DUMP: sweep(exchanged(drawing, "gpu-00002", "mlx5_1", "mlx5_2"))}},
    )
    yield _compute_and_storage()
    yield _rail_only()


def exchanged(drawing: Drawing, host: str, one: str, other: str) -> Drawing:
    """The cables of two devices of a host trade their switch ports."""
    here, there = cables_of(drawing, host, one)[0], cables_of(drawing, host, other)[0]
    upper, ports = drawing.cables.upper.copy(), drawing.cables.upper_port.copy()
    upper[[here, there]], ports[[here, there]] = upper[[there, here]], ports[[there, here]]
    return replace(drawing, cables=replace(drawing.cables, upper=upper, upper_port=ports))


def _compute_and_storage() -> Story:
    compute, storage = compute_and_storage(SMALL, rack_hosts=4, servers=2)
    nodes = [host for host in compute.hosts if host.startswith("gpu-")]
    texts = {**hosts(compute, storage, nodes=nodes), DUMP: sweep(compute), f"fabrics/st/{SWEEP}{MAP}": sweep(storage)}
    return Story(
        "compute-and-storage",
        "The 8 hosts of `clean` have two HDR ports more on a storage fabric of its own, swept by a sweeper of its own, "
        "with two storage servers that are no Nodes. The compute fabric makes the tree.",
        {0: texts},
    )


def _rail_only() -> Story:
    drawing = draw_tree(
        Tree(
            units=(Unit(16, 4),), wiring="rail-only", tiers=1, name="ro", host_prefix="gpu-", aggregation=False
        )
    )  # fmt: skip
    sweeps = {f"fabrics/ib/{SWEEP}-mlx5_{number}-1{MAP}": sweep(rail(drawing, number)) for number in range(4)}
    return Story(
        "rail-only",
        "16 hosts with 4 rails, each rail a leaf and a subnet of its own, and no spine: one leaf domain of all hosts.",
        {0: {**hosts(drawing), **sweeps}},
    )
