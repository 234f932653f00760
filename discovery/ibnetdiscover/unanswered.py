"""What ibnetdiscover got no answer from: its words on stderr, and the ports of the map that they leave unknown.

The tool exits 0 with a partial map when a management datagram is lost and names on stderr the directed path that gave
no answer: the ports out of which a packet goes, hop by hop, from the tool's own port. What lies behind the last of
them is unknown, and nothing else. Forms as in rdma-core's libibnetdisc/query_smp.c and libibmad's portid2str.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from discovery.identity import Guid
from discovery.scan import NodeKind, Scan, spell_guid

EVERY_PORT = 0
"""In place of a port number: all of the switch are in doubt (no port of a cable has this number)."""
MAX_PATHS = 20_000
"""More are not looked at one by one: the sweep is in doubt as a whole."""

_NODE_DESCRIPTION, _NODE_INFO, _PORT_INFO, _VENDOR_PORT_INFO = 0x10, 0x11, 0x15, 0xFF90
_UNANSWERED = re.compile(
    r"mad \((?P<where>.{0,60}?)(?P<path>\b0(?:,\d{1,3}){0,64}) "
    r"Attr 0x(?P<attribute>[0-9a-fA-F]{1,4}):(?P<port>\d{1,10})\) (?P<reason>bad status.*)"
)
_FROM_OWN_PORT = re.compile(r"DR path slid 0; dlid 0; ")
_ERROR = re.compile(r"error|bad status|timed out|timeout|failed|can't|cannot|unable|out of memory|OOM", re.IGNORECASE)
_HARMLESS = re.compile(r"already exists in \w+ DB|Error Occurred when trying to insert new port guid")
"""The tool met a node or a port twice."""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """One question without an answer."""

    path: tuple[int, ...]
    """Ports from hop to hop; empty: the tool's own port."""
    attribute: int
    port: int
    """The attribute's modifier: of PortInfo the number of the port."""
    reason: str

    def __str__(self) -> str:
        return f"no answer at the directed path {','.join(map(str, (0, *self.path)))}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Words:
    """The tool's stderr, read."""

    unanswered: tuple[Unanswered, ...] = ()
    trouble: tuple[str, ...] = ()
    """Every other line that tells of an error."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What of a map is unknown."""

    ports: Mapping[Guid, Mapping[int, str]] = field(default_factory=dict)
    """By switch its ports, or EVERY_PORT, of which neither cable nor far end is known, each with why."""
    nameless: frozenset[Guid] = frozenset()
    """Nodes that did not give their description."""
    unresolved: tuple[str, ...] = ()
    """Paths that lead nowhere on this map: anything may lie behind them."""


def read_words(text: str) -> Words:
    """Every line of it; what tells of no error is passed over."""
    unanswered: list[Unanswered] = []
    trouble: list[str] = []
    for line in text.splitlines():
        found = _UNANSWERED.search(line)
        if found and _FROM_OWN_PORT.search(found["where"]) and len(unanswered) < MAX_PATHS:
            path = tuple(int(hop) for hop in found["path"].split(",")[1:])
            attribute, port = int(found["attribute"], 16), int(found["port"])
            if attribute != _VENDOR_PORT_INFO:  # the tool goes on without it
                unanswered.append(Unanswered(path, attribute, port, found["reason"].strip()))
        elif _ERROR.search(line) and not _HARMLESS.search(line):
            trouble.append(line.strip())
    return Words(tuple(unanswered), tuple(trouble))


def find_doubt(unanswered: Iterable[Unanswered], scan: Scan, start: Guid | None) -> Doubt:
    """Follow the paths over the map, from the node that the tool started at."""
    places = _Places(scan, start)
    ports: dict[Guid, dict[int, str]] = {}
    nameless: set[Guid] = set()
    unresolved: list[str] = []
    for one in unanswered:
        ends = tuple(places.ends(one))
        if one.attribute == _NODE_DESCRIPTION and (named := places.node_at(one.path)) is not None:
            nameless.add(named)
        elif not ends:
            unresolved.append(str(one))
        for guid, port in ends:
            ports.setdefault(guid, {}).setdefault(port, one.reason)
    return Doubt(ports, frozenset(nameless), tuple(unresolved))


@dataclass(slots=True)
class _Places:
    """The nodes of a map by the ways that lead to them."""

    scan: Scan
    start: Guid | None
    far: Mapping[tuple[int, int], tuple[int, int]] = field(init=False)
    """By node and port the other end of its cable."""
    first: int = field(init=False)

    def __post_init__(self) -> None:
        links = self.scan.links
        columns = (links.a_node, links.a_port, links.b_node, links.b_port)
        far: dict[tuple[int, int], tuple[int, int]] = {}
        for a_node, a_port, b_node, b_port in zip(*(column.tolist() for column in columns), strict=True):
            far[a_node, a_port], far[b_node, b_port] = (b_node, b_port), (a_node, a_port)
        self.far = far
        own = int(self.start, 16) if self.start is not None else 0
        found = [row for row, guid in enumerate(self.scan.nodes.guid.tolist()) if guid == own != 0]
        self.first = found[0] if found else -1

    def ends(self, one: Unanswered) -> Iterator[tuple[Guid, int]]:
        """The ports of switches that are in doubt for it."""
        if one.attribute == _NODE_DESCRIPTION:
            return
        node = self._walk(one.path)
        if one.attribute != _NODE_INFO and self._is_switch(node):
            yield self._guid(node), one.port if one.attribute == _PORT_INFO else EVERY_PORT
            return
        before = self._walk(one.path[:-1]) if one.path else -1
        if self._is_switch(before):
            yield self._guid(before), one.path[-1]

    def node_at(self, path: tuple[int, ...]) -> Guid | None:
        """The node that the path leads to."""
        node = self._walk(path)
        return self._guid(node) if node >= 0 else None

    def _walk(self, path: tuple[int, ...]) -> int:
        """Row of the node, -1 where there is none."""
        node = self.first
        for hop in path:
            if node < 0:
                break
            node = self.far.get((node, hop), (-1, 0))[0]
        return node

    def _is_switch(self, node: int) -> bool:
        return node >= 0 and int(self.scan.nodes.kind[node]) == NodeKind.SWITCH

    def _guid(self, node: int) -> Guid:
        return Guid(spell_guid(int(self.scan.nodes.guid[node]), self.scan.spelled) or "")
