"""What was found in captured scans, as lines on stderr: for answers that have no room for it, as manifests have none.

A map that is applied without them looks whole where the scan was cut off, so they are said whichever form is asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from cli.output import printable, say
from topology.anomaly import Anomaly, Severity
from topology.conclude import Conclusion
from topology.graph import Unplaced

PARTIAL_SCAN = "partial-scan"
LINES_OF_A_KIND = 5
NAMES_SHOWN = 8
SAID: tuple[Severity, ...] = ("error", "warning")
"""In the order in which they are said; remarks are for who asks for the tree."""


def say_what_was_found(conclusion: Conclusion) -> None:
    """Errors, warnings and the nodes that have no place."""
    for line in (*_findings(conclusion.anomalies), *unplaced_lines(conclusion.unplaced)):
        say(line)


def say_if_partial(conclusion: Conclusion) -> None:
    """Whether the scans are cut off: what is absent from the answer may then only be unseen."""
    for line in _findings(one for one in conclusion.anomalies if one.kind == PARTIAL_SCAN):
        say(line)


def _findings(anomalies: Iterable[Anomaly]) -> Iterator[str]:
    """A few of each kind, so that a fabric with a thousand wrong cables hides no other kind."""
    found: dict[tuple[str, str], list[Anomaly]] = defaultdict(list)
    for anomaly in anomalies:
        found[anomaly.severity, anomaly.kind].append(anomaly)
    for severity in SAID:
        for kind in sorted(kind for of, kind in found if of == severity):
            yield from _of_a_kind(f"{severity} {kind}", found[severity, kind])


def _of_a_kind(what: str, found: Sequence[Anomaly]) -> Iterator[str]:
    for anomaly in found[:LINES_OF_A_KIND]:
        yield f"{what}: {anomaly.detail}"
    if len(found) > LINES_OF_A_KIND:
        yield f"{what}: and {len(found) - LINES_OF_A_KIND:,} more (-o json lists every one)"


def unplaced_lines(unplaced: Iterable[Unplaced]) -> Iterator[str]:
    """A line a reason, with the first names."""
    reasons: dict[str, list[str]] = defaultdict(list)
    for one in unplaced:
        reasons[one.reason].append(one.node)
    for reason, nodes in sorted(reasons.items()):
        shown = ", ".join(printable(node) for node in nodes[:NAMES_SHOWN])
        more = f" and {len(nodes) - NAMES_SHOWN:,} more" if len(nodes) > NAMES_SHOWN else ""
        yield f"{len(nodes):,} node{'' if len(nodes) == 1 else 's'} not placed, {reason}: {shown}{more}"
