"""What was found in each tier, measured: how many pods the best domain takes, and what it is short of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from scheduler.kernel.demand import Demand, Group
from scheduler.kernel.gang import Gang
from scheduler.kernel.outcome import Exclusion, Reason, Refusal, Shortage, TierReport
from scheduler.kernel.packing import Strategy, affordable, lay_segments, pack
from scheduler.kernel.predicates import eligible, exclusions
from scheduler.kernel.quantity import counted
from scheduler.kernel.question import Level
from scheduler.kernel.snapshot import Snapshot


def refuse(demand: Demand, looked: Sequence[Level], strategies: Sequence[Strategy]) -> Refusal:
    """The refusal of a gang that no level takes, with what the best domain of each level lacks."""
    reports = []
    for level in looked:
        domain, fits = _best(demand, level, strategies)
        shortages, exclusions_there = _lacks(demand, domain, fits)
        reports.append(_report(demand, level, domain, fits, shortages, exclusions_there))
    return Refusal(demand.gang, Reason.DOES_NOT_FIT, _too_big(demand, looked, reports), tuple(reports))


def report_level(demand: Demand, level: Level, strategies: Sequence[Strategy]) -> TierReport:
    """What a level that does not take the whole gang has at best."""
    return _report(demand, level, *_best(demand, level, strategies))


def _best(demand: Demand, level: Level, strategies: Sequence[Strategy]) -> tuple[int, tuple[int, ...]]:
    """The domain that takes the most pods, and how many of each group; what several groups take together is packed."""
    counts = demand.counts([pod_class.count for pod_class in demand.gang.classes])
    sums = np.minimum(demand.sums(level.domains), np.array(counts)[:, None])
    best = int(np.argmax(sums.sum(axis=0)))
    if not sums[:, best].any():
        best = _nearest(demand, level)
    domain = int(level.domains[best])
    if len(counts) == 1:
        return domain, (int(sums[0, best]),)
    segments = lay_segments(demand, level.domains[best : best + 1])
    usable = affordable(strategies, len(segments.nodes))
    packed = [pack(demand, segments, counts, strategy)[0][:, 0] for strategy in usable]
    most = max(packed, key=lambda put: int(put.sum()))
    return domain, tuple(most.tolist())


def _nearest(demand: Demand, level: Level) -> int:
    """Of domains that take no pod at all, the one whose largest node is nearest to taking one of the first group."""
    snapshot, group = demand.snapshot, demand.groups[0]
    share = np.full(len(snapshot.left_out), np.inf)
    for row, amount in group.rows:
        np.minimum(share, snapshot.free[row] / amount, out=share)
    mask = eligible(snapshot, group.requirements)
    if mask is not None:
        share[~mask] = -np.inf
    slices = zip(snapshot.tree.start[level.domains].tolist(), snapshot.tree.end[level.domains].tolist(), strict=True)
    return int(np.argmax([share[start:end].max(initial=-np.inf) for start, end in slices]))


def _report(
    demand: Demand,
    level: Level,
    domain: int,
    fits: Sequence[int],
    shortages: tuple[Shortage, ...] = (),
    excluded: tuple[Exclusion, ...] = (),
) -> TierReport:
    tree = demand.snapshot.tree
    return TierReport(
        tier=level.tier,
        label=level.label,
        domains=len(level.domains),
        fitting=0,
        best=tree.names[domain] if domain < len(tree.names) else None,
        fits=sum(fits),
        nodes=int(tree.end[domain] - tree.start[domain]),
        shortages=shortages,
        exclusions=excluded,
    )


def _too_big(demand: Demand, looked: Sequence[Level], reports: Sequence[TierReport]) -> str:
    gang = demand.gang
    last = looked[-1]
    if last.tier is None:
        return f"{last.label} has no room for {_wanted(gang)}{_at_most(gang, reports, '')}"
    around = f" around the {counted(len(gang.bound), 'bound pod')}" if gang.bound else ""
    most = _at_most(gang, reports, " in one")
    return f"no HyperNode of {last.label} or below{around} has room for {_wanted(gang)}{most}"


def _wanted(gang: Gang) -> str:
    if gang.pods == 1:
        return "the pod that is missing" if gang.bound else "its one pod"
    wanted = f"{'all ' if gang.least == gang.pods else f'{gang.least} of '}{gang.pods} pods"
    return wanted + (" that are missing" if gang.bound else "")


def _at_most(gang: Gang, reports: Sequence[TierReport], where: str) -> str:
    most = max(report.fits for report in reports)
    if gang.pods == 1:
        return ""
    if most == 0:
        return f"; not even one fits{where}"
    return f"; at most {most} {'fits' if most == 1 else 'fit'}{where}"


def _lacks(demand: Demand, domain: int, fits: Sequence[int]) -> tuple[tuple[Shortage, ...], tuple[Exclusion, ...]]:
    snapshot, gang = demand.snapshot, demand.gang
    start, end = int(snapshot.tree.start[domain]), int(snapshot.tree.end[domain])
    counts = demand.counts([pod_class.count for pod_class in gang.classes])
    shortages: list[Shortage] = []
    reasons: Counter[str] = Counter()
    for group, count, fit in zip(demand.groups, counts, fits, strict=True):
        if fit < count:
            name = " and ".join(gang.classes[index].name for index in group.classes)
            shortages.extend(_shortages(snapshot, group, name, count, slice(start, end)))
            reasons |= exclusions(snapshot, group.requirements, start, end)
    shortages.sort(key=lambda shortage: shortage.fits / shortage.pods)
    return tuple(shortages), tuple(Exclusion(reason, nodes) for reason, nodes in reasons.most_common())


def _shortages(snapshot: Snapshot, group: Group, name: str, count: int, nodes: slice) -> list[Shortage]:
    """Every resource that alone has no room for `count` pods, else the scarcest; none where no node is eligible."""
    absent = [Shortage(name, resource, count, 0, 0, amount * count, 0) for resource, amount in group.missing]
    if absent:
        return absent
    found = sorted(_supplies(snapshot, group, name, count, nodes), key=lambda shortage: shortage.fits)
    return [shortage for shortage in found if shortage.fits < count] or found[:1]


def _supplies(snapshot: Snapshot, group: Group, name: str, count: int, nodes: slice) -> Iterator[Shortage]:
    mask = eligible(snapshot, group.requirements)
    if mask is not None and not mask[nodes].any():
        return
    for row, amount in group.rows:
        free = np.maximum(snapshot.free[row, nodes], 0)
        if mask is not None:
            free = free[mask[nodes]]
        yield Shortage(
            pod_class=name,
            resource=snapshot.resources[row],
            pods=count,
            fits=min(count, int(np.minimum(free // amount, count).sum())),
            free=int(free.sum(dtype=np.float64)),  # 64-bit whole numbers could overflow
            needed=amount * count,
            largest=int(free.max(initial=0)),
        )
