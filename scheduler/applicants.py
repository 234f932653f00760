"""Who applies for places in this pass: the waiting pods of a group with all that their shapes depend on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kube.types import Pod
from scheduler.apart import Repulsion, excluded_nodes
from scheduler.claims import Storage
from scheduler.fabric import Fabric
from scheduler.gangs import Candidate, Members, candidate
from scheduler.groups import GroupKey, Wishes
from scheduler.pods import Shape, read_shape
from scheduler.roster import Roster


class Applicants:
    """Makes candidates of groups. A pod that waits over many passes is read once."""

    def __init__(self, roster: Roster, fabric: Fabric, storage: Storage) -> None:
        self._roster = roster
        self._fabric = fabric
        self._storage = storage
        self._read: dict[GroupKey, dict[str, tuple[Pod, Shape]]] = {}
        """By group and pod UID: the pod as it was read, and its shape without volumes and neighbours."""

    def candidate(self, key: GroupKey, wishes: Wishes, members: Members, avoid: Iterable[str]) -> Candidate:
        """The gang of the group's waiting pods, kept away from the nodes in `avoid`."""
        away = frozenset(avoid)
        there = [repulsion for some in self._roster.repulsions.values() for repulsion in some]
        known = self._read.get(key, {})
        read = {pod.metadata.uid: (pod, self._own_shape(pod, known)) for pod in members.waiting}
        self._read[key] = read
        shapes = [self._in_place(pod, shape, there, away) for pod, shape in read.values()]
        made = candidate(key, wishes, members, shapes)
        group = self._roster.pod_group(key)
        since = group.metadata.creation_timestamp if group is not None else None
        return made if since is None else replace(made, since=since)

    def forget(self, key: GroupKey) -> None:
        """The group waits no more."""
        self._read.pop(key, None)

    def _own_shape(self, pod: Pod, known: dict[str, tuple[Pod, Shape]]) -> Shape:
        seen = known.get(pod.metadata.uid)
        return seen[1] if seen is not None and seen[0] is pod else read_shape(pod)

    def _in_place(self, pod: Pod, shape: Shape, there: list[Repulsion], away: frozenset[str]) -> Shape:
        """The shape with what the pod's volumes and the pods on the nodes add to it."""
        if pod.spec.volumes:
            needs = self._storage.needs_of(pod)
            if needs.selectors or needs.refused:
                shape = read_shape(pod, needs.selectors, needs.refused)
        barred = away | excluded_nodes(pod, there, self._fabric.nodes) if there else away
        if not barred:
            return shape
        return replace(shape, requirements=replace(shape.requirements, excluded_nodes=barred))
