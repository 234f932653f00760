"""Links that were once up, the evidence of their ports, and lost links as text.

A cable that was cut is in no sweep any more, so health needs to know what there was. Links are known by their two ends
(GUID and port), not by names. `topology.judging` says how each of them is now.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

from discovery.reports import DEGRADED, DOWN, FLAPPING
from discovery.scan import spell_guid
from topology.graph import Graph
from topology.structure import Structure

NOT_SEEN = "NotSeen"
"""The reason of a link that an answering switch does not report any more."""

SETTLING = "Settling"
"""The word of a link that is up again after it was lost, and not for long enough to be well."""

BOND_LEG_DOWN = "BondLegDown"
"""The reason of a link that is down while another one of its bond carries on."""


class End(NamedTuple):
    """One end of a link: node GUID of the switch or adapter, and port. Zero is unknown. (Tuples: they exist by the
    hundred thousand and are looked up all the time.)"""

    guid: int
    port: int


NOWHERE = End(0, 0)
"""The far end of a link of which only the host's own record says that it was up."""


class Link(NamedTuple):
    """A cable: the host's or lower switch's end, then that of the switch above."""

    lower: End
    upper: End


class Verdict(NamedTuple):
    """One of the words of `discovery.reports`, and why."""

    word: str
    reason: str | None = None

    @property
    def unhealthy(self) -> bool:
        return self.word in (DOWN, FLAPPING, DEGRADED, SETTLING)


@dataclass(frozen=True, slots=True)
class PortState:
    """What the owner of a port (an agent, or the sweeper for a switch) says of it."""

    verdict: Verdict
    peer: End | None = None
    """Switch ports: what is, or was last, at the other end."""
    ever_up: bool = False
    """Host ports: there is a record that it was up once."""
    spared: bool = False
    """Host ports: another member of its bond carries on while this one is down."""
    silent: bool = False
    """Switch ports: it has a link, and nobody tells what is at the other end."""


@dataclass(frozen=True, slots=True)
class PortEvidence:
    """All ports of the switches that answered the newest sweep that counts, and of all NodeReports."""

    devices: Mapping[int, Mapping[int, PortState]]
    """By GUID of the switch or adapter, then by port."""
    answered: AbstractSet[int]
    """GUIDs of the switches that answered."""
    switches: AbstractSet[int]
    """GUIDs of all switches that there are, those included that did not answer."""
    named: AbstractSet[int] = frozenset()
    """GUIDs of switches that nobody asks: their cables are told by whoever is at the other end, and silence says
    nothing."""

    @staticmethod
    def of(ports: Mapping[End, PortState], answered: AbstractSet[int], switches: AbstractSet[int]) -> PortEvidence:
        """The same from one mapping of all ports."""
        devices: dict[int, dict[int, PortState]] = defaultdict(dict)
        for end, state in ports.items():
            devices[end.guid][end.port] = state
        return PortEvidence(devices, answered, switches)

    def state(self, end: End) -> PortState | None:
        """What is said of one port."""
        ports = self.devices.get(end.guid)
        return ports.get(end.port) if ports is not None else None


@dataclass(frozen=True, slots=True)
class Places:
    """Where ends belong: the level of a switch, the node of an adapter, and what operators call both."""

    level: Mapping[int, int]
    node: Mapping[int, str]
    label: Mapping[int, str]
    leg: Mapping[End, str] = field(default_factory=dict)
    """The interfaces that are ports of one device together, as the members of a bond are: what they are called."""


@dataclass(frozen=True, slots=True)
class KnownLinks:
    """Every link known to have been up, with its last verdict; and the node of every adapter that ever had one."""

    links: Mapping[Link, Verdict] = field(default_factory=dict)
    node: Mapping[int, str] = field(default_factory=dict)
    index: Mapping[int, tuple[Link, ...]] | None = field(default=None, compare=False, repr=False)
    """Those at each GUID, where somebody has sorted them already."""

    @property
    def at(self) -> Mapping[int, tuple[Link, ...]]:
        """By GUID the links that have an end there."""
        return self.index if self.index is not None else by_guid(self.links)


def by_guid(links: Iterable[Link]) -> dict[int, tuple[Link, ...]]:
    """By GUID the links that have an end there."""
    found: dict[int, list[Link]] = defaultdict(list)
    for link in links:
        found[link.lower.guid].append(link)
        if link.upper.guid != link.lower.guid:
            found[link.upper.guid].append(link)
    return {guid: tuple(of_one) for guid, of_one in found.items()}


def find_places(graph: Graph, structure: Structure) -> Places:
    """The places of all switches and adapters of a graph."""
    levels = structure.level.tolist()
    level, label = {}, {}
    for guid, index in switch_guids(graph).items():
        level[guid] = levels[index]
        label[guid] = graph.switches[index].name or spell_guid(guid) or "a switch"
    node: dict[int, str] = {}
    adapters = graph.adapters
    for guid, host, device in zip(adapters.guid.tolist(), adapters.host.tolist(), adapters.device, strict=True):
        name = graph.hosts[host].node
        if name is not None and guid:
            node[guid] = name
            label[guid] = f"{name} {device}" if device else name
    return Places(level, node, label)


def switch_guids(graph: Graph) -> dict[int, int]:
    """By node GUID of every ASIC its switch: one of several planes has an ASIC for each."""
    return {guid: index for index, switch in enumerate(graph.switches) for guid in switch.guids}


def write_lost(links: Iterable[Link], node: Mapping[int, str], limit: int) -> str:
    """Lost links as text (an annotation), so that a restart forgets none: at most `limit`, sorted, uplinks first.

    Nodes stay in place without them; how domains hang together is seen by the uplinks alone.
    """
    texts = [
        f"{node.get(lower.guid, '')}@{lower.guid:016x}/{lower.port}-{upper.guid:016x}/{upper.port}"
        for lower, upper in links
    ]
    return " ".join(sorted(texts, key=lambda text: (not text.startswith("@"), text))[:limit])


def read_lost(text: str) -> KnownLinks:
    """The reverse of `write_lost`; what is not of that form is passed over."""
    links: dict[Link, Verdict] = {}
    node: dict[int, str] = {}
    for word in text.split():
        name, _, ends = word.partition("@")
        try:
            lower, upper = (_read_end(end) for end in ends.split("-"))
        except ValueError:
            continue
        links[Link(lower, upper)] = Verdict(DOWN, NOT_SEEN)
        if name:
            node[lower.guid] = name
    return KnownLinks(links, node)


def _read_end(text: str) -> End:
    guid, _, port = text.partition("/")
    return End(int(guid, 16), int(port))


def together(parts: Sequence[KnownLinks]) -> KnownLinks:
    """All that is known by any of them; the last one's word counts."""
    links = {link: verdict for part in parts for link, verdict in part.links.items()}
    return KnownLinks(links, {guid: name for part in parts for guid, name in part.node.items()})
