"""From a group and its pods to the kernel's Gang: who is a member, who waits, who is bound, in which order.

Terminating, Failed and Succeeded pods are not members, whatever they still hold. A pod that is assumed (a binding is on
its way, or was made and is not seen yet) counts as bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from kube.types import Pod
from scheduler import names
from scheduler.groups import GroupKey, Wishes
from scheduler.kernel.gang import Gang, PodClass
from scheduler.kernel.tree_build import natural
from scheduler.pods import Shape, task_of


@dataclass(frozen=True, slots=True)
class Members:
    """The live pods of a group. A pod with scheduling gates is held back by somebody and does not count yet."""

    waiting: tuple[Pod, ...]
    """To be placed, in rank order."""
    gated: tuple[Pod, ...]
    bound: tuple[tuple[Pod, str], ...]
    """Pods that are bound or assumed, and their nodes."""

    @property
    def priority(self) -> int:
        return max((pod.spec.priority for pod in self.waiting), default=0)

    @property
    def since(self) -> datetime:
        """Since when the oldest of them is there."""
        everybody = (*self.waiting, *self.gated, *(pod for pod, _ in self.bound))
        known = [pod.metadata.creation_timestamp for pod in everybody if pod.metadata.creation_timestamp is not None]
        return min(known, default=datetime.max.replace(tzinfo=UTC))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A gang to be placed, and the pods behind its classes: pod i of class c is `pods[c][i]`."""

    key: GroupKey
    gang: Gang
    pods: tuple[tuple[Pod, ...], ...]
    since: datetime
    torn: bool = False
    """Some of it is bound and it does not stand: it can go nowhere else."""


def is_live(pod: Pod) -> bool:
    """Whether the pod can be a member of a gang."""
    return not pod.metadata.deleting and not pod.finished


def members_of(pods: Iterable[Pod], assumed: Mapping[str, str]) -> Members:
    """Sort the pods of a group; `assumed` gives pod UID to node."""
    waiting: list[Pod] = []
    gated: list[Pod] = []
    bound: list[tuple[Pod, str]] = []
    for pod in pods:
        if not is_live(pod):
            continue
        node = pod.spec.node_name or assumed.get(pod.metadata.uid, "")
        if node:
            bound.append((pod, node))
        elif pod.spec.scheduling_gates:
            gated.append(pod)
        else:
            waiting.append(pod)
    waiting.sort(key=_rank)
    return Members(tuple(waiting), tuple(gated), tuple(bound))


def _rank(pod: Pod) -> tuple[int, tuple[tuple[str | int, ...], str]]:
    """Neighbouring ranks want neighbouring nodes: a Job's index, else the name as people count (w-2, w-10)."""
    meta = pod.metadata
    index = meta.labels.get(names.COMPLETION_INDEX) or meta.annotations.get(names.COMPLETION_INDEX, "")
    counts = index.isascii() and index.isdigit() and len(index) < 10
    return int(index) if counts else 0, natural(meta.name)


def candidate(key: GroupKey, wishes: Wishes, members: Members, shapes: Sequence[Shape]) -> Candidate:
    """The gang of a group's waiting pods; `shapes` are theirs, in the same order."""
    classes: dict[Shape, list[int]] = {}
    for rank, shape in enumerate(shapes):
        classes.setdefault(shape, []).append(rank)
    pod_classes = _classes(wishes, members, classes)
    if wishes.unsupported and pod_classes:
        first = pod_classes[0]
        pod_classes[0] = replace(first, unsupported=(*wishes.unsupported, *first.unsupported))
    gang = Gang(
        name=key.name,
        classes=tuple(pod_classes),
        mode=wishes.mode,
        highest_tier=wishes.highest_tier,
        highest_tier_name=wishes.highest_tier_name,
        min_member=wishes.min_member,
        bound=tuple(node for _, node in members.bound),
        priority=members.priority,
    )
    pods = tuple(tuple(members.waiting[rank] for rank in ranks) for ranks in classes.values())
    pods += ((),) * (len(pod_classes) - len(pods))
    return Candidate(key, gang, pods, members.since)


def _classes(wishes: Wishes, members: Members, classes: Mapping[Shape, Sequence[int]]) -> list[PodClass]:
    bound = Counter(task_of(pod) for pod, _ in members.bound)
    lacking = {task: max(0, least - bound[task]) for task, least in wishes.min_task_member}
    kinds = Counter(shape.task for shape in classes)
    built = []
    for shape, ranks in classes.items():
        unsupported = [*shape.unsupported]
        if lacking.get(shape.task) and kinds[shape.task] > 1:
            unsupported.append(f"minTaskMember of task {shape.task!r}, whose pods differ,")
        pod_class = PodClass(
            name=_class_name(shape, members.waiting[ranks[0]]),
            count=len(ranks),
            requests=dict(shape.requests),
            requirements=shape.requirements,
            ranks=tuple(ranks),
            minimum=lacking.get(shape.task, 0),
            unsupported=tuple(unsupported),
        )
        built.append(pod_class)
    absent = [task for task, least in lacking.items() if least and not kinds[task]]
    built.extend(PodClass(name=task, count=0, requests={}, minimum=lacking[task]) for task in absent)
    return built


def _class_name(shape: Shape, first: Pod) -> str:
    """A name for people: the task where there is one, else the first of its pods."""
    return shape.task or first.metadata.name
