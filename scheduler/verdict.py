"""What is to be said of a group: on its pods, on its PodGroup, and as an Event. Values, and the pure step to documents.

The PodGroup's phases and conditions follow Volcano: Pending, Inqueue (its pods may be made), Running (min_member pods
are bound), Unknown (some are bound, fewer than that), Completed; Scheduled and Unschedulable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kube.types import Body, Pod, PodGroup
from scheduler.gangs import is_live

SCHEDULED = "Scheduled"
UNSCHEDULABLE = "Unschedulable"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why pods wait, or that the gang stands."""

    reason: str
    message: str
    placed: bool
    """At least min_member pods are bound."""
    waiting: tuple[Pod, ...] = ()
    """Pods that wait, to be told why."""
    pod_reason: str = UNSCHEDULABLE
    """The reason of their condition PodScheduled; autoscalers act on `Unschedulable`."""
    pod_message: str = ""
    """Why these wait, where that is not the message of the group."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The pods of a PodGroup by what became of them."""

    bound: int
    running: int
    succeeded: int
    failed: int

    @classmethod
    def of(cls, pods: Sequence[Pod], bound: int) -> Tally:
        """Count; `bound` are the live members that are bound or assumed."""
        phases = Counter(pod.status.phase for pod in pods)
        running = sum(is_live(pod) and pod.status.phase == "Running" for pod in pods)
        return cls(bound, running, phases["Succeeded"], phases["Failed"])


def phase_of(group: PodGroup, tally: Tally) -> str:
    """The phase that a PodGroup of ours with pods is in."""
    least = max(1, group.spec.min_member)
    if tally.bound + tally.succeeded >= least:
        return "Running" if tally.bound else "Completed"
    return "Unknown" if tally.bound else "Inqueue"


@dataclass(frozen=True, slots=True)
class Stamp:
    """When and in which pass something is said."""

    now: datetime
    pass_id: str

    @property
    def time(self) -> str:
        """As Kubernetes writes times: whole seconds, UTC."""
        return self.now.strftime("%Y-%m-%dT%H:%M:%SZ")


def status_change(group: PodGroup, phase: str, verdict: Verdict | None) -> bool:
    """Whether the PodGroup's status has to be written: its phase or one of our conditions would differ."""
    if group.status.phase != phase:
        return True
    for wanted in _conditions(verdict):
        known = group.condition(wanted["type"])
        if known is None and wanted["status"] == "True":
            return True
        if known is not None and any(
            getattr(known, field) != wanted[field] for field in ("status", "reason", "message")
        ):
            return True
    return False


def write_status(document: Body, phase: str, tally: Tally, verdict: Verdict | None, stamp: Stamp) -> None:
    """Put phase, counters and our conditions into a PodGroup's document; everything else in it stays."""
    status: Body = document.setdefault("status", {})
    status["phase"] = phase
    for field in ("running", "succeeded", "failed"):
        status[field] = getattr(tally, field)
    conditions: list[Any] = [*(status.get("conditions") or ())]
    for wanted in _conditions(verdict):
        place = next((at for at, known in enumerate(conditions) if known.get("type") == wanted["type"]), None)
        if place is None:
            if wanted["status"] == "True":
                conditions.append(_stamped(wanted, {}, stamp))
        else:
            conditions[place] = _stamped(wanted, conditions[place], stamp)
    status["conditions"] = conditions


def _conditions(verdict: Verdict | None) -> list[dict[str, str]]:
    """Exactly one of the two is True; the other, where it exists, is turned to False."""
    if verdict is None:
        return []
    told, other = (SCHEDULED, UNSCHEDULABLE) if verdict.placed else (UNSCHEDULABLE, SCHEDULED)
    said = {"reason": verdict.reason, "message": verdict.message}
    return [{"type": told, "status": "True", **said}, {"type": other, "status": "False", **said}]


def _stamped(wanted: dict[str, str], known: Body, stamp: Stamp) -> Body:
    same = known.get("status") == wanted["status"] and known.get("lastTransitionTime")
    since = known["lastTransitionTime"] if same else stamp.time
    return {**wanted, "lastTransitionTime": since, "transitionID": stamp.pass_id}


def pod_patch(verdict: Verdict, pod: Pod, stamp: Stamp) -> Body | None:
    """The patch of a waiting pod's condition PodScheduled; None when it says so already."""
    known = pod.condition("PodScheduled")
    message = verdict.pod_message or verdict.message
    if known is not None and (known.status, known.reason, known.message) == ("False", verdict.pod_reason, message):
        return None
    wanted = {"type": "PodScheduled", "status": "False", "reason": verdict.pod_reason, "message": message}
    if known is None or known.status != "False":
        wanted["lastTransitionTime"] = stamp.time
    return {"status": {"conditions": [wanted]}}
