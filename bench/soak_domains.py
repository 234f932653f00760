"""`soak domains`: damaged fabrics of 2,000 hosts, and whether discovery still finds every domain and every wrong cable.

    python -m bench.soak_domains [SEEDS]

1 % of all cables are missing and 1 % of the host cables are exchanged. A line a trial with the worst figures of its
seeds; the exit code is 1 if one of them is below what is promised. The test run takes a few seeds of the same trials.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import product

from topology.conclude import conclude
from topology.synth.damage import damage
from topology.synth.defects import Defects, SwitchNames
from topology.synth.evidence import scan_of
from topology.synth.score import Score, score
from topology.synth.spec import Tree, units_of
from topology.synth.tree import draw_tree

SEEDS = 20
HOSTS = 2_000
PLACED, NAMED = 0.999, 0.99
"""Promised: the share of hosts in their leaf domain and pod; precision and recall of the misplaced cable ends."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A fabric and its damage; the seed comes later."""

    name: str
    tree: Tree
    defects: Defects

    def run(self, seed: int) -> Score:
        """Draw, damage, sweep in a drawn order, conclude and score."""
        drawing = damage(draw_tree(replace(self.tree, seed=seed)), replace(self.defects, seed=seed))
        conclusion = conclude([scan_of(drawing, shuffle_seed=seed)])
        return score(drawing, conclusion.hierarchy.hyper_nodes, conclusion.anomalies)


def keeps_promise(result: Score) -> bool:
    """True for one root, 99.9 % of the hosts in place, and precision and recall of 0.99."""
    return result.roots == 1 and result.placed >= PLACED and min(result.precision, result.recall) >= NAMED


def trials() -> Iterator[Trial]:
    """Every design with every way to exchange its cables, with good names and with factory names."""
    damages = {
        "rails exchanged": Defects(missing=0.01, rails_exchanged=0.01),
        "hosts exchanged": Defects(missing=0.01, hosts_exchanged=0.01),
    }
    names: tuple[SwitchNames, ...] = ("good", "factory")
    for (design, tree), (way, defects), name in product(designs().items(), damages.items(), names):
        if tree.wiring == "classic" and way == "rails exchanged":
            continue  # all cables of a host end at one leaf: exchanging them changes no domain
        yield Trial(f"{design}, {way}, {name} names", tree, replace(defects, switch_names=name))


def designs() -> dict[str, Tree]:
    """Rail-optimised with 4 and 8 rails and classic with 4 cables a host, each in 2 and 3 tiers.

    Two tiers need leaves of 72 hosts (144 ports), for 2,000 hosts with 8 rails are more than 64 ports can join.
    """
    two_tiers = Tree(tiers=2, spines=8)
    three_tiers = Tree(tiers=3, spines=4, trunk=2, cores=8)
    found = {}
    for rails in (4, 8):
        found[f"{rails} rails, 2 tiers"] = replace(two_tiers, units=units_of(HOSTS, 72, rails))
        found[f"{rails} rails, 3 tiers"] = replace(three_tiers, units=units_of(HOSTS, 32, rails))
    racks = units_of(HOSTS, 16, 4)
    found["classic, 2 tiers"] = replace(two_tiers, units=racks, wiring="classic")
    found["classic, 3 tiers"] = replace(three_tiers, units=racks, wiring="classic", pod_units=10)
    return found


def worst(trial: Trial, seeds: int) -> tuple[bool, str]:
    """Whether the trial kept its promise with every seed, and its line."""
    scores = [trial.run(seed) for seed in range(seeds)]
    figures = (
        f"placed {min(result.placed for result in scores):.4f}",
        f"roots {max((result.roots for result in scores), key=lambda roots: abs(roots - 1))}",
        f"precision {min(result.precision for result in scores):.4f}",
        f"recall {min(result.recall for result in scores):.4f}",
    )
    failed = [seed for seed, result in enumerate(scores) if not keeps_promise(result)]
    verdict = f"FAILED with seeds {', '.join(map(str, failed))}" if failed else "ok"
    return not failed, f"{trial.name:<48} {'  '.join(figures)}  {verdict}"


def main(arguments: list[str]) -> int:
    seeds = int(arguments[0]) if arguments else SEEDS
    everything = list(trials())
    kept = True
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for good, line in pool.map(worst, everything, [seeds] * len(everything)):
            print(line, flush=True)
            kept &= good
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
