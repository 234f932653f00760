"""A builder of small graphs with their structure, so that every finding's cable ends are evident from the test itself.

Levels and domains are said, not concluded: these tests hold the checks, whatever the rest of the room concludes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from discovery.scan import Speed
from topology.anomalies import find_anomalies
from topology.anomaly import Anomaly, CableEnd
from topology.columns import connected_components
from topology.graph import AdapterColumns, Graph, Host, HostLinkColumns, Switch, TrunkColumns
from topology.structure import LEAF, Domain, Fabric, Structure

NDR_SWITCH, NDR_ADAPTER = 0xD2F2, 0x1021


@dataclass(frozen=True, slots=True)
class Place:
    """Where a switch stands."""

    domain: str
    level: int
    fabric: str
    shared: bool


@dataclass(frozen=True, slots=True)
class HostCable:
    """A cable of a host; `device` None: the adapter names none."""

    host: str | None
    device: str | None
    switch: str
    port: int
    adapter_port: int = 1
    width: int = 4
    speed: Speed = Speed.NDR
    adapter_model: int = NDR_ADAPTER
    adapter: str = ""
    """Tells adapters apart that name no host or device."""


@dataclass(frozen=True, slots=True)
class Trunk:
    """A cable between two switches."""

    a: str
    a_port: int
    b: str
    b_port: int
    width: int = 4
    speed: Speed = Speed.NDR


@dataclass(slots=True)
class Site:
    """What is there; the tests take cables out and hang them elsewhere."""

    switches: list[Switch] = field(default_factory=list)
    places: dict[str, Place] = field(default_factory=dict)
    cables: list[HostCable] = field(default_factory=list)
    trunks: list[Trunk] = field(default_factory=list)
    parents: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, str | None] = field(default_factory=dict)
    """Host to Kubernetes node, where that is not the host itself."""
    duplicates: list[str] = field(default_factory=list)
    """Descriptions that several adapters share."""
    meshes: set[str] = field(default_factory=set)
    planes: int = 1
    complete: bool = True
    joined: bool = True
    """All switches of a fabric are one connected part, though the test does not draw what joins them."""

    def switch(
        self, name: str, domain: str, level: int = LEAF, *,
        ports: int = 65, model: int = NDR_SWITCH, fabric: str = "ib", shared: bool = False,
    ) -> str:  # fmt: skip
        """Add a switch; its GUID follows from its place in the list."""
        self.switches.append(Switch(0x100 + len(self.switches), 0, name, name, model, ports))
        self.places[name] = Place(domain, level, fabric, shared)
        return name

    def cable(self, host: str | None, device: str | None, switch: str, port: int, **more: object) -> None:
        """Hang a host's cable; `more` are fields of HostCable."""
        self.cables.append(replace(HostCable(host, device, switch, port), **more))  # type: ignore[arg-type]  # a test's own keywords

    def join(self, a: str, b: str, times: int = 1, **more: object) -> None:
        """Cables between two switches, on the next free ports from 33 up."""
        for _ in range(times):
            trunk = Trunk(a, self._next_port(a), b, self._next_port(b))
            self.trunks.append(replace(trunk, **more))  # type: ignore[arg-type]  # a test's own keywords

    def of(self, host: str, device: str) -> HostCable:
        """The cable of a host's device."""
        return next(cable for cable in self.cables if (cable.host, cable.device) == (host, device))

    def move(self, host: str, device: str, switch: str, port: int) -> None:
        """Hang a cable elsewhere."""
        cable = self.of(host, device)
        self.cables[self.cables.index(cable)] = replace(cable, switch=switch, port=port)

    def exchange(self, one: tuple[str, str], other: tuple[str, str]) -> None:
        """Two cables (host and device) trade their places at the switches."""
        a, b = self.of(*one), self.of(*other)
        self.move(*one, b.switch, b.port)
        self.move(*other, a.switch, a.port)

    def drop(self, host: str, device: str) -> None:
        """Take a cable out."""
        self.cables.remove(self.of(host, device))

    def cut(self, a: str, b: str, times: int = 1) -> None:
        """Take cables between two switches out."""
        for trunk in [trunk for trunk in self.trunks if {trunk.a, trunk.b} == {a, b}][:times]:
            self.trunks.remove(trunk)

    def switch_end(self, name: str, port: int | None = None) -> CableEnd:
        """The expected end at a switch."""
        guid = next(switch.guid for switch in self.switches if switch.name == name)
        return CableEnd(name, f"{guid:016x}", port)

    def host_end(self, host: str | None, device: str | None, port: int | None = 1, adapter: str = "") -> CableEnd:
        """The expected end at a host."""
        number = list(self._adapters()).index((host, device, adapter))
        return CableEnd(host, f"{0xA000 + number:016x}", port)

    def ends(self, host: str, device: str) -> tuple[CableEnd, CableEnd]:
        """Both expected ends of a host's cable, as it hangs now."""
        cable = self.of(host, device)
        return self.host_end(host, device, cable.adapter_port), self.switch_end(cable.switch, cable.port)

    def find(self, *kinds: str) -> list[Anomaly]:
        """The anomalies of these kinds; of all kinds where none is named."""
        return [found for found in find_anomalies(*self.build()) if not kinds or found.kind in kinds]

    def build(self) -> tuple[Graph, Structure]:
        """The graph and the structure as they are said."""
        graph = self._graph()
        return graph, self._structure(graph)

    def _next_port(self, name: str) -> int:
        used = sum((trunk.a == name) + (trunk.b == name) for trunk in self.trunks)
        return 33 + used

    def _adapters(self) -> dict[tuple[str | None, str | None, str], HostCable]:
        found: dict[tuple[str | None, str | None, str], HostCable] = {}
        for cable in self.cables:
            found.setdefault((cable.host, cable.device, cable.adapter), cable)
        return found

    def _graph(self) -> Graph:
        number = {switch.name: place for place, switch in enumerate(self.switches)}
        adapters = self._adapters()
        order = {key: place for place, key in enumerate(adapters)}
        hosts: dict[str, int] = {}
        for host, _, adapter in adapters:
            hosts.setdefault(host or f"?{adapter}", len(hosts))
        names = [None if name.startswith("?") else name for name in hosts]
        texts = [f"{host or adapter} {device or ''}".strip() for host, device, adapter in adapters]
        rows = [(order[cable.host, cable.device, cable.adapter], cable) for cable in self.cables]
        host_of = [hosts[host or f"?{adapter}"] for host, _, adapter in adapters]
        trunk_ends = [(number[trunk.a], number[trunk.b]) for trunk in self.trunks]
        a, b = (np.array([ends[side] for ends in trunk_ends], np.int32) for side in (0, 1))
        return Graph(
            switches=tuple(self.switches),
            hosts=tuple(Host(name, self.nodes.get(name, name) if name else None) for name in names),
            adapters=AdapterColumns(
                host=np.array(host_of, np.int32),
                guid=np.arange(0xA000, 0xA000 + len(adapters), dtype=np.uint64),
                system_guid=np.zeros(len(adapters), np.uint64),
                device_id=np.array([cable.adapter_model for cable in adapters.values()], np.uint32),
                device=tuple(device for _, device, _ in adapters),
                description=tuple(texts),
            ),
            host_links=HostLinkColumns(
                host=np.array([host_of[adapter] for adapter, _ in rows], np.int32),
                adapter=np.array([adapter for adapter, _ in rows], np.int32),
                adapter_port=np.array([cable.adapter_port for _, cable in rows], np.int16),
                port_guid=np.array([0xB000 + 16 * place + cable.adapter_port for place, cable in rows], np.uint64),
                switch=np.array([number[cable.switch] for _, cable in rows], np.int32),
                switch_port=np.array([cable.port for _, cable in rows], np.int16),
                width=np.array([cable.width for _, cable in rows], np.uint8),
                speed=np.array([cable.speed for _, cable in rows], np.uint8),
                switch_guid=np.array([self.switches[number[cable.switch]].guid for _, cable in rows], np.uint64),
            ),
            trunks=TrunkColumns(
                a=a,
                a_port=np.array([trunk.a_port for trunk in self.trunks], np.int16),
                b=b,
                b_port=np.array([trunk.b_port for trunk in self.trunks], np.int16),
                width=np.array([trunk.width for trunk in self.trunks], np.uint8),
                speed=np.array([trunk.speed for trunk in self.trunks], np.uint8),
                a_guid=np.array([self.switches[end].guid for end in a.tolist()], np.uint64),
                b_guid=np.array([self.switches[end].guid for end in b.tolist()], np.uint64),
            ),
            component=self._components(a, b),
            complete=self.complete,
            duplicate_names=tuple(
                tuple(place for place, own in enumerate(texts) if own == text) for text in self.duplicates
            ),
        )

    def _components(self, a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.int32]:
        if not self.joined:
            return connected_components(len(self.switches), a, b)
        fabrics = [self.places[switch.name].fabric for switch in self.switches]
        return np.array([sorted(set(fabrics)).index(fabric) for fabric in fabrics], np.int32)

    def _structure(self, graph: Graph) -> Structure:
        fabric_names = list(dict.fromkeys(place.fabric for place in self.places.values()))
        domains = list(dict.fromkeys(place.domain for place in self.places.values() if not place.shared))
        place_of = [self.places[switch.name] for switch in self.switches]
        fabric_of = np.array([fabric_names.index(place.fabric) for place in place_of], np.int32)
        domain_of = np.array([-1 if place.shared else domains.index(place.domain) for place in place_of], np.int32)
        level = np.array([place.level for place in place_of], np.int8)
        home = np.full((len(fabric_names), len(graph.hosts)), -1, np.int32)
        for fabric in range(len(fabric_names)):
            for host in range(len(graph.hosts)):
                links = zip(graph.host_links.host.tolist(), graph.host_links.switch.tolist(), strict=True)
                own = [
                    int(domain_of[switch]) for owner, switch in links if owner == host and fabric_of[switch] == fabric
                ]
                leaves = [domain for domain in own if domain >= 0 and level[np.argmax(domain_of == domain)] == LEAF]
                if leaves:
                    home[fabric, host] = min(Counter(leaves).items(), key=lambda item: (-item[1], item[0]))[0]
        return Structure(
            fabrics=tuple(self._fabric(graph, name, fabric_of == number) for number, name in enumerate(fabric_names)),
            fabric_of_switch=fabric_of,
            level=level,
            domain_of_switch=domain_of,
            domains=tuple(self._domain(domains, name, domain_of, fabric_of, level) for name in domains),
            home=home,
            shared=np.array([place.shared for place in place_of], np.bool_),
            mesh=tuple(name in self.meshes for name in fabric_names),
        )

    def _fabric(self, graph: Graph, name: str, inside: NDArray[np.bool_]) -> Fabric:
        links = inside[graph.host_links.switch]
        hosts = tuple(np.unique(graph.host_links.host[links]).tolist())
        switches = tuple(np.flatnonzero(inside).tolist())
        return Fabric(name, "infiniband", "compute", "only-fabric", self.planes, switches, hosts, int(links.sum()))

    def _domain(
        self, domains: list[str], name: str,
        domain_of: NDArray[np.int32],
        fabric_of: NDArray[np.int32],
        level: NDArray[np.int8],
    ) -> Domain:  # fmt: skip
        number = domains.index(name)
        members = np.flatnonzero(domain_of == number)
        parent = self.parents.get(name)
        children = tuple(domains.index(child) for child, above in self.parents.items() if above == name)
        return Domain(
            int(fabric_of[members[0]]), int(level[members[0]]), tuple(members.tolist()),
            domains.index(parent) if parent else None, children,
        )  # fmt: skip


def rail_units(units: int = 2, hosts: int = 8, rails: int = 4) -> Site:
    """Units with one leaf a rail: device `mlx5_<r>` of host `u<u>-h<h>` on port h of leaf `u<u>-r<r>`; no spines."""
    site = Site()
    for unit in range(units):
        for rail in range(rails):
            site.switch(f"u{unit}-r{rail}", f"unit {unit}")
        for host in range(1, hosts + 1):
            for rail in range(rails):
                site.cable(f"u{unit}-h{host}", f"mlx5_{rail}", f"u{unit}-r{rail}", host)
    return site


def racks(count: int = 3, hosts: int = 8, cables: int = 4) -> Site:
    """Classic racks: all cables of a host on the one leaf `rack<r>`, ports in the order of the hosts; no spines."""
    site = Site()
    for rack in range(count):
        site.switch(f"rack{rack}", f"rack {rack}")
        for host in range(hosts):
            for number in range(cables):
                site.cable(f"rack{rack}-h{host}", f"mlx5_{number}", f"rack{rack}", host * cables + number + 1)
    return site


def clos(leaves: int = 8, spines: int = 4, times: int = 2) -> Site:
    """Leaves `l<n>`, each a domain with four hosts, all joined to all spines `s<n>` of one domain."""
    site = Site(joined=False)
    for spine in range(spines):
        site.switch(f"s{spine}", "spines", 1)
    for leaf in range(leaves):
        site.switch(f"l{leaf}", f"leaf {leaf}")
        site.parents[f"leaf {leaf}"] = "spines"
        for host in range(4):
            site.cable(f"l{leaf}-h{host}", "mlx5_0", f"l{leaf}", host + 1)
        for spine in range(spines):
            site.join(f"l{leaf}", f"s{spine}", times)
    return site
