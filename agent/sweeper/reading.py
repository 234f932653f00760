"""From the tool's output to a view of the fabric and the reports of its switches. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field

from agent.sweeper.judging import View
from agent.sweeper.tool import MAX_OUTPUT, Output
from discovery.conversion import count_hosts, report_names, switch_reports
from discovery.errors import EvidenceError
from discovery.ibnetdiscover import parse
from discovery.reports import COMPLETE, FAILED, PARTIAL, SwitchReport
from discovery.scan import Scan

_ERROR_WORDS = ("error", "bad status", "timed out", "timeout", "failed", "can't", "cannot", "unable")


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


def read_output(output: Output, fabric: str) -> Sweep:
    """Never raises: what cannot be read is trouble of the view, and the rest of it counts."""
    trouble = list(_trouble(output))
    if output.overflow:
        return Sweep(View(trouble=tuple(trouble)))
    try:
        scan = parse(output.map, "ibnetdiscover")
    except EvidenceError as error:
        return Sweep(View(trouble=(*trouble, str(error))))
    reports = switch_reports(scan, fabric)
    named = {name: report for name, report in zip(report_names(reports), reports, strict=True) if report.guid}
    return Sweep(_view(scan, named, trouble), named)


def _view(scan: Scan, reports: dict[str, SwitchReport], trouble: list[str]) -> View:
    if not scan.complete:
        trouble += [f"line {problem.line}: {problem.reason}" for problem in scan.problems]
    guids = frozenset(report.guid for report in reports.values() if report.guid)
    return View(guids, count_hosts(scan), tuple(trouble))


def _trouble(output: Output) -> Iterator[str]:
    if output.overflow:
        yield f"the tool was cut off: it printed more than {MAX_OUTPUT >> 20} MiB"
    elif output.code is None:
        yield f"the sweep was cut off after {output.seconds:.0f} s"
    elif output.code != 0:
        yield f"the tool ended with exit code {output.code}"
    for line in output.words.splitlines():
        if any(word in line.lower() for word in _ERROR_WORDS):
            yield line.strip()
