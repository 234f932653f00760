"""Every Event that the controller writes: one function a kind, made on transitions only.

An Event is Warning where something is lost and Normal where it came back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from controller.nodes.taints import HeldBack
from kube.types import (
    Condition,
    Event,
    EventSource,
    HyperNode,
    Node,
    NodeCondition,
    ObjectMeta,
    ObjectReference,
    SwitchReportObject,
)
from topology.anomaly import Anomaly

COMPONENT = "hyperscout-controller"
NAMESPACE = "default"
"""Events of cluster-scoped objects live there."""

MAX_MESSAGE = 1024
SWITCH_LOST = "SwitchLost"
TAINT_LIMIT = "TaintLimitReached"
FINDINGS: Mapping[str, str] = {"duplicate-guid": "DuplicateGuid", "sources-disagree": "SourcesDisagree"}
"""Findings that are told, each with its reason."""


@dataclass(frozen=True, slots=True)
class Happening:
    """An Event before it has a name and a time."""

    about: ObjectReference
    type: str
    reason: str
    message: str


def condition_changed(about: HyperNode | Node, old: str | None, new: Condition | NodeCondition) -> Happening | None:
    """A condition that became False, or True again; None for one that stays, or is True from the start."""
    lost = new.status == "False" and old != "False"
    back = new.status == "True" and old == "False"
    if not lost and not back:
        return None
    message = f"{new.type} is {new.status}: {new.message}"
    return Happening(_reference(about), "Warning" if lost else "Normal", new.reason, message)


def switch_lost(about: SwitchReportObject, name: str, links: int, hyper_nodes: Sequence[str]) -> Happening:
    """Many links lost at one switch: told once, at the switch."""
    message = f"switch {name} lost {links} links at once; they belong to {_first(hyper_nodes)}"
    return Happening(_reference(about), "Warning", SWITCH_LOST, message)


def found(about: Node | SwitchReportObject, finding: Anomaly) -> Happening:
    """Evidence that contradicts itself: a port GUID of two nodes, a port that leads to two places."""
    return Happening(_reference(about), "Warning", FINDINGS[finding.kind], finding.detail)


def taints_held_back(about: HyperNode | Node, held: Sequence[HeldBack]) -> Happening:
    """More nodes are unhealthy than may be tainted: told once, for all places whose limit is reached by now."""
    places = [
        f"{one.place or 'the cluster'} has {one.tainted} of {one.size} nodes tainted, and no more may be: "
        f"{_first(one.nodes)} {'is' if len(one.nodes) == 1 else 'are'} unhealthy and not tainted"
        for one in held
    ]
    return Happening(_reference(about), "Warning", TAINT_LIMIT, "; ".join(places))


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def as_event(happening: Happening, now: datetime) -> Event:
    """The Event object. Its name ends in a random part: two turns within one second are two Events."""
    return Event(
        metadata=ObjectMeta(name=f"{happening.about.name[:220]}.{uuid4().hex[:16]}", namespace=NAMESPACE),
        involved_object=happening.about,
        reason=happening.reason,
        message=happening.message[:MAX_MESSAGE],
        type=happening.type,
        count=1,
        first_timestamp=now,
        last_timestamp=now,
        source=EventSource(component=COMPONENT),
        reporting_component=COMPONENT,
    )


def _reference(about: HyperNode | Node | SwitchReportObject) -> ObjectReference:
    match about:
        case HyperNode():
            version, kind = "topology.volcano.sh/v1alpha1", "HyperNode"
        case Node():
            version, kind = "v1", "Node"
        case SwitchReportObject():
            version, kind = "hyperscout.io/v1alpha1", "SwitchReport"
    metadata = about.metadata
    # kubectl describe looks for a Node's Events by its name in place of its UID, as the kubelet writes them.
    uid = metadata.name if kind == "Node" else metadata.uid
    return ObjectReference(api_version=version, kind=kind, name=metadata.name, uid=uid)
