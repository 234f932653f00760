"""Who applies for places in this pass: the waiting pods of a group with all that their shapes depend on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from kube.types import Pod
from scheduler.apart import Repulsion, excluded_nodes
from scheduler.claims import Storage
from scheduler.fabric import Fabric
from scheduler.gangs import Candidate, Members, candidate
from scheduler.groups import GroupKey, Wishes
from scheduler.pods import Shape, read_shape
from scheduler.roster import Roster


@dataclass(frozen=True, slots=True)
class Applicants:
    """Makes candidates of groups."""

    roster: Roster
    fabric: Fabric
    storage: Storage

    def candidate(self, key: GroupKey, wishes: Wishes, members: Members, avoid: Iterable[str]) -> Candidate:
        """The gang of the group's waiting pods, kept away from the nodes in `avoid`."""
        away = frozenset(avoid)
        there = [repulsion for some in self.roster.repulsions.values() for repulsion in some]
        shapes = [self._shape(pod, there, away) for pod in members.waiting]
        made = candidate(key, wishes, members, shapes)
        group = self.roster.pod_group(key)
        since = group.metadata.creation_timestamp if group is not None else None
        return made if since is None else replace(made, since=since)

    def _shape(self, pod: Pod, there: list[Repulsion], away: frozenset[str]) -> Shape:
        needs = self.storage.needs_of(pod)
        shape = read_shape(pod, needs.selectors, needs.refused)
        barred = away | excluded_nodes(pod, there, self.fabric.nodes) if there else away
        if not barred:
            return shape
        return replace(shape, requirements=replace(shape.requirements, excluded_nodes=barred))
