"""Evidence as objects, and whether they are due to be written. Pure up to the one call that carries them.

An object is written whole, when its content changes and, where it bears a heartbeat, about every five minutes. Unknown
values are left out of the JSON, so that a report stays small and an older reader sees nothing that it does not know.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from discovery.identity import NodeName
from discovery.reports import (
    SWEEPER_LABEL,
    NodeReport,
    SweepReport,
    SwitchReport,
    node_report_name,
    switch_report_name,
)

API_VERSION = "hyperscout.io/v1alpha1"
HEARTBEAT_SECONDS = 300.0
HEARTBEAT_SPREAD = 0.2
"""The share by which a heartbeat may come earlier or later, so that ten thousand agents do not write at once."""

Json = dict[str, Any]
_MANY = (list, tuple)


@dataclass(frozen=True, slots=True)
class ReportObject:
    """One report as it is applied."""

    kind: str
    name: str
    spec: NodeReport | SwitchReport | SweepReport
    labels: Mapping[str, str] = field(default_factory=dict)
    compacted: Json = field(init=False, repr=False, compare=False)
    """The spec as JSON. It is made once, for it is asked for more often."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "compacted", compact(self.spec))

    def document(self) -> Json:
        """The object as JSON."""
        metadata: Json = {"name": self.name} | ({"labels": dict(self.labels)} if self.labels else {})
        return {"apiVersion": API_VERSION, "kind": self.kind, "metadata": metadata, "spec": self.compacted}

    @property
    def size(self) -> int:
        """Bytes of the spec as compact JSON."""
        return len(msgspec.json.encode(self.compacted))

    def content_hash(self) -> str:
        """Equal where nothing but the heartbeat differs."""
        spec = {key: value for key, value in self.compacted.items() if key != "heartbeat"}
        document = self.document() | {"spec": spec}
        return hashlib.blake2b(msgspec.json.encode(document, order="sorted"), digest_size=16).hexdigest()


class Applier(Protocol):
    """The one thing that this room needs of the API server."""

    async def apply(self, report: ReportObject) -> None:
        """Apply the whole object; raises what its client raises."""
        ...


@dataclass(frozen=True, slots=True)
class Written:
    """What was last written of one object, and when (any monotonic clock, in seconds)."""

    content_hash: str
    at: float


def node_object(node: NodeName, report: NodeReport) -> ReportObject:
    """The NodeReport of a node."""
    return ReportObject("NodeReport", node_report_name(node), report)


def switch_object(sweeper: str, report: SwitchReport, *, shares_box: bool = False) -> ReportObject:
    """The SwitchReport of a switch; its label names the sweeper, its only writer."""
    return ReportObject(
        "SwitchReport", switch_report_name(report, shares_box=shares_box), report, {SWEEPER_LABEL: sweeper}
    )


def sweep_object(sweeper: str, report: SweepReport) -> ReportObject:
    """The SweepReport of a sweeper, written at every sweep: its sequence is always new."""
    return ReportObject("SweepReport", sweeper, report, {SWEEPER_LABEL: sweeper})


def is_due(report: ReportObject, written: Written | None, now: float, draw: float) -> bool:
    """Whether to write now. `draw`, from 0 up to 1 and drawn anew for each write, spreads the heartbeats."""
    if written is None or written.content_hash != report.content_hash():
        return True
    if not isinstance(report.spec, NodeReport):
        return False
    return now - written.at >= HEARTBEAT_SECONDS * (1 + HEARTBEAT_SPREAD * (2 * draw - 1))


async def publish(
    report: ReportObject, written: Written | None, applier: Applier, *, now: float, draw: float
) -> Written | None:
    """Write the report if it is due; what is written afterwards. Where the applier raises, nothing was written."""
    if not is_due(report, written, now, draw):
        return written
    await applier.apply(report)
    return Written(report.content_hash(), now)


def compact(report: NodeReport | SwitchReport | SweepReport) -> Json:
    """The report as JSON without what is unknown (null) or empty."""
    return _without_unknown(msgspec.to_builtins(report))


def _without_unknown(found: Json) -> Json:
    bare: Json = {}
    for key, value in found.items():
        if isinstance(value, dict):
            value = _without_unknown(value) or None
        elif isinstance(value, _MANY):
            value = [_without_unknown(child) if isinstance(child, dict) else child for child in value] or None
        if value is not None:
            bare[key] = value
    return bare
