"""The cabling as the checks see it: the graph's host links beside the structure's verdicts, and the words for both.

Every check takes a `Cabling`. Columns named "by host link" run parallel to `Graph.host_links`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discovery.scan import spell_guid
from topology.anomaly import Anomaly, CableEnd, Severity
from topology.graph import Graph
from topology.structure import Structure

MOST_ENDS = 64
"""An anomaly names at most so many cable ends; its sentence gives the full count."""

LONGEST_DETAIL = 500


@dataclass(frozen=True, slots=True, eq=False)
class Cabling:
    """A graph with its structure, joined once for all checks."""

    graph: Graph
    structure: Structure
    fabric: NDArray[np.int64]
    """By host link: the fabric of its switch."""
    sits: NDArray[np.int64]
    """By host link: the domain of its switch; -1 for a switch of none (a shared leaf)."""
    home: NDArray[np.int64]
    """By host link: the leaf domain that is its host's home in that fabric; -1 for none."""
    device: NDArray[np.int64]
    """By host link: a number for device name and adapter port; -1 for an adapter without a device name."""
    devices: tuple[str, ...]
    """What those numbers stand for: `mlx5_0`, or `mlx5_0 port 2`."""

    def fabric_name(self, fabric: int) -> str | None:
        """The name of a fabric; None for a number that is none."""
        return self.structure.fabrics[fabric].name if fabric >= 0 else None

    def switch(self, switch: int) -> str:
        """What an operator calls a switch: its name, else its GUID."""
        found = self.graph.switches[switch]
        return found.name or spell_guid(found.guid, self.graph.spelled) or f"switch {switch}"

    def host(self, link: int) -> str:
        """What an operator calls the host of a link: its name, else the GUID of the adapter."""
        links = self.graph.host_links
        name = self.graph.hosts[int(links.host[link])].name
        return name or f"adapter {self._adapter_guid(int(links.adapter[link]))}"

    def device_name(self, link: int) -> str:
        """The device name of a link's adapter (with its port where that is not the first), or `a cable`."""
        device = int(self.device[link])
        return self.devices[device] if device >= 0 else "a cable"

    def unit(self, domain: int) -> str:
        """What to call a domain of switches that has no name of its own."""
        switches = self.structure.domains[domain].switches
        more = f" and {len(switches) - 1} more" if len(switches) > 1 else ""
        return f"the unit of {self.switch(switches[0])}{more}"

    def switch_end(self, switch: int) -> CableEnd:
        """A switch as a whole."""
        found = self.graph.switches[switch]
        return CableEnd(found.name or None, spell_guid(found.guid, self.graph.spelled), None)

    def adapter_end(self, adapter: int, port: int | None = None) -> CableEnd:
        """The end at an adapter, which carries its host's name."""
        name = self.graph.hosts[int(self.graph.adapters.host[adapter])].name
        return CableEnd(name, self._adapter_guid(adapter), port or None)

    def link_ends(self, link: int) -> tuple[CableEnd, CableEnd]:
        """Both ends of a host link, the host's first."""
        links = self.graph.host_links
        host = self.adapter_end(int(links.adapter[link]), int(links.adapter_port[link]))
        name = self.graph.switches[int(links.switch[link])].name
        return host, self._switch_port_end(name, int(links.switch_guid[link]), int(links.switch_port[link]))

    def trunk_ends(self, trunk: int) -> tuple[CableEnd, CableEnd]:
        """Both ends of a cable between two switches."""
        trunks = self.graph.trunks
        a, b = (self.graph.switches[int(end[trunk])].name for end in (trunks.a, trunks.b))
        near = self._switch_port_end(a, int(trunks.a_guid[trunk]), int(trunks.a_port[trunk]))
        return near, self._switch_port_end(b, int(trunks.b_guid[trunk]), int(trunks.b_port[trunk]))

    def anomaly(self, kind: str, severity: Severity, fabric: int, where: Iterable[CableEnd], sentence: str) -> Anomaly:
        """A finding with its lists and its sentence kept within bounds."""
        return Anomaly(kind, severity, self.fabric_name(fabric), tuple(where)[:MOST_ENDS], bounded(sentence))

    def _switch_port_end(self, name: str, guid: int, port: int) -> CableEnd:
        """One port of one ASIC; 0 is unknown."""
        return CableEnd(name or None, spell_guid(guid, self.graph.spelled), port or None)

    def _adapter_guid(self, adapter: int) -> str | None:
        return spell_guid(int(self.graph.adapters.guid[adapter]), self.graph.spelled)


def join_cabling(graph: Graph, structure: Structure) -> Cabling:
    """Join the graph with what was concluded from it."""
    links = graph.host_links
    fabric = structure.fabric_of_switch[links.switch].astype(np.int64)
    home = np.full(len(links), -1, np.int64)
    known = fabric >= 0
    home[known] = structure.home[fabric[known], links.host[known]]
    device, devices = _number_devices(graph)
    sits = structure.domain_of_switch[links.switch].astype(np.int64)
    return Cabling(graph, structure, fabric, sits, home, device, devices)


def _number_devices(graph: Graph) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """By host link the number of its device; numbers are in the order of the names."""
    links = graph.host_links
    names = sorted({name for name in graph.adapters.device if name is not None})
    place: dict[str | None, int] = {name: number for number, name in enumerate(names)}
    number = np.array([place.get(name, -1) for name in graph.adapters.device], np.int64)
    number = number[links.adapter] if len(links) else np.empty(0, np.int64)
    known = number >= 0
    ports = int(links.adapter_port.max(initial=0)) + 1
    distinct, inverse = np.unique((number * ports + links.adapter_port)[known], return_inverse=True)
    device = np.full(len(links), -1, np.int64)
    device[known] = inverse
    spelled = [(names[code // ports], code % ports) for code in distinct.tolist()]
    return device, tuple(name if port <= 1 else f"{name} port {port}" for name, port in spelled)


def listed(names: Sequence[str], most: int = 6) -> str:
    """Names for a sentence: `a`, `a and b`, `a, b and 7 more`."""
    if len(names) <= 1:
        return "".join(names)
    if len(names) <= most:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"


def counted(number: int, noun: str) -> str:
    """`1 cable`, `2 cables`; the plural of a switch is switches."""
    plural = "es" if noun.endswith("ch") else "s"
    return f"{number} {noun}" if number == 1 else f"{number} {noun}{plural}"


def bounded(sentence: str) -> str:
    """The sentence, cut where it is longer than an operator reads (a name may be 64 bytes of anything)."""
    return sentence if len(sentence) <= LONGEST_DETAIL else sentence[: LONGEST_DETAIL - 2].rstrip() + " …"
