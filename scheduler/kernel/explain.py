"""Say in sentences why a gang stands where it stands, or why it stands nowhere; at most `LIMIT` bytes in all.

Sentences go into PodGroup conditions, Events and the command's output. However many HyperNodes and classes there are,
they stay short: one a tier, about its best domain; below the highest few tiers are only counted.
"""

from __future__ import annotations

import numpy as np

from scheduler.kernel.gang import Gang, PodClass
from scheduler.kernel.outcome import Placement, Refusal, Shortage, TierReport
from scheduler.kernel.quantity import counted, show_amount, show_number

LIMIT = 2000
"""Bytes of all sentences together, the spaces between them included."""

_TIERS, _SHORTAGES, _EXCLUSIONS, _CLASSES, _NAME, _DETAIL = 6, 3, 4, 4, 80, 400


def explain(outcome: Placement | Refusal) -> str:
    """All sentences as one text."""
    return " ".join(sentences(outcome))


def sentences(outcome: Placement | Refusal) -> tuple[str, ...]:
    """The explanation, the most important sentence first; at most `LIMIT` bytes."""
    said = _refused(outcome) if isinstance(outcome, Refusal) else _placed(outcome)
    kept: list[str] = []
    size = 0
    for sentence in said:
        size += len(sentence.encode()) + 1
        if size > LIMIT - 40:
            return (*kept, f"And {counted(len(said) - len(kept), 'sentence')} more.")
        kept.append(sentence)
    return tuple(kept)


def describe(gang: Gang) -> str:
    """What a gang asks for: `512 pods of 8 nvidia.com/gpu and 64 pods of 2 cpu`."""
    asked = [_describe(pod_class) for pod_class in gang.classes if pod_class.count]
    rest = len(asked) - _CLASSES
    more = f" and {rest} {'class' if rest == 1 else 'classes'} more" if rest > 0 else ""
    return " and ".join(asked[:_CLASSES]) + more


def _describe(pod_class: PodClass) -> str:
    amounts = [show_amount(*request) for request in sorted(pod_class.requests.items()) if request[1]]
    return _pods(pod_class.count) + (f" of {', '.join(amounts[:6])}" if amounts else "")


def _refused(refusal: Refusal) -> list[str]:
    said = [f"Gang {_short(refusal.gang.name)} is not placed: {_short(refusal.detail, _DETAIL)} ({refusal.reason})."]
    skipped = len(refusal.tiers) - _TIERS
    if skipped > 0:
        said.append(f"{counted(skipped, 'lower tier')} {'takes' if skipped == 1 else 'take'} fewer pods.")
    said.extend(_too_small(report, refusal.gang) for report in refusal.tiers[-_TIERS:])
    return said


def _too_small(report: TierReport, gang: Gang) -> str:
    several = len(gang.classes) > 1
    usable = "node there" if report.domains > 1 and not _none_takes_any(report) else "node"
    usable += " that may be used" if report.exclusions else ""
    lacks = [_shortage(shortage, usable, several) for shortage in report.shortages[:_SHORTAGES]]
    if report.exclusions:
        shown, rest = report.exclusions[:_EXCLUSIONS], report.exclusions[_EXCLUSIONS:]
        reasons = [f"{one.nodes} ({_short(one.predicate)})" for one in shown]
        reasons += [f"{sum(one.nodes for one in rest)} (other reasons)"] if rest else []
        lacks.append(f"nodes kept out: {', '.join(reasons)}")
    return f"{_takes(report, gang)}: {'; '.join(lacks)}." if lacks else f"{_takes(report, gang)}."


def _takes(report: TierReport, gang: Gang) -> str:
    label = report.label[:1].upper() + report.label[1:]
    if _none_takes_any(report):
        return f"{label}: none of {report.domains} takes any of {_pods(gang.pods)}"
    best = ""
    if report.best is not None:
        best = f": {_short(report.best)}"
    if report.domains > 1:
        best = f": the best of {report.domains},{best[1:]},"
    return f"{label}{best} takes {report.fits} of {_pods(gang.pods)}"


def _none_takes_any(report: TierReport) -> bool:
    """Then what is said of the nearest domain holds for all: it has the largest node."""
    return report.domains > 1 and not report.fits and not report.exclusions


def _shortage(shortage: Shortage, usable: str, several: bool) -> str:
    """What is short; a pod that is too large for every node comes first, whatever the nodes have together."""
    whose = f"{_short(shortage.pod_class)}: " if several else ""
    if shortage.fits >= shortage.pods:
        if several:
            return f"{_short(shortage.pod_class)} has room alone, but too little beside the gang's other pods"
        return "each resource alone would do, but too few nodes have all of them free"
    pod = shortage.needed // shortage.pods
    amounts = (shortage.free, shortage.needed, shortage.largest, pod)
    free, needed, largest, wanted = (show_number(shortage.resource, amount) for amount in amounts)
    if shortage.largest < pod:
        has = f"the largest has {largest}" if shortage.largest > 0 else "none has any"
        return f"{whose}no {usable} has {wanted} {_short(shortage.resource)} free, {has}"
    if shortage.free < shortage.needed:
        return f"{whose}{_short(shortage.resource)} {free} free, {needed} needed"
    scattered = f"{free} free but scattered, {largest} at most on a node"
    return f"{whose}{_short(shortage.resource)} {scattered}: room for {_pods(shortage.fits)}"


def _placed(placement: Placement) -> list[str]:
    gang, chosen = placement.gang, placement.tiers[-1]
    nodes = np.unique(np.concatenate([one.nodes for one in placement.assignments]))
    placed = sum(len(one.pods) for one in placement.assignments)
    number = _number(placed, gang, placement.complete)
    where = f"HyperNode {_short(placement.domain)}, {chosen.label}" if placement.domain is not None else chosen.label
    said = [f"Gang {_short(gang.name)} is placed: {number} in {where}, {_on(len(nodes), chosen.nodes)}."]
    if not placement.complete:
        was = "was" if gang.least == 1 else "were"
        said.append(f"At least {gang.least} {was} asked for; the others wait for room there.")
    if chosen.domains > 1:
        have = f"{chosen.fitting} {'has' if chosen.fitting == 1 else 'have'}"
        said.append(f"Of {chosen.domains} HyperNodes of that tier {have} room; this is the best.")
    if placement.unhealthy_links:
        unhealthy = f"{placement.unhealthy_links} of its {counted(placement.links, 'link')}"
        said.append(f"{unhealthy} {'is' if placement.unhealthy_links == 1 else 'are'} unhealthy.")
    said.extend(f"{_takes(report, gang)}." for report in placement.tiers[-_TIERS:-1])
    return said


def _number(placed: int, gang: Gang, complete: bool) -> str:
    """How many pods are placed, with the verb."""
    if not complete:
        return f"{placed} of {_pods(gang.pods)} {'is' if placed == 1 else 'are'}"
    return "its one pod is" if placed == 1 else f"all {_pods(placed)} are"


def _on(used: int, nodes: int) -> str:
    return "on its one node" if nodes == 1 else f"on {used} of its {nodes} nodes"


def _pods(number: int) -> str:
    return counted(number, "pod")


def _short(text: str, limit: int = _NAME) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
