"""Which pods belong together, and what they ask for as a whole: PodGroups and our annotations, read.

A group is what the API says; the kernel's `Gang` is made of it at every pass (`scheduler.gangs`). What contradicts
itself is never guessed: it becomes a phrase in `Wishes.unsupported`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from kube.types import Key, NetworkTopology, Pod, PodGroup
from scheduler import names
from scheduler.kernel.gang import Mode


class GroupKind(StrEnum):
    """Where a group comes from."""

    POD_GROUP = "PodGroup"
    GANG = "gang"
    POD = "Pod"


class GroupKey(NamedTuple):
    """One group: its kind, namespace and name (of the PodGroup, of the gang, or of the single pod)."""

    kind: GroupKind
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"

    @property
    def object_key(self) -> Key:
        return Key(self.namespace, self.name)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a group asks for as a whole."""

    mode: Mode = "none"
    highest_tier: int | None = None
    highest_tier_name: str | None = None
    min_member: int | None = None
    min_task_member: tuple[tuple[str, int], ...] = ()
    unsupported: tuple[str, ...] = ()


def group_of(pod: Pod) -> GroupKey:
    """The group of a pod: its PodGroup, else its annotated gang, else itself."""
    annotations, namespace = pod.metadata.annotations, pod.metadata.namespace
    if name := annotations.get(names.GROUP_NAME):
        return GroupKey(GroupKind.POD_GROUP, namespace, name)
    if name := annotations.get(names.GANG):
        return GroupKey(GroupKind.GANG, namespace, name)
    return GroupKey(GroupKind.POD, namespace, pod.metadata.name)


def wishes_of_pod_group(group: PodGroup) -> Wishes:
    """What a PodGroup asks for. subGroupPolicy is not understood, and said so."""
    spec = group.spec
    wishes = _topology(spec.network_topology)
    unsupported = [*wishes.unsupported]
    if spec.sub_group_policy:
        unsupported.append("subGroupPolicy")
    tasks = tuple(sorted(spec.min_task_member.items()))
    if spec.min_member < sum(spec.min_task_member.values()):
        tasks = ()  # Volcano's gang plugin does not look at the tasks then
    return replace(wishes, min_member=spec.min_member, min_task_member=tasks, unsupported=tuple(unsupported))


def _topology(topology: NetworkTopology | None) -> Wishes:
    if topology is None:
        return Wishes()
    name = topology.highest_tier_name or None
    if topology.mode == "soft":
        return Wishes(mode="soft")
    if topology.mode in ("", "hard"):
        return Wishes(mode="hard", highest_tier=topology.highest_tier_allowed, highest_tier_name=name)
    return Wishes(mode="hard", unsupported=(f"network topology mode {topology.mode!r}",))


def wishes_of_pods(pods: Iterable[Pod], *, single: bool) -> Wishes:
    """What the annotations of a gang's pods ask for; all must agree. `single`: the pods are no gang (gang-size counts
    for nothing)."""
    annotations = [pod.metadata.annotations for pod in pods]
    unsupported: list[str] = []
    mode = _agreed(annotations, (names.TOPOLOGY_MODE, names.VOLCANO_TOPOLOGY_MODE), unsupported)
    tier = _agreed(annotations, (names.HIGHEST_TIER, names.VOLCANO_HIGHEST_TIER), unsupported)
    size = 1 if single else _size(_agreed(annotations, (names.GANG_SIZE,), unsupported), unsupported)
    wishes = _annotated(mode, tier)
    return replace(wishes, min_member=size, unsupported=(*wishes.unsupported, *unsupported))


def _annotated(mode: str | None, tier: str | None) -> Wishes:
    if mode is None and tier is None:
        return Wishes()
    if mode == "soft":
        return Wishes(mode="soft")
    if mode not in (None, "hard"):
        return Wishes(mode="hard", unsupported=(f"topology mode {_quoted(mode)} (hard or soft)",))
    if tier is None:
        return Wishes(mode="hard")
    if tier.isascii() and tier.isdigit() and len(tier) < 10:
        return Wishes(mode="hard", highest_tier=int(tier))
    return Wishes(mode="hard", highest_tier_name=tier)


def _agreed(annotations: list[Mapping[str, str]], keys: tuple[str, ...], unsupported: list[str]) -> str | None:
    """The value that all pods give, under whichever of the keys; None when none gives one."""
    values: set[str | None] = set()
    for one in annotations:
        values |= {one[key] for key in keys if key in one} or {None}
    if len(values) > 1:
        shown = ", ".join(sorted("nothing" if value is None else _quoted(value) for value in values)[:3])
        unsupported.append(f"annotations that disagree on {keys[0]}: {shown}")
        return min(value for value in values if value is not None)
    return values.pop() if values else None


def _size(text: str | None, unsupported: list[str]) -> int | None:
    if text is None:
        unsupported.append(f"a gang without {names.GANG_SIZE}")
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 8 and int(text) > 0):
        unsupported.append(f"{names.GANG_SIZE} {_quoted(text)} (a whole number of at least 1)")
        return None
    return int(text)


def _quoted(text: str) -> str:
    """A value as somebody wrote it, in quotes and cut to a length that can be read."""
    return repr(text if len(text) <= 60 else text[:59] + "…")
