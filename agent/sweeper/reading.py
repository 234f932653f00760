"""One sweep as a reader of a fabric gives it, and which of its reports are to be written. Pure."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from agent.sweeper.judging import View
from discovery.reports import COMPLETE, FAILED, PARTIAL, SwitchReport


@dataclass(frozen=True, slots=True)
class Sweep:
    """One sweep read: what it saw, and its switches by the names of their objects."""

    view: View
    reports: Mapping[str, SwitchReport] = field(default_factory=dict)
    poor: frozenset[str] = frozenset()
    """Names of reports that do not tell all of their switch: they are written where none stands, over nothing."""
    apart: bool = False
    """Whether each switch was asked by itself, so that what one says holds whatever became of the others."""
    tool_version: str | None = None

    def due(self, standing: Container[str], outcome: str) -> dict[str, SwitchReport]:
        """Those to be written after a sweep with this outcome."""
        whole = outcome == COMPLETE or (outcome == PARTIAL and self.apart)
        return {
            name: report
            for name, report in self.reports.items()
            if outcome != FAILED and (name not in standing or (whole and name not in self.poor))
        }

    @staticmethod
    def failed(reason: str) -> Sweep:
        """One that saw nothing, and why."""
        return Sweep(View(trouble=(reason,)))
