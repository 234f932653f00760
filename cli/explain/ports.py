"""The ports of some hosts: device, and the switch port, width and speed of its cable."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from cli.explain.document import Port
from discovery.scan import Speed, spell_guid
from topology.graph import Graph
from topology.merge import switch_label


def adapters_of(graph: Graph, hosts: Collection[int]) -> list[int]:
    """The adapters of these hosts."""
    return [int(row) for row in np.flatnonzero(np.isin(graph.adapters.host, list(hosts)))]


def ports_of(graph: Graph, adapters: Collection[int]) -> tuple[Port, ...]:
    """Every port of these adapters that has a cable to a switch, by device; and every adapter that has none."""
    found = [*_cabled(graph, adapters), *_uncabled(graph, adapters)]
    return tuple(sorted(found, key=lambda port: (port.device or "", port.guid or "", port.port or 0)))


def switches_of(graph: Graph, adapters: Collection[int]) -> list[int]:
    """The switches that these adapters hang on, ascending."""
    rows = np.isin(graph.host_links.adapter, list(adapters))
    return [int(switch) for switch in np.unique(graph.host_links.switch[rows])]


def _cabled(graph: Graph, adapters: Collection[int]) -> Iterator[Port]:
    links = graph.host_links
    for row in np.flatnonzero(np.isin(links.adapter, list(adapters))).tolist():
        adapter, switch = int(links.adapter[row]), int(links.switch[row])
        speed = Speed(int(links.speed[row]))
        yield Port(
            device=graph.adapters.device[adapter],
            guid=_adapter_guid(graph, adapter),
            port=int(links.adapter_port[row]) or None,
            switch=switch_label(graph, switch),
            switch_guid=spell_guid(int(links.switch_guid[row]), graph.spelled),
            switch_port=int(links.switch_port[row]) or None,
            width=int(links.width[row]) or None,
            speed=speed.spelled if speed else None,
        )


def _uncabled(graph: Graph, adapters: Collection[int]) -> Iterator[Port]:
    cabled = set(graph.host_links.adapter.tolist())
    for adapter in adapters:
        if adapter not in cabled:
            guid = _adapter_guid(graph, adapter)
            yield Port(graph.adapters.device[adapter], guid, None, None, None, None, None, None)


def _adapter_guid(graph: Graph, adapter: int) -> str | None:
    return spell_guid(int(graph.adapters.guid[adapter]), graph.spelled)
