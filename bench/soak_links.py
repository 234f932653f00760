"""`./dev soak links`: take away every link of a captured fabric, one at a time; no membership may change.

Without arguments it takes the SuperPOD capture beside the checkout; any ibnetdiscover files may be named instead. A
host that loses its only link is left out of the comparison: nothing can place it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from discovery.ibnetdiscover import parse
from discovery.scan import LinkColumns, Scan
from topology.conclude import conclude

DEFAULT = Path(__file__).resolve().parents[1] / ".." / "shared" / "data" / "ib" / "superpod-ndr.txt"
CHUNK = 50


def membership(scan: Scan) -> dict[str, str]:
    """By node the lowest HyperNode that holds it."""
    tree = conclude([scan]).hierarchy.hyper_nodes
    return {node: found.name for found in tree if not found.children for node in found.nodes}


def without_link(scan: Scan, row: int) -> Scan:
    """The scan without one of its links."""
    keep = np.arange(len(scan.links)) != row
    columns = {name: getattr(scan.links, name)[keep] for name in LinkColumns.__slots__}
    return replace(scan, links=LinkColumns(**columns))


def hunt(path: Path, first: int, last: int) -> list[str]:
    """What changes when each of these links is missing, in sentences."""
    scan = parse(path.read_bytes(), str(path))
    whole = membership(scan)
    found = []
    for row in range(first, last):
        less = membership(without_link(scan, row))
        moved = {node: less[node] for node in whole if node in less and less[node] != whole[node]}
        lost = [node for node in whole if node not in less]
        if moved or len(lost) > 1:
            found.append(f"without link {row}: moved {moved}, lost {lost}")
    return found


def hunt_all(path: Path) -> Iterator[str]:
    """Every link of one file, on all cores."""
    count = len(parse(path.read_bytes(), str(path)).links)
    began = time.perf_counter()
    with ProcessPoolExecutor() as pool:
        starts = range(0, count, CHUNK)
        ends = [min(start + CHUNK, count) for start in starts]
        for number, found in enumerate(pool.map(hunt, [path] * len(starts), starts, ends)):
            yield from found
            sys.stderr.write(f"\r{path.name}: {min((number + 1) * CHUNK, count)} of {count} links")
    sys.stderr.write(f", {time.perf_counter() - began:.0f} s\n")


def main(arguments: Sequence[str]) -> int:
    """Hunt in all files; 1 when something was found."""
    found = 0
    for path in map(Path, arguments or [str(DEFAULT)]):
        for sentence in hunt_all(path):
            found += 1
            sys.stdout.write(f"{path.name}: {sentence}\n")
    sys.stdout.write(f"{found} links whose loss changes a membership\n")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
