"""What one run of the discovery tool gave: one subnet, and what of it stays unknown. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from agent.sweeper.tool import MAX_OUTPUT, MAX_WORDS, Output
from discovery.conversion import switch_reports
from discovery.errors import EvidenceError, NothingReadError
from discovery.ibnetdiscover import parse
from discovery.ibnetdiscover.unanswered import Doubt, find_doubt, read_words
from discovery.identity import Guid
from discovery.reports import SwitchReport
from discovery.scan import Scan, spell_guid

_MOST_SAID = 200
"""Characters of what the tool said where it printed no map."""
_START = re.compile(rb"^# Initiated from node ([0-9a-f]{16}) port", re.MULTILINE)
_LID = re.compile(rb'^Switch\s+\d+ "S-([0-9a-f]{16})".* lid (\d+) lmc \d+\s*$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Subnet:
    """One subnet as it was read from one port of this host."""

    port: str
    """That port, for people."""
    arguments: tuple[str, ...] = ()
    """The same for the tools."""
    reports: tuple[SwitchReport, ...] = ()
    doubt: Doubt = field(default_factory=Doubt)
    trouble: tuple[str, ...] = ()
    """Why it may not be the whole subnet."""
    ends: frozenset[Guid] = frozenset()
    """Port GUIDs of all adapters that were met."""
    lids: Mapping[Guid, int] = field(default_factory=dict)
    """By switch its LID; only those that the subnet manager gave one."""
    seconds: float = 0.0

    @property
    def whole(self) -> bool:
        """Whether what it says of each switch stands, doubts aside."""
        return bool(self.reports) and not self.trouble


def read_subnet(output: Output, port: str, arguments: tuple[str, ...], fabric: str) -> Subnet:
    """Never raises: what cannot be read is trouble, and the rest counts."""
    words = read_words(output.words)
    trouble = [*_cut_off(output), *words.trouble]
    seconds = output.seconds or 0.0
    if output.overflow:
        return Subnet(port, arguments, trouble=tuple(trouble), seconds=seconds)
    try:
        scan = parse(output.map, "ibnetdiscover")
    except EvidenceError as error:
        told = (*trouble, *map(str, words.unanswered[:1]), _nothing(output, error))
        return Subnet(port, arguments, trouble=told, seconds=seconds)
    trouble += _cut_short(output.map, scan)
    if not scan.complete:
        trouble += [f"line {problem.line}: {problem.reason}" for problem in scan.problems]
    start = _START.search(output.map)
    doubt = find_doubt(words.unanswered, scan, Guid(start[1].decode()) if start else None)
    return Subnet(
        port,
        arguments,
        tuple(report for report in switch_reports(scan, fabric) if report.guid),
        doubt,
        (*trouble, *doubt.unresolved),
        _ends(scan),
        _lids(output.map),
        seconds,
    )


def _nothing(output: Output, error: EvidenceError) -> str:
    """Why there is no map: in the tool's own words, where it printed none."""
    if not isinstance(error, NothingReadError):
        return str(error)
    said = " ".join(output.words.split())[:_MOST_SAID]
    return f"the tool printed no map; it said: {said}" if said else "the tool printed no map and said nothing"


def _cut_off(output: Output) -> Iterator[str]:
    if output.overflow:
        yield f"the tool was cut off: it printed more than {MAX_OUTPUT >> 20} MiB"
    elif output.code is None:
        yield "the sweep was cut off" + (f" after {output.seconds:.0f} s" if output.seconds is not None else "")
    elif output.code != 0:
        yield f"the tool ended with exit code {output.code}"
    if len(output.words) >= MAX_WORDS:
        yield f"the tool told of more errors than are read ({MAX_WORDS >> 10} KiB)"


def _cut_short(dump: bytes, scan: Scan) -> Iterator[str]:
    """The tool prints whole lines, and a block for every node that it names."""
    bare = len(scan.nodes) - int(scan.nodes.described.sum())
    if bare:
        yield f"the map is cut short: {bare} nodes are named in it and not told"
    elif not dump.endswith(b"\n"):
        yield "the map is cut short: it ends within a line"


def _ends(scan: Scan) -> frozenset[Guid]:
    links = scan.links
    numbers = np.unique(np.concatenate((links.a_port_guid, links.b_port_guid))).tolist()
    return frozenset(Guid(spelled) for number in numbers if (spelled := spell_guid(number, scan.spelled)))


def _lids(dump: bytes) -> dict[Guid, int]:
    """A LID of a unicast address: 1 to 0xbfff."""
    found = ((Guid(match[1].decode()), int(match[2])) for match in _LID.finditer(dump))
    return {guid: lid for guid, lid in found if 0 < lid <= 0xBFFF}
