"""What a scheduler is among its replicas, and who watches it at work. On its own it leads, and nobody watches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from kube.errors import ApiError
from kube.pod import Pod
from kube.tenure import ALONE, Leading
from scheduler.groups import GroupKey
from scheduler.reporter import Statement


class Observer(Protocol):
    """Told what the scheduler does, in its event loop, at once."""

    def synced(self) -> None:
        """All caches are whole."""
        ...

    def turned(self) -> None:
        """A pass begins."""
        ...

    def rests(self) -> None:
        """No pass is due before a term of ours begins."""
        ...

    def judged(self, statement: Statement, pods: Sequence[Pod]) -> None:
        """A pass came to this statement of a group, which has these pods."""
        ...

    def gone(self, key: GroupKey) -> None:
        """A group has no pods any more."""
        ...

    def wrote(self, verb: str, error: ApiError | None) -> None:
        """A write is over; None is success."""
        ...


class Unobserved:
    """Nobody watches."""

    def synced(self) -> None:
        """Nobody is told."""

    def turned(self) -> None:
        """Nobody is told."""

    def rests(self) -> None:
        """Nobody is told."""

    def judged(self, statement: Statement, pods: Sequence[Pod]) -> None:
        """Nobody is told."""

    def gone(self, key: GroupKey) -> None:
        """Nobody is told."""

    def wrote(self, verb: str, error: ApiError | None) -> None:
        """Nobody is told."""


@dataclass(frozen=True, slots=True)
class Role:
    """Both replicas follow the cluster; the one that leads judges, binds and says, and only in its present term."""

    leading: Leading = ALONE
    observer: Observer = field(default_factory=Unobserved)


ON_ITS_OWN = Role()
"""The only one there is."""
