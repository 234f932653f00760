"""What a gang asks, checked: the tiers and domains to look into, in order, or the Refusal that names what is wrong.

Nothing here depends on what is free. A question that contradicts itself, or that the kernel does not understand, is
refused; it is never answered as if the doubtful part were not there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scheduler.kernel.gang import Gang, PodClass
from scheduler.kernel.outcome import Reason, Refusal
from scheduler.kernel.quantity import LARGEST
from scheduler.kernel.requirements import not_understood
from scheduler.kernel.tree import Domains, Tree


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """Domains to look into together."""

    tier: int | None
    label: str
    domains: Domains


def levels(tree: Tree, gang: Gang) -> tuple[Level, ...] | Refusal:
    """Where to look, the first choice first; or why the question cannot be answered."""
    wrong = next(_contradictions(gang), None)
    if wrong is not None:
        return Refusal(gang, *wrong)
    allowed = _allowed_tier(tree, gang)
    if isinstance(allowed, Refusal):
        return allowed
    if gang.mode == "hard":
        return _hard_levels(tree, gang, allowed)
    bound = [tree.position[node] for node in gang.bound if node in tree.position]
    inside = _around(tree, bound) if bound and gang.mode == "soft" else _by_tier(tree, None)
    whole = Level(None, "the whole cluster", np.array([tree.top]))
    if gang.mode == "soft":
        return (*inside, whole)
    outside = Level(None, "nodes outside every HyperNode", np.array([tree.outside]))
    return (outside, *inside, whole)


def _contradictions(gang: Gang) -> Iterator[tuple[Reason, str]]:
    for pod_class in gang.classes:
        for phrase in _foreign(pod_class):
            yield Reason.NOT_UNDERSTOOD, f"pods {pod_class.name}: {phrase} is not understood"
    if gang.mode not in ("hard", "soft", "none"):
        yield Reason.NOT_UNDERSTOOD, f"topology mode {gang.mode!r} is not understood: hard, soft or none"
    if gang.pods == 0:
        yield Reason.NO_PODS, "the gang has no pods to place"
    if gang.least > gang.pods:
        wanted = gang.min_member if gang.min_member is not None else gang.least
        here = f"{gang.pods} are here" + (f" and {len(gang.bound)} are bound" if gang.bound else "")
        yield Reason.TOO_FEW_PODS, f"the gang needs at least {wanted} pods, {here}"
    for pod_class in gang.classes:
        if pod_class.minimum > pod_class.count:
            here = f"{pod_class.count} are here"
            yield Reason.TOO_FEW_PODS, f"at least {pod_class.minimum} pods {pod_class.name} are needed, {here}"
    if gang.highest_tier is not None and gang.highest_tier_name is not None:
        yield Reason.TIER_GIVEN_TWICE, "the highest tier is given both as a number and as a name; give one of them"
    if gang.mode == "hard" and gang.highest_tier is None and gang.highest_tier_name is None:
        yield Reason.TIER_MISSING, "the mode is hard and no highest tier is given, neither a number nor a name"


def _foreign(pod_class: PodClass) -> Iterator[str]:
    yield from pod_class.unsupported
    yield from not_understood(pod_class.requirements)
    if pod_class.count < 0 or pod_class.minimum < 0:
        yield "a negative number of pods"
    if pod_class.ranks and len(pod_class.ranks) != pod_class.count:
        yield f"{len(pod_class.ranks)} ranks for {pod_class.count} pods"
    for resource, amount in pod_class.requests.items():
        if not 0 <= amount <= LARGEST:
            yield f"a request of {amount} {resource}"


def _allowed_tier(tree: Tree, gang: Gang) -> int | Refusal | None:
    name = gang.highest_tier_name
    if name is None:
        return gang.highest_tier
    numbers = tree.tier_numbers.get(name, ())
    if len(numbers) == 1:
        return numbers[0]
    if numbers:
        several = ", ".join(map(str, numbers))
        return Refusal(gang, Reason.TIER_NAME_AMBIGUOUS, f"tier name {name!r} stands for several tiers: {several}")
    known = ", ".join(list(tree.tier_numbers)[:10]) or "there are none"
    return Refusal(gang, Reason.TIER_NAME_UNKNOWN, f"no HyperNode has the tier name {name!r}; known names: {known}")


def _hard_levels(tree: Tree, gang: Gang, allowed: int | None) -> tuple[Level, ...] | Refusal:
    if not tree.tiers:
        return Refusal(gang, Reason.NO_HYPER_NODES, "the mode is hard and the cluster has no HyperNodes")
    lowest = tree.tiers[0]
    if allowed is None or allowed < lowest.number:
        detail = f"tier {allowed} is allowed at most, and the lowest is {lowest.label}"
        return Refusal(gang, Reason.TIER_BELOW_ALL, detail)
    unknown = next((node for node in gang.bound if node not in tree.position), None)
    if unknown is not None:
        detail = f"a pod of the gang is bound to node {unknown}, which is not known"
        return Refusal(gang, Reason.BOUND_NODE_UNKNOWN, detail)
    if not gang.bound:
        return _by_tier(tree, allowed)
    around = _around(tree, [tree.position[node] for node in gang.bound])
    within = tuple(level for level in around if level.tier is not None and level.tier <= allowed)
    if within:
        return within
    detail = f"no HyperNode of tier {allowed} or below holds all {len(gang.bound)} pods that are bound already"
    return Refusal(gang, Reason.BOUND_APART, detail)


def _by_tier(tree: Tree, allowed: int | None) -> tuple[Level, ...]:
    return tuple(
        Level(tier.number, tier.label, np.arange(tier.first, tier.last))
        for tier in tree.tiers
        if allowed is None or tier.number <= allowed
    )


def _around(tree: Tree, nodes: list[int]) -> tuple[Level, ...]:
    """The HyperNodes that hold all these nodes, from the lowest upward, each a level of its own."""
    found: list[Level] = []
    first, last = min(nodes), max(nodes)
    domain = int(tree.home[first])
    while domain not in (tree.top, tree.outside, -1):
        tier = tree.tier_of(domain)
        if tree.start[domain] <= first and last < tree.end[domain] and tier is not None:
            found.append(Level(tier.number, tier.label, np.array([domain])))
        domain = int(tree.parent[domain])
    return tuple(found)
