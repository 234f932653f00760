"""Roots that the evidence refutes: the switches that they stand for answer, and serve others on a lower level by now.

A root that is merely in no tree today stays: its switches may all have died, or all that was below them.
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.conclusion.evidence import missing_switches, number_of, switch_number
from controller.snapshot import Snapshot, is_whole, sweeper_of
from topology.conclude import Conclusion
from topology.hierarchy import LEVELS, HyperNode
from topology.links import switch_guids
from topology.structure import LEAF


def refuted_roots(
    before: Sequence[HyperNode], held: Conclusion, shown: Conclusion, snapshot: Snapshot
) -> frozenset[str]:
    """Those of the tree that stands which are in neither of the two that are concluded now."""
    there = {found.name for one in (held, shown) for found in one.hierarchy.hyper_nodes}
    asked = {
        found.name: (LEVELS.index(found.tier_name) - 1, frozenset(map(number_of, found.switches)))
        for found in before
        if found.parent is None and found.switches and found.name not in there and found.tier_name in LEVELS
    }
    if not asked:
        return frozenset()
    answered = _answered(snapshot)
    serving = _serving(shown)
    return frozenset(
        name
        for name, (height, own) in asked.items()
        if own <= answered and all(serving.get(guid, height) < height for guid in own)
    )


def _serving(shown: Conclusion) -> dict[int, int]:
    """By GUID the level of each switch with hosts, or domains of hosts, right below it."""
    structure, hosts = shown.structure, set(shown.graph.host_links.switch.tolist())
    level, domain = structure.level.tolist(), structure.domain_of_switch.tolist()
    joining = {number for number, found in enumerate(structure.domains) if found.children}
    return {
        guid: level[switch]
        for guid, switch in switch_guids(shown.graph).items()
        if (switch in hosts if level[switch] == LEAF else domain[switch] in joining)
    }


def _answered(snapshot: Snapshot) -> frozenset[int]:
    whole = {sweep.metadata.name for sweep in snapshot.sweeps if is_whole(sweep)}
    found = {switch_number(report.spec) for report in snapshot.switch_reports if sweeper_of(report) in whole}
    return frozenset(found) - missing_switches(snapshot, 1)
