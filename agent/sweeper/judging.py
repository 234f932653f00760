"""What a sweep proves: is it whole, what is missing, which of its switches are to be written. Pure.

A sweep counts as Partial as a whole when it was cut off, told of an error, or lost more than a share of the switches or
hosts at once; equal error-free sweeps in a row make the smaller view the known one. A partial sweep never overwrites
what is known of a switch, and proves nothing missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from discovery.identity import Guid
from discovery.reports import COMPLETE, FAILED, MAX_MISSING, MAX_REASONS, PARTIAL, MissingSwitch

MAX_REASON = 300
"""Characters of one reason."""


@dataclass(frozen=True, slots=True)
class Patience:
    """What an operator may decide of it."""

    most_lost: float = 0.1
    accept_after: int = 3
    remove_after: int = 50


@dataclass(frozen=True, slots=True)
class View:
    """What one sweep saw."""

    switches: frozenset[Guid] = frozenset()
    hosts: int = 0
    trouble: tuple[str, ...] = ()
    """Why it may not be the whole fabric."""
    spared: frozenset[Guid] = frozenset()
    """Known switches that were not reached, of which the sweep proves nothing: not seen, and not missing either."""
    notes: tuple[str, ...] = ()
    """What went wrong with a part of the fabric; the rest counts."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the sweeps before it saw."""

    sequence: int = 0
    switches: frozenset[Guid] = frozenset()
    """All that have not left."""
    hosts: int = 0
    missing: Mapping[Guid, int] = field(default_factory=dict)
    """Since which whole sweep."""
    smaller: View | None = None
    """A view that lost too much, seen `seen` times in a row."""
    seen: int = 0


@dataclass(frozen=True, slots=True)
class Judgement:
    """One sweep judged."""

    outcome: str
    reasons: tuple[str, ...]
    missing: tuple[MissingSwitch, ...]
    left: frozenset[Guid]
    """Switches whose reports are to be deleted."""
    known: Known


def judge(view: View, known: Known, patience: Patience) -> Judgement:
    """Judge the sweep after the known ones; its sequence is the next one."""
    known = replace(known, sequence=known.sequence + 1)
    if not view.switches:
        reasons = view.trouble + view.notes or (
            "no switch was reached: no rights, a wrong M_Key, or the own link is down",
        )
        return _not_whole(FAILED, reasons, replace(known, smaller=None, seen=0))
    if view.trouble:
        told = (*view.trouble, *view.notes)
        return _not_whole(PARTIAL, told, replace(_met(view, known), smaller=None, seen=0))
    lost = _lost_too_much(view, known, patience)
    if lost:
        equal = known.smaller is not None and (view.switches, view.hosts) == (
            known.smaller.switches,
            known.smaller.hosts,
        )
        seen = known.seen + 1 if equal else 1
        known = replace(_met(view, known), smaller=view, seen=seen)
        if seen < patience.accept_after:
            return _not_whole(PARTIAL, (f"{lost}; equal sweep {seen} of {patience.accept_after}", *view.notes), known)
    return _whole(view, known, patience)


def _whole(view: View, known: Known, patience: Patience) -> Judgement:
    every = known.switches | view.switches
    missing = {guid: known.missing.get(guid, known.sequence) for guid in every - view.switches - view.spared}
    left = frozenset(guid for guid, since in missing.items() if known.sequence - since + 1 >= patience.remove_after)
    stay = {guid: since for guid, since in missing.items() if guid not in left}
    known = Known(known.sequence, every - left, view.hosts, stay)
    return Judgement(COMPLETE, _bounded(view.notes), _listed(missing), left, known)


def _not_whole(outcome: str, reasons: Sequence[str], known: Known) -> Judgement:
    return Judgement(outcome, _bounded(reasons), _listed(known.missing), frozenset(), known)


def _bounded(reasons: Sequence[str]) -> tuple[str, ...]:
    return tuple(reason[:MAX_REASON] for reason in reasons[:MAX_REASONS])


def _met(view: View, known: Known) -> Known:
    """A switch that answered is not missing, however poor the sweep."""
    missing = {guid: since for guid, since in known.missing.items() if guid not in view.switches}
    return replace(known, switches=known.switches | view.switches, missing=missing)


def _lost_too_much(view: View, known: Known, patience: Patience) -> str:
    """Why, or nothing. Switches that are missing already are not lost once more."""
    present = known.switches - known.missing.keys()
    lost = present - view.switches
    if len(lost) > patience.most_lost * len(present):
        return f"{len(lost)} of {len(present)} switches were lost at once"
    if known.hosts - view.hosts > patience.most_lost * known.hosts:
        return f"{known.hosts - view.hosts} of {known.hosts} hosts were lost at once"
    return ""


def _listed(missing: Mapping[Guid, int]) -> tuple[MissingSwitch, ...]:
    ordered = sorted(missing.items(), key=lambda item: (item[1], item[0]))
    return tuple(MissingSwitch(guid=guid, sinceSequence=since) for guid, since in ordered[:MAX_MISSING])
