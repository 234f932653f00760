"""Our pods by group, and the PodGroups: who waits, who is bound, what each group asks for."""

from __future__ import annotations

from kube.cache import Added, Change, Changed, Deleted
from kube.podgroup import VolcanoJob
from kube.types import Key, Pod, PodGroup
from scheduler import names
from scheduler.apart import Repulsion, repulsions
from scheduler.caches import Caches
from scheduler.gangs import Members, is_live, members_of
from scheduler.groups import GroupKey, GroupKind, Wishes, group_of, wishes_of_pod_group, wishes_of_pods
from scheduler.holdings import Holdings
from scheduler.requests import resize_infeasible
from scheduler.wake import Wake


class Roster:
    """Follows pods and PodGroups. `touched` are the groups to be looked at in the next pass."""

    def __init__(self, ours: frozenset[str], caches: Caches, holdings: Holdings, wake: Wake) -> None:
        self.touched: set[GroupKey] = set()
        self.repulsions: dict[str, tuple[Repulsion, ...]] = {}
        """By pod UID: the required anti-affinity of pods that stand on nodes."""
        self.evicted: set[str] = set()
        """UIDs of pods whose eviction was granted and is not yet seen: they are members no more."""
        self._ours = ours
        self._pods = caches.pods
        self._pod_groups = caches.pod_groups
        self._jobs = caches.jobs
        self._holdings = holdings
        self._wake = wake
        self._members: dict[GroupKey, dict[Key, Pod]] = {}
        self._unbound: dict[GroupKey, set[Key]] = {}
        caches.pods.subscribe(self._pod_changed)
        caches.pod_groups.subscribe(self._pod_group_changed)
        caches.jobs.subscribe(self._job_changed)

    def take(self) -> set[GroupKey]:
        """The groups to look at now: those that changed, and all that wait. `touched` is empty afterwards."""
        taken = self.touched | self._unbound.keys()
        self.touched = set()
        return taken

    def pods_of(self, key: GroupKey) -> tuple[Pod, ...]:
        """All pods of a group, ended ones too."""
        return tuple(self._members.get(key, {}).values())

    def members_of(self, key: GroupKey) -> Members:
        """The live pods of a group, sorted."""
        pods = (pod for pod in self.pods_of(key) if pod.metadata.uid not in self.evicted)
        return members_of(pods, self._holdings.assumed)

    def current(self, pod: Pod) -> Pod | None:
        """The same pod (same UID) as last seen; None when it is gone."""
        seen = self._pods.get(pod.metadata.key)
        return seen if seen is not None and seen.metadata.uid == pod.metadata.uid else None

    def pod_group(self, key: GroupKey) -> PodGroup | None:
        """The PodGroup of a group, if it has one and it exists."""
        return self._pod_groups.get(key.object_key) if key.kind is GroupKind.POD_GROUP else None

    def wishes_of(self, key: GroupKey) -> Wishes | None:
        """What the group asks for; None when its PodGroup is missing."""
        if key.kind is GroupKind.POD_GROUP:
            group = self.pod_group(key)
            return None if group is None or group.metadata.deleting else wishes_of_pod_group(group)
        live = [pod for pod in self.pods_of(key) if is_live(pod)]
        return wishes_of_pods(live, single=key.kind is GroupKind.POD)

    def is_ours(self, group: PodGroup) -> bool:
        """Whether we schedule a PodGroup: a pod of ours names it, or, before that, its annotation or its VolcanoJob
        names us."""
        if GroupKey(GroupKind.POD_GROUP, *group.metadata.key) in self._members:
            return True
        asked = {group.metadata.annotations.get(names.PREFERRED_SCHEDULER)}
        for owner in group.metadata.owner_references:
            job = self._jobs.get(Key(group.metadata.namespace, owner.name))
            if job is not None and owner.uid == job.metadata.uid:
                asked.add(job.spec.scheduler_name)
        return not asked.isdisjoint(self._ours)

    def _pod_changed(self, change: Change[Pod]) -> None:
        match change:
            case Added(new):
                self._arrived(new)
            case Changed(old, new):
                if not _matters(old, new):
                    self._note_form(new)
                    return
                if group_of(old) != group_of(new):
                    self._left(old)
                self._arrived(new)
            case Deleted(old):
                self._holdings.forget(old.metadata.uid)
                self.repulsions.pop(old.metadata.uid, None)
                self.evicted.discard(old.metadata.uid)
                self._left(old)
        self._wake.up()

    def _arrived(self, pod: Pod) -> None:
        self._holdings.see(pod)
        repelling = repulsions(pod) if pod.spec.node_name and not pod.finished else ()
        if repelling:
            self.repulsions[pod.metadata.uid] = repelling
        else:
            self.repulsions.pop(pod.metadata.uid, None)
        if pod.spec.scheduler_name in self._ours:
            key = group_of(pod)
            self._members.setdefault(key, {})[pod.metadata.key] = pod
            self._note_unbound(key, pod.metadata.key, is_live(pod) and not pod.spec.node_name)
            self.touched.add(key)

    def _note_form(self, pod: Pod) -> None:
        """Nothing that placement looks at is different; the pod's conditions may be."""
        pods = self._members.get(group_of(pod), {})
        if pod.metadata.key in pods:
            pods[pod.metadata.key] = pod

    def _left(self, pod: Pod) -> None:
        key = group_of(pod)
        pods = self._members.get(key)
        if pods is None or pods.pop(pod.metadata.key, None) is None:
            return
        self._note_unbound(key, pod.metadata.key, unbound=False)
        self.touched.add(key)
        if not pods:
            del self._members[key]

    def _note_unbound(self, key: GroupKey, pod: Key, unbound: bool) -> None:
        if unbound:
            self._unbound.setdefault(key, set()).add(pod)
        elif key in self._unbound:
            self._unbound[key].discard(pod)
            if not self._unbound[key]:
                del self._unbound[key]

    def _job_changed(self, change: Change[VolcanoJob]) -> None:
        """A job may come after its PodGroup: look at the PodGroups without pods again."""
        if isinstance(change, Deleted):
            return
        for group in self._pod_groups.values():
            if any(owner.uid == change.new.metadata.uid for owner in group.metadata.owner_references):
                self.touched.add(GroupKey(GroupKind.POD_GROUP, *group.metadata.key))
                self._wake.up()

    def _pod_group_changed(self, change: Change[PodGroup]) -> None:
        group = change.old if isinstance(change, Deleted) else change.new
        if (
            isinstance(change, Changed)
            and change.old.spec == change.new.spec
            and not _rewritten(change.old, change.new)
        ):
            return
        if self.is_ours(group):
            self.touched.add(GroupKey(GroupKind.POD_GROUP, *group.metadata.key))
            self._wake.up()


def _matters(old: Pod, new: Pod) -> bool:
    """Whether placement or a group's count could differ: a condition (our own, mostly) changes nothing."""
    return (
        old.spec != new.spec
        or old.metadata.labels != new.metadata.labels
        or old.metadata.annotations != new.metadata.annotations
        or old.metadata.deleting != new.metadata.deleting
        or old.status.phase != new.status.phase
        or old.status.container_statuses != new.status.container_statuses
        or resize_infeasible(old) != resize_infeasible(new)
    )


def _rewritten(old: PodGroup, new: PodGroup) -> bool:
    """Whether something that we decide by has changed beside the spec."""
    return (
        old.status.phase != new.status.phase
        or old.metadata.annotations != new.metadata.annotations
        or old.metadata.deleting != new.metadata.deleting
    )
