"""`bench look`: what one look of the controller costs with 10,000 nodes of 8 rails, without an API server.

    python -m bench.look [NODES]

One process draws the site and writes its objects as pages of JSON. Another one reads them as the caches do and decides:
the first look, the one after its HyperNodes stand, and one after each of 20 cuts. Times are of its CPU, memory is the
most that it ever had.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from bench.large_site import Document, LargeSite
from bench.reference import MEGABYTE, Figure, peak_kilobytes, report
from cli.processes.collecting import search_seldom, set_aside
from controller.conclusion.memory import Memory
from controller.decide import Decision, decide
from controller.settings import ControllerSettings
from controller.snapshot import Snapshot
from discovery.sharing import share_node, share_switch
from kube.types import HyperNode, Node, NodeReportObject, SweepReportObject, SwitchReportObject
from topology.documents import to_manifest

HOSTS, CUTS, PAGE = 10_000, 20, 500
CUT_LIMIT, MEMORY_LIMIT = 0.5, 1000
KINDS: dict[str, Any] = {
    "nodes": Node,
    "node_reports": NodeReportObject,
    "switch_reports": SwitchReportObject,
    "sweeps": SweepReportObject,
}
BY_PATH = {"nodereports": "node_reports", "switchreports": "switch_reports", "sweepreports": "sweeps"}


def write(folder: Path, hosts: int) -> None:
    """All objects in pages, and what each cut writes: lines of kind and object."""
    site = LargeSite(hosts)
    print(f"{hosts:,} nodes, {len(site.switches):,} switches, {len(site.drawing.cables):,} cables", flush=True)
    kinds: dict[str, Iterable[Document]] = {
        "nodes": site.nodes(),
        "node_reports": site.node_reports(),
        "switch_reports": site.switch_reports(),
        "sweeps": [site.sweep_report()],
    }
    for kind, documents in kinds.items():
        for number, page in enumerate(_pages(documents)):
            (folder / f"{kind}.{number:03}").write_bytes(msgspec.json.encode(page))
    cuts = [[(_kind(path), body) for path, body in cut.writes] for cut in islice(site.cuts(), CUTS)]
    (folder / "cuts").write_bytes(msgspec.json.encode(cuts))


def _pages(documents: Iterable[Document]) -> Iterator[list[Document]]:
    left = iter(documents)
    while page := list(islice(left, PAGE)):
        yield page


def _kind(path: str) -> str:
    return BY_PATH[path.split("/")[4]]


def read(kind: str, body: bytes) -> tuple[Any, ...]:
    """A page of a kind as the caches keep it."""
    page: Any = tuple[KINDS[kind], ...]  # type: ignore[valid-type]  # a runtime type
    found = msgspec.json.decode(body, type=page)
    match kind:
        case "node_reports":
            return tuple(msgspec.structs.replace(one, spec=share_node(one.spec)) for one in found)
        case "switch_reports":
            return tuple(msgspec.structs.replace(one, spec=share_switch(one.spec)) for one in found)
    return tuple(found)


def read_all(folder: Path) -> Snapshot:
    """All of it, in the order of names."""
    objects: dict[str, list[Any]] = {kind: [] for kind in KINDS}
    for path in sorted(folder.glob("*.*")):
        objects[path.stem] += read(path.stem, path.read_bytes())
    return Snapshot(**{kind: _ordered(found) for kind, found in objects.items()})


def _ordered(objects: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(sorted(objects, key=lambda found: found.metadata.name))


def after(snapshot: Snapshot, changes: Iterable[tuple[str, Document]]) -> Snapshot:
    """With the objects that a cut writes."""
    for kind, body in changes:
        (new,) = read(kind, msgspec.json.encode([body]))
        objects = (new if old.metadata.name == new.metadata.name else old for old in getattr(snapshot, kind))
        snapshot = replace(snapshot, **{kind: tuple(objects)})
    return snapshot


def standing(decision: Decision) -> tuple[HyperNode, ...]:
    """Its HyperNodes as the API server gives them back."""
    assert decision.outcome is not None
    documents = sorted(decision.outcome.desired, key=lambda document: document.name)
    return tuple(
        msgspec.json.decode(msgspec.json.encode(to_manifest(document)), type=HyperNode) for document in documents
    )


def look(memory: Memory, snapshot: Snapshot, now: float) -> tuple[Decision, float]:
    """One, and its seconds of CPU."""
    began = time.process_time()
    decision = decide(memory, snapshot, now, ControllerSettings())
    taken = time.process_time() - began
    set_aside()
    return decision, taken


def run_looks(folder: Path) -> int:
    """All looks; the exit code."""
    search_seldom()
    began = time.process_time()
    snapshot = read_all(folder)
    print(f"all objects read in {time.process_time() - began:.1f} s", flush=True)
    first, taken = look(Memory(started=0.0), snapshot, 1.0)
    print(f"first look {taken:.1f} s, {peak_kilobytes() * 1024 / MEGABYTE:.0f} MB at most", flush=True)
    snapshot = replace(snapshot, hyper_nodes=standing(first))
    decision, taken = look(first.memory, snapshot, 2.0)
    print(f"the look after its HyperNodes stand {taken:.2f} s", flush=True)
    seconds = []
    for number, changes in enumerate(msgspec.json.decode((folder / "cuts").read_bytes())):
        snapshot = after(snapshot, changes)
        decision, taken = look(decision.memory, snapshot, 3.0 + number)
        snapshot = replace(snapshot, hyper_nodes=standing(decision))
        seconds.append(taken)
    lost = sum(found.unhealthy for found in decision.outcome.health.hyper_nodes.values()) if decision.outcome else 0
    assert lost == CUTS, f"{lost} links are lost after {CUTS} cuts"
    seconds.sort()
    return report(
        [
            Figure("a look after one cut, median", seconds[len(seconds) // 2], CUT_LIMIT, "s"),
            Figure("a look after one cut, longest", seconds[-1], CUT_LIMIT, "s"),
            Figure("memory at its peak", peak_kilobytes() * 1024 / MEGABYTE, MEMORY_LIMIT, "MB"),
        ]
    )


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--read"]:
        return run_looks(Path(arguments[1]))
    with TemporaryDirectory() as folder:
        write(Path(folder), int(arguments[0]) if arguments else HOSTS)
        return subprocess.call([sys.executable, "-m", "bench.look", "--read", folder])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
