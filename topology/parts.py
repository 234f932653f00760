"""The connected parts of a graph: what each of them reaches, and by which kind of port."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topology.columns import mode
from topology.graph import Graph


@dataclass(frozen=True, slots=True)
class Part:
    """One connected part: its hosts and the kind of port they have in it."""

    number: int
    hosts: frozenset[int]
    """Those that have a name, if any has one: only they can be seen in two parts."""
    device: int
    """The most frequent device id of the adapters in it."""
    speed: int
    """The fastest `Speed` most of its host links could run at: the most frequent one."""
    ports: int
    """The most frequent number of links a host has in it."""
    switches: int
    ethernet: bool = False
    unswept: bool = False
    """Nobody swept any of its switches: nothing is known of their uplinks."""


def describe_parts(graph: Graph) -> list[Part]:
    """The connected parts of the graph in the order of their numbers."""
    links = graph.host_links
    count = int(graph.component.max()) + 1 if len(graph.component) else 0
    part_of_link = graph.component[links.switch]
    switches = np.bincount(graph.component, minlength=count)
    ethernet, unswept = _layers(graph, count)
    known = np.array([host.name is not None or host.node is not None for host in graph.hosts], np.bool_)
    parts = []
    for number in range(count):
        rows = np.flatnonzero(part_of_link == number) if count > 1 else np.arange(len(links))
        hosts, ports = np.unique(links.host[rows], return_counts=True)
        named = known[hosts] if len(hosts) else known[:0]
        if named.any():
            hosts, ports = hosts[named], ports[named]
        parts.append(
            Part(
                number,
                frozenset(hosts.tolist()),
                mode(graph.adapters.device_id[links.adapter[rows]]),
                mode(links.speed[rows]),
                mode(ports),
                int(switches[number]),
                bool(ethernet[number]),
                bool(unswept[number]),
            )
        )
    return parts


def _layers(graph: Graph, count: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """By part whether it is one of Ethernet, and whether it is and nobody swept any of its switches."""
    of_switch = np.array([switch.ethernet for switch in graph.switches], np.bool_)
    swept = ~of_switch
    swept[np.setdiff1d(np.arange(len(of_switch)), np.array(graph.unswept, np.int64))] = True
    ethernet, known = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    ethernet[graph.component[of_switch]] = True
    known[graph.component[swept]] = True
    return ethernet, ethernet & ~known
