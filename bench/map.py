"""`bench map`: from the bytes of a fabric dump to HyperNodes and anomalies, against reading and splitting its lines.

    python -m bench.map [ROUNDS]

The files: Selene's dump where the real captures stand beside the checkout, and rail-optimised 3-tier fabrics of 1,000
and 10,000 hosts with 8 rails. Reading the file counts in every figure.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.reference import MEGABYTE, ROUNDS, Figure, best_of, peak_kilobytes, peak_megabytes, report, split_every_line
from discovery.ibnetdiscover import parse
from discovery.scan import Scan
from topology.conclude import Conclusion, conclude
from topology.synth.evidence import scan_of
from topology.synth.spec import Tree, units_of
from topology.synth.text import write_text
from topology.synth.tree import draw_tree

SELENE = Path(__file__).resolve().parents[1] / ".." / "shared" / "data" / "ib" / "selene-compute.txt"
PARSE_LIMIT, WHOLE_LIMIT, GROWTH_LIMIT, MEMORY_LIMIT = 6, 15, 15, 1500
SMALL, LARGE = 1_000, 10_000


def fabric(hosts: int) -> Tree:
    """Selene's design at another size: 8 rails, units of 32 hosts, pods of 16 units, 64-port leaves and spines.

    Every spine has 32 cables upward, on as few cores as their ports allow.
    """
    units = units_of(hosts)
    core_trunk = max(1, 8 * 16 // len(units))
    return Tree(units, tiers=3, pod_units=16, spines=16, trunk=2, cores=32 // core_trunk, core_trunk=core_trunk)


def read(path: Path) -> Scan:
    return parse(path.read_bytes(), path.name)


def map_whole(path: Path) -> Conclusion:
    return conclude([read(path)])


def measure(name: str, path: Path, rounds: int) -> tuple[list[Figure], float]:
    """The figures of one file, and the seconds of the whole way."""
    best = best_of(
        {
            "reference": lambda: split_every_line(path),
            "parse": lambda: read(path),
            "whole": lambda: map_whole(path),
        },
        rounds,
    )
    size = path.stat().st_size / MEGABYTE
    speeds = (f"{task} {seconds:.3f} s ({size / seconds:,.0f} MB/s)" for task, seconds in best.items())
    print(f"{name}: {size:.1f} MB; {', '.join(speeds)}", flush=True)
    figures = [
        Figure(f"{name}: parse / reference", best["parse"] / best["reference"], PARSE_LIMIT),
        Figure(f"{name}: bytes to HyperNodes / reference", best["whole"] / best["reference"], WHOLE_LIMIT),
        Figure(f"{name}: peak memory", peak_megabytes("bench.map", "--peak", str(path)), MEMORY_LIMIT, "MB"),
    ]
    return figures, best["whole"]


def run(rounds: int) -> int:
    """Measure every file and print what came out; the exit code."""
    figures: list[Figure] = []
    if SELENE.is_file():
        figures += measure("Selene", SELENE.resolve(), rounds)[0]
    else:
        print("Selene: left out, ../shared/data is not beside the checkout")
    whole = {}
    with TemporaryDirectory() as folder:
        for hosts in (SMALL, LARGE):
            path = Path(folder) / f"{hosts}.txt"
            path.write_bytes(write_text(scan_of(draw_tree(fabric(hosts)))))
            more, whole[hosts] = measure(f"{hosts:,} hosts", path, rounds)
            figures += more
    figures.append(Figure(f"{LARGE:,} / {SMALL:,} hosts", whole[LARGE] / whole[SMALL], GROWTH_LIMIT))
    return report(figures)


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--peak"]:
        map_whole(Path(arguments[1]))
        print(peak_kilobytes())
        return 0
    return run(int(arguments[0]) if arguments else ROUNDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
