"""The JSON of `whatif`: the placement or the refusal, with what was found in every tier that was looked at.

Amounts are in the kernel's canonical units: milli-CPU, bytes, whole numbers of anything else.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from cli.output import json_text
from cli.whatif.taints import InTheWay
from scheduler.kernel.outcome import Assignment, Exclusion, Placement, Refusal, Shortage, TierReport


class ShortageRow(msgspec.Struct, frozen=True, rename="camel"):
    """A resource that the best domain is short of."""

    pod_class: str
    resource: str
    free: int
    needed: int
    fits: int
    largest: int


class ExclusionRow(msgspec.Struct, frozen=True, rename="camel"):
    """Nodes of the best domain that may not be used."""

    predicate: str
    nodes: int


class TierRow(msgspec.Struct, frozen=True, rename="camel"):
    """What was found in one tier."""

    tier: int | None
    label: str
    domains: int
    fitting: int
    best: str | None
    fits: int
    nodes: int
    shortages: tuple[ShortageRow, ...]
    exclusions: tuple[ExclusionRow, ...]


class AssignedClass(msgspec.Struct, frozen=True, rename="camel"):
    """Where the pods of one class go: one node a pod, in the order of the pods' ranks."""

    name: str
    requests: Mapping[str, int]
    nodes: tuple[str, ...]


class WhatifAnswer(msgspec.Struct, frozen=True, rename="camel"):
    """A placement has a domain and assignments, a refusal a reason and a detail; both have tiers."""

    fits: bool
    domain: str | None
    """The HyperNode that holds all pods; null: no single one does."""
    tier: int | None
    complete: bool
    """Every pod has a node."""
    unhealthy_links: int | None
    links: int | None
    """null: nothing is known of its links."""
    assignments: tuple[AssignedClass, ...]
    reason: str | None
    detail: str | None
    tiers: tuple[TierRow, ...]
    tolerate: tuple[str, ...]
    """Taints that are in the way: what `--tolerate` would take, each."""
    assumed: Mapping[str, int | None] | None
    """What every node of a captured fabric is taken to have, an amount of null without limit; null: asked live."""


def answer_of(
    outcome: Placement | Refusal, assumed: Mapping[str, int | None] | None, taints: InTheWay | None
) -> WhatifAnswer:
    """`taints`: those that are in the way of a gang that is refused."""
    match outcome:
        case Placement():
            return WhatifAnswer(
                fits=True,
                domain=outcome.domain,
                tier=outcome.tier,
                complete=outcome.complete,
                unhealthy_links=outcome.unhealthy_links if outcome.links else None,
                links=outcome.links or None,
                assignments=tuple(_assigned(outcome, index, one) for index, one in enumerate(outcome.assignments)),
                reason=None,
                detail=None,
                tiers=tuple(map(_tier, outcome.tiers)),
                tolerate=(),
                assumed=assumed,
            )
        case Refusal():
            return WhatifAnswer(
                fits=False,
                domain=None,
                tier=None,
                complete=False,
                unhealthy_links=None,
                links=None,
                assignments=(),
                reason=outcome.reason.value,
                detail=outcome.detail,
                tiers=tuple(map(_tier, outcome.tiers)),
                tolerate=taints.taints if taints is not None else (),
                assumed=assumed,
            )


def _assigned(placement: Placement, index: int, assignment: Assignment) -> AssignedClass:
    nodes = tuple(placement.node_names(index).tolist())
    return AssignedClass(assignment.pod_class.name, dict(assignment.pod_class.requests), nodes)


def _tier(report: TierReport) -> TierRow:
    return TierRow(
        tier=report.tier,
        label=report.label,
        domains=report.domains,
        fitting=report.fitting,
        best=report.best,
        fits=report.fits,
        nodes=report.nodes,
        shortages=tuple(map(_shortage, report.shortages)),
        exclusions=tuple(map(_exclusion, report.exclusions)),
    )


def _shortage(one: Shortage) -> ShortageRow:
    return ShortageRow(one.pod_class, one.resource, one.free, one.needed, one.fits, one.largest)


def _exclusion(one: Exclusion) -> ExclusionRow:
    return ExclusionRow(one.predicate, one.nodes)


def to_json(outcome: Placement | Refusal, assumed: Mapping[str, int | None] | None, taints: InTheWay | None) -> str:
    return json_text(answer_of(outcome, assumed, taints))
