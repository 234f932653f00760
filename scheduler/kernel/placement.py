"""Place a gang: the one decision of the scheduler, pure and deterministic.

Levels are looked into one after the other (tiers from the lowest; soft gangs go on to the whole cluster). The first
level in which some domain takes the whole gang decides; in it, `ranking` chooses the domain and `assign` the nodes.
Where no level takes all pods, the first that takes at least min_member decides, with as many pods as one of its domains
takes: all pods in a wide domain are preferred to some in a narrow one, as far as the gang allows the wide one.

What goes before what, and why:

1. The lowest tier that fits. Health never widens it: a node with a sick fabric is used rather than a higher tier.
2. Nodes whose FabricHealthy is False come last: a domain that takes the gang without them goes before one that does
   not, however tight that is. One slow rail holds up every collective of the gang, for as long as it runs.
3. The tightest domain, then the fewest child domains: large free domains are kept for large gangs.
4. The smaller share of unhealthy links (below a domain too). It decides between equals only: a tighter domain with one
   degraded uplink among 72 goes before an empty one without any. A degraded link of a node makes that node's
   FabricHealthy False, and so counts under 2 where the domain has no room beside that node.
5. The order of the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scheduler.kernel.assign import assign, settle, settle_compactly
from scheduler.kernel.demand import Demand, measure
from scheduler.kernel.exact import Effort
from scheduler.kernel.gang import Gang
from scheduler.kernel.outcome import Placement, Refusal, TierReport
from scheduler.kernel.packing import Strategy, affordable, enough_in_all, lay_segments, pack, strategies
from scheduler.kernel.question import Level, levels
from scheduler.kernel.ranking import best_of
from scheduler.kernel.report import refuse, report_level
from scheduler.kernel.shrink import shrink
from scheduler.kernel.snapshot import Snapshot
from scheduler.kernel.spread import Taken
from scheduler.kernel.tree import Domains

_TRIES = 8
"""So many of the best domains are tried with every strategy before the others are, all at once, with one each."""


_FINE = 256
"""How closely the most pods of a cut gang are sought; the last few of many would take most of the time."""


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """One gang against one snapshot, measured."""

    demand: Demand
    levels: tuple[Level, ...]
    strategies: tuple[Strategy, ...]
    effort: Effort


@dataclass(frozen=True, slots=True, eq=False)
class _Choice:
    """A domain of a level, how many pods of each class it takes, and where it takes those of each group."""

    level: int
    domain: int
    fitting: int
    class_counts: tuple[int, ...]
    taken: tuple[Taken, ...]


def place(snapshot: Snapshot, gang: Gang) -> Placement | Refusal:
    """Find a node for every pod of the gang, or at least for min_member of them, or say why there is none."""
    asked = levels(snapshot.tree, gang)
    if isinstance(asked, Refusal):
        return asked
    demand = measure(snapshot, gang)
    search = _Search(demand, asked, strategies(demand), Effort())
    choice = _whole(search) or (_part(search) if gang.least < gang.pods else None)
    if choice is None:
        return refuse(demand, asked, search.strategies)
    return _placement(search, choice)


def _whole(search: _Search) -> _Choice | None:
    counts = tuple(pod_class.count for pod_class in search.demand.gang.classes)
    found = (_look(search, level, counts) for level in range(len(search.levels)))
    return next((choice for choice in found if choice is not None), None)


def _part(search: _Search) -> _Choice | None:
    """The most pods, at least the gang's least, in the first level that takes the least.

    Of more than 256 pods, up to one in 256 that would fit as well may be left for the next placement.
    """
    gang = search.demand.gang
    for level in range(len(search.levels)):
        best = _look(search, level, shrink(gang.classes, gang.least))
        if best is None:
            continue
        fit, too_many = gang.least, gang.pods
        while too_many - fit > 1 + fit // _FINE:
            middle = (fit + too_many) // 2
            better = _look(search, level, shrink(gang.classes, middle))
            best, fit, too_many = (better, middle, too_many) if better is not None else (best, fit, middle)
        return best
    return None


def _look(search: _Search, level: int, class_counts: Sequence[int]) -> _Choice | None:
    """The best domain of a level that takes these pods."""
    demand, domains = search.demand, search.levels[level].domains
    counts = demand.counts(class_counts)
    able = domains[(demand.sums(domains) >= np.array(counts)[:, None]).all(axis=0)]
    found = _settle_best(search, able, counts) if len(able) else None
    return None if found is None else _Choice(level, found[0], len(able), tuple(class_counts), found[1])


def _settle_best(search: _Search, domains: Domains, counts: Sequence[int]) -> tuple[int, tuple[Taken, ...]] | None:
    """The best of the domains that takes all groups together: the best few tried one by one, then all at once."""
    demand = search.demand
    best = best_of(demand, domains, counts)
    taken = settle_compactly(demand, best, counts, search.strategies[0].groups)
    if taken is not None:
        return best, taken
    domains = domains[enough_in_all(demand, domains, counts)]
    for _ in range(min(_TRIES, len(domains))):
        best = best_of(demand, domains, counts)
        taken = settle(demand, best, counts, search.strategies, search.effort)
        if taken is not None:
            return best, taken
        domains = domains[domains != best]
    proven = _proven(search, domains, counts)
    if not len(proven):
        return None
    best = best_of(demand, proven, counts)
    taken = settle(demand, best, counts, search.strategies, search.effort)
    assert taken is not None, f"domain {best} was promised for {counts} pods"
    return best, taken


def _proven(search: _Search, domains: Domains, counts: Sequence[int]) -> Domains:
    """Those of the domains for which the first strategy that packs any of them does."""
    segments = lay_segments(search.demand, domains)
    for strategy in affordable(search.strategies, len(segments.nodes)):
        put, _ = pack(search.demand, segments, counts, strategy)
        proven: Domains = domains[(put == np.array(counts)[:, None]).all(axis=0)]
        if len(proven):
            return proven
    nothing: Domains = domains[:0]
    return nothing


def _placement(search: _Search, choice: _Choice) -> Placement:
    demand, level, domain = search.demand, search.levels[choice.level], choice.domain
    snapshot, gang = demand.snapshot, demand.gang
    below = [report_level(demand, lower, search.strategies[:1]) for lower in search.levels[: choice.level]]
    return Placement(
        gang=gang,
        tree=snapshot.tree,
        domain=snapshot.tree.names[domain] if domain < len(snapshot.tree.names) else None,
        tier=level.tier,
        assignments=assign(demand, choice.taken, choice.class_counts),
        complete=sum(choice.class_counts) == gang.pods,
        unhealthy_links=int(snapshot.unhealthy_links[domain]),
        links=int(snapshot.links[domain]),
        tiers=(*below, _chosen(demand, level, choice)),
    )


def _chosen(demand: Demand, level: Level, choice: _Choice) -> TierReport:
    tree, domain = demand.snapshot.tree, choice.domain
    return TierReport(
        tier=level.tier,
        label=level.label,
        domains=len(level.domains),
        fitting=choice.fitting,
        best=tree.names[domain] if domain < len(tree.names) else None,
        fits=sum(choice.class_counts),
        nodes=int(tree.end[domain] - tree.start[domain]),
    )
