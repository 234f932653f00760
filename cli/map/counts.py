"""How many hosts a fabric has: machines by their names, and the adapters of which nobody knows the machine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from topology.conclude import Conclusion


@dataclass(frozen=True, slots=True)
class HostCount:
    """The hosts of one fabric. An adapter with its factory description names no machine, and is none."""

    named: int
    """Hosts with a name, or claimed by a node's own report."""
    nameless_adapters: int


def count_hosts(conclusion: Conclusion) -> tuple[HostCount, ...]:
    """By fabric, in their order."""
    graph, structure = conclusion.graph, conclusion.structure
    links = graph.host_links
    known = np.array([host.name is not None or host.node is not None for host in graph.hosts], np.bool_)
    fabric = structure.fabric_of_switch[links.switch]
    adapters = [np.unique(links.adapter[fabric == number]) for number in range(len(structure.fabrics))]
    owners = [graph.adapters.host[some] for some in adapters]
    return tuple(HostCount(len(np.unique(some[known[some]])), int((~known[some]).sum())) for some in owners)
