"""From what a pass found of a group to the verdict on it."""

from __future__ import annotations

from collections.abc import Iterable

from kube.types import PodGroup
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


def refused(refusal: Refusal, members: Members, since_partial: float | None, deadline: float) -> Verdict:
    """Why the waiting pods wait. `since_partial`: for how many seconds fewer than min_member have been bound."""
    message = explain(refusal)
    if members.gated:
        message += f" {len(members.gated)} more of its pods are held back by scheduling gates."
    if since_partial is not None:
        message = f"{len(members.bound)} pods are bound, and fewer than min_member. {message}"
        if since_partial >= deadline:
            return Verdict(names.PARTIALLY_BOUND, message, False, members.waiting)
    return Verdict(str(refusal.reason), message, False, members.waiting)


def bind_failed(detail: str, members: Members) -> Verdict:
    """A binding that the server refused; it is tried again, on another node where there is one."""
    return Verdict(names.BIND_FAILED, f"a pod could not be bound: {detail}"[:1000], False, members.waiting)


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
