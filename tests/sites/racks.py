"""NVL72 racks: what nvidia-smi prints on their nodes."""

from __future__ import annotations

from collections.abc import Iterator

from discovery.recording.layout import MAP, SMI, SWEEP
from tests.sites.infiniband import hosts, sweep
from tests.sites.story import Story
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

NODES, GPUS = 18, 4
RACKS = ("7b968a6d-c8aa-45e1-9e07-e1e51be99c31", "0c5a1f0e-52d7-4b7e-8f0a-6c1f3e6b9a02")
"""Cluster UUIDs; both racks have the clique 32766."""
NAMES = tuple(f"rack{rack + 1}-tray{tray + 1:02d}" for rack in range(2) for tray in range(NODES))
MINUTE = 60


def stories() -> Iterator[Story]:
    """One."""
    drawing = draw_tree(
        Tree(units=(Unit(NODES, 2),) * 2, spines=2, name="gb", host_names=NAMES, aggregation=False)
    )  # fmt: skip
    well = {f"nodes/{name}/{SMI}": smi(RACKS[number // NODES], number) for number, name in enumerate(NAMES)}
    sick = NAMES.index("rack2-tray07")
    yield Story(
        "nvl72-unhealthy-gpu",
        "Two NVL72 racks with one clique id and two cluster UUIDs. At ten minutes the driver of rack2-tray07 says that "
        "the fabric of its GPU 2 is unhealthy; the GPUs of rack1-tray03 register anew from twenty to "
        "twenty-five minutes.",
        {
            0: {**hosts(drawing), **well, f"fabrics/ib/{SWEEP}{MAP}": sweep(drawing)},
            10 * MINUTE: {f"nodes/{NAMES[sick]}/{SMI}": smi(RACKS[1], sick, unhealthy=2)},
            20 * MINUTE: {f"nodes/rack1-tray03/{SMI}": smi(None, 2)},
            25 * MINUTE: {f"nodes/rack1-tray03/{SMI}": smi(RACKS[0], 2)},
        },
        until=28 * MINUTE,
    )


def smi(cluster: str | None, node: int, unhealthy: int | None = None) -> str:
    """`nvidia-smi -q` as far as it is about the fabric; without a cluster the GPUs register."""
    gpus = (_gpu(cluster, f"{node:04d}{index}", index, well=index != unhealthy) for index in range(GPUS))
    return f"==============NVSMI LOG==============\n\nAttached GPUs : {GPUS}\n" + "".join(gpus)


def _gpu(cluster: str | None, serial: str, index: int, *, well: bool) -> str:
    registered = cluster is not None
    rows = [
        ("State", "Completed" if registered else "In Progress"),
        ("Status", "Success" if registered else "N/A"),
        ("CliqueId", "32766" if registered else "N/A"),
        ("ClusterUUID", cluster or "N/A"),
    ]
    health = [
        ("Summary", "Healthy" if well else "Unhealthy"),
        ("Bandwidth", "Full"),
        ("Route Recovery in progress", "False"),
        ("Route Unhealthy", "False" if well else "True"),
        ("Access Timeout Recovery", "False"),
        ("Incorrect Configuration", "None"),
    ]
    lines = [f"GPU {index + 8:08X}:01:00.0", f"    GPU UUID : GPU-{serial}", "    Fabric"]
    lines += [f"        {key} : {value}" for key, value in rows]
    if registered:
        lines += ["        Health", *(f"            {key} : {value}" for key, value in health)]
    return "".join(f"{line}\n" for line in (*lines, "    Processes : None"))
