"""Whether taints are why a gang does not fit, and which: asked again of the same snapshot, with these tolerated."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from scheduler.kernel.gang import Gang
from scheduler.kernel.outcome import Placement, Reason, Refusal
from scheduler.kernel.requirements import Taint, Toleration
from scheduler.kernel.snapshot import Snapshot

STATES = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
"""Prefixes of the taints by which Kubernetes says that a node is cordoned or not well: no job is to tolerate these."""
MOST_TRIED = 16
"""Of the taints that are on the most nodes: the gang is placed once for each."""

Ask = Callable[[Gang], Placement | Refusal]


@dataclass(frozen=True, slots=True)
class InTheWay:
    """Taints without which more of the gang would fit."""

    taints: tuple[str, ...]
    """As `--tolerate` takes them, the one on the most nodes first. None of them can be left out."""
    fits: int
    """The most pods that then fit: all of the gang, or as many as one domain takes."""


def tolerating(gang: Gang, tolerations: Iterable[Toleration]) -> Gang:
    """The gang, every pod of which tolerates these as well."""
    more = tuple(tolerations)
    classes = (
        replace(one, requirements=replace(one.requirements, tolerations=(*one.requirements.tolerations, *more)))
        for one in gang.classes
    )
    return replace(gang, classes=tuple(classes))


def in_the_way(snapshot: Snapshot, refusal: Refusal, ask: Ask) -> InTheWay | None:
    """The taints that keep the gang from fitting; None where it is nothing better without any of them."""
    if refusal.reason is not Reason.DOES_NOT_FIT:
        return None
    gang = refusal.gang
    named = dict(_common(snapshot, [one for each in gang.classes for one in each.requirements.tolerations]))

    def fits(tolerations: Iterable[Toleration]) -> int:
        return _most(ask(tolerating(gang, tolerations)))

    most = fits(named) if named else 0
    if most <= _most(refusal):
        return None
    needed = list(named)
    for one in reversed(named):
        fewer = [other for other in needed if other is not one]
        if fits(fewer) >= most:
            needed = fewer
    return InTheWay(tuple(named[one] for one in needed), most)


def _most(outcome: Placement | Refusal) -> int:
    """The most pods that some domain takes."""
    return max((report.fits for report in outcome.tiers), default=0)


def _common(snapshot: Snapshot, tolerated: list[Toleration]) -> Iterator[tuple[Toleration, str]]:
    """What tolerates each kind of taint that is on nodes, and its name; those on the most nodes, these first."""
    nodes: Counter[tuple[str, str]] = Counter()
    kinds: dict[tuple[str, str], set[Taint]] = defaultdict(set)
    for which, count in Counter(snapshot.nodes.taint_set[~snapshot.left_out].tolist()).items():
        for taint in snapshot.nodes.taint_sets[which]:
            if not taint.key.startswith(STATES) and not any(one.tolerates(taint) for one in tolerated):
                nodes[taint.key, taint.effect] += count
                kinds[taint.key, taint.effect].add(taint)
    for key, effect in sorted(nodes, key=lambda kind: (-nodes[kind], kind))[:MOST_TRIED]:
        first, *others = kinds[key, effect]
        yield Toleration(key, "Exists", "", effect), str(Taint(key, "", effect) if others else first)
