"""One look at the node: every probe in turn, and the NodeReport that they make together."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from agent.node.verdicts import Standings, judge
from discovery.errors import EvidenceError
from discovery.reports import NodeReport
from discovery.source import Source
from discovery.sysfs import read_ports

BOOT_ID = "sys/kernel/random/boot_id"
_MAX_BYTES = 128


@dataclass(frozen=True, slots=True)
class NodeSources:
    """Where a node is looked at."""

    sys: Source
    """Rooted at `/sys`."""
    proc: Source
    """Rooted at `/proc`."""


def look(sources: NodeSources, before: Standings, now: datetime) -> tuple[NodeReport, Standings]:
    """What the node is like at this moment, and what to remember of its ports."""
    found = read_ports(sources.sys)
    ports, standings = judge(found.ports, before, now)
    return NodeReport(ports=ports, probes=(found.outcome,), bootId=_boot_id(sources.proc), heartbeat=now), standings


def _boot_id(proc: Source) -> str | None:
    try:
        return proc.read(BOOT_ID, _MAX_BYTES).decode("ascii", "replace").strip() or None
    except EvidenceError:
        return None
