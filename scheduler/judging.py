"""From what a pass found of a group to the verdict on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from kube.types import Pod, PodGroup
from scheduler import names
from scheduler.gangs import Members
from scheduler.groups import GroupKey, Wishes
from scheduler.kernel.explain import explain
from scheduler.kernel.outcome import Refusal
from scheduler.kernel.quantity import QuantityError, canonical_amount
from scheduler.kernel.snapshot import NodeFacts
from scheduler.kernel.tree import Tree
from scheduler.verdict import Verdict

BOUND = "MinMemberBound"


def missing_pod_group(key: GroupKey, members: Members) -> Verdict:
    """Pods that name a PodGroup which is not there wait for it."""
    message = f"PodGroup {key.object_key} does not exist; its pods wait for it"
    return Verdict(names.POD_GROUP_MISSING, message, False, members.waiting, names.POD_GROUP_MISSING)


@dataclass(frozen=True, slots=True)
class Partial:
    """A gang of which some pods are bound, and fewer than min_member."""

    bound: int
    overdue: bool
    """For longer than the deadline."""
    kept: str = ""
    """Why its bound pods are not evicted, where that was due."""


def refused(refusal: Refusal, members: Members, partial: Partial | None) -> Verdict:
    """Why the waiting pods wait."""
    message = explain(refusal)
    if members.gated:
        message += f" {len(members.gated)} more of its pods are held back by scheduling gates."
    return _waiting(str(refusal.reason), message, members, partial)


def bind_failed(detail: str, members: Members, partial: Partial | None) -> Verdict:
    """A binding that the server refused; it is tried again, on another node where there is one."""
    return _waiting(names.BIND_FAILED, f"A pod could not be bound: {detail}"[:1000] + ".", members, partial)


def _waiting(reason: str, message: str, members: Members, partial: Partial | None) -> Verdict:
    if partial is not None:
        message = f"{partial.bound} pods are bound, and fewer than min_member. {message}"
        if partial.kept:
            message += f" The bound pods stay where they are: {partial.kept}."
        if partial.overdue:
            reason = names.PARTIALLY_BOUND
    return Verdict(reason, message, False, members.waiting)


def bound(tree: Tree, members: Members, waiting: Verdict | None) -> Verdict:
    """The gang stands; `waiting` is why pods beyond min_member still wait."""
    count, domain = len(members.bound), common_domain(tree, [node for _, node in members.bound])
    pods = "1 pod is" if count == 1 else f"{count} pods are"
    message = f"{pods} bound inside HyperNode {domain}" if domain else f"{pods} bound"
    if waiting is None:
        return Verdict(BOUND, message, True)
    return Verdict(BOUND, message, True, waiting.waiting, waiting.pod_reason, waiting.message)


def least_of(wishes: Wishes, members: Members) -> int:
    """How many pods make the gang stand."""
    everybody = len(members.bound) + len(members.waiting) + len(members.gated)
    return everybody if wishes.min_member is None else max(1, wishes.min_member)


def partly_bound(wishes: Wishes, members: Members, pods: Iterable[Pod]) -> bool:
    """Whether some pods are bound, and with those that have succeeded fewer than min_member."""
    succeeded = sum(pod.status.phase == "Succeeded" for pod in pods)
    return bool(members.bound) and len(members.bound) + succeeded < least_of(wishes, members)


def least_lacking(wishes: Wishes, members: Members) -> Members:
    """Of a partly bound gang only the pods that it lacks to stand: those beyond wait for their turn by age."""
    if wishes.min_task_member:
        return members
    lacking = max(1, least_of(wishes, members) - len(members.bound))
    return replace(members, waiting=members.waiting[:lacking])


def lacks_only_places(wishes: Wishes, members: Members, pods: Iterable[Pod], now: datetime) -> bool:
    """Whether the pods that are missing to min_member all wait, and none of the group is still ending in its time."""
    ending = (pod.metadata.deletion_timestamp for pod in pods)
    if any(until is not None and until > now for until in ending):
        return False
    return len(members.bound) + len(members.waiting) >= least_of(wishes, members)


def vacant_phase(group: PodGroup, facts: Iterable[NodeFacts]) -> str:
    """The phase of a PodGroup without pods: Inqueue, the sign to make them, when what it needs at least is free."""
    if group.status.phase == "Completed":
        return "Completed"
    try:
        needed = {name: canonical_amount(name, str(text)) for name, text in (group.spec.min_resources or {}).items()}
    except QuantityError:
        return "Pending"
    free = dict.fromkeys(needed, 0)
    for node in facts:
        if node.ready and not node.deleting and not node.unschedulable:
            for name in needed:
                free[name] += max(0, node.allocatable.get(name, 0) - node.used.get(name, 0))
    return "Inqueue" if all(free[name] >= amount for name, amount in needed.items()) else "Pending"


def common_domain(tree: Tree, nodes: list[str]) -> str | None:
    """The lowest HyperNode that holds all of these nodes, with its tier; None when there is none."""
    positions = [tree.position[node] for node in nodes if node in tree.position]
    if not positions or len(positions) < len(nodes):
        return None
    first, last = min(positions), max(positions)
    domain = int(tree.home[first])
    while 0 <= domain < len(tree.names):
        if tree.start[domain] <= first and last < tree.end[domain]:
            tier = tree.tier_of(domain)
            return f"{tree.names[domain]} of {tier.label}" if tier is not None else tree.names[domain]
        domain = int(tree.parent[domain])
    return None
