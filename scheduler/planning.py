"""One pass as a pure step: what is there and who waits, in; a decision for every gang, in order, out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import structlog

from kube.types import Pod
from scheduler.gangs import Candidate
from scheduler.kernel.gang import Gang
from scheduler.kernel.outcome import Placement, Reason, Refusal
from scheduler.kernel.placement import place
from scheduler.kernel.snapshot import LinkCount, NodeFacts, PodOnNode, Snapshot, assume
from scheduler.kernel.snapshot_build import take_snapshot
from scheduler.kernel.tree import Tree

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Situation:
    """What the kernel is asked about: values of one moment."""

    tree: Tree
    facts: Sequence[NodeFacts]
    links: Mapping[str, LinkCount]


@dataclass(frozen=True, slots=True)
class Seat:
    """A pod and the node it is to be bound to."""

    pod: Pod
    node: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of one gang, and for a placement the seats of its pods in rank order."""

    candidate: Candidate
    outcome: Placement | Refusal
    seats: tuple[Seat, ...]


def by_priority(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Priority first; then who is partly bound, so that nobody takes the rest of its domain; then age, then name."""
    return sorted(candidates, key=lambda one: (-one.gang.priority, not one.torn, one.since, one.key))


def decide(situation: Situation, candidates: Sequence[Candidate]) -> list[Decision]:
    """Place the gangs one after the other, each beside those before it; a refused one leaves its place to the next."""
    snapshot = take_snapshot(situation.tree, situation.facts, situation.links)
    decisions = []
    for candidate in candidates:
        outcome = _place(snapshot, candidate.gang)
        seats: tuple[Seat, ...] = ()
        if isinstance(outcome, Placement):
            placed = list(_seats(candidate, outcome))
            snapshot = assume(snapshot, (on_node for _, _, on_node in placed))
            seats = tuple(seat for _, seat, _ in sorted(placed, key=lambda entry: entry[0]))
        decisions.append(Decision(candidate, outcome, seats))
    return decisions


def _place(snapshot: Snapshot, gang: Gang) -> Placement | Refusal:
    """A gang over which the kernel stumbles is refused with the error, and the others are placed all the same."""
    try:
        return place(snapshot, gang)
    except Exception as error:
        log.exception("a gang could not be judged", gang=gang.name)
        return Refusal(gang, Reason.NOT_JUDGED, f"an error of the scheduler: {type(error).__name__}: {error}")


def _seats(candidate: Candidate, placement: Placement) -> Iterator[tuple[int, Seat, PodOnNode]]:
    """Rank, seat and load of every placed pod."""
    for index, assignment in enumerate(placement.assignments):
        pod_class = assignment.pod_class
        for which, node in zip(assignment.pods.tolist(), placement.node_names(index).tolist(), strict=True):
            load = PodOnNode(node, pod_class.requests, pod_class.requirements.host_ports)
            rank = pod_class.ranks[which] if pod_class.ranks else which
            yield rank, Seat(candidate.pods[index][which], node), load
