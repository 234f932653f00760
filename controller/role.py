"""What a controller is among its replicas, and who watches it at work. On its own it leads, and nobody watches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from kube.errors import ApiError
from kube.tenure import ALONE, Leading


class Observer(Protocol):
    """Told what the controller does, in its event loop, at once."""

    def synced(self) -> None:
        """All caches are whole."""
        ...

    def turned(self) -> None:
        """The loop came round."""
        ...

    def reconciled(self, seconds: float) -> None:
        """A look is over, its writes included."""
        ...

    def wrote(self, verb: str, error: ApiError | None) -> None:
        """A write is over; None is success."""
        ...

    def journaled(self, waiting: int, lost: int) -> None:
        """So many changes wait for the journal, and so many will never be in it."""
        ...


class Unobserved:
    """Nobody watches."""

    def synced(self) -> None:
        """Nobody is told."""

    def turned(self) -> None:
        """Nobody is told."""

    def reconciled(self, seconds: float) -> None:
        """Nobody is told."""

    def wrote(self, verb: str, error: ApiError | None) -> None:
        """Nobody is told."""

    def journaled(self, waiting: int, lost: int) -> None:
        """Nobody is told."""


@dataclass(frozen=True, slots=True)
class Role:
    """Both replicas look; only the one that leads writes, and only what it decided in its present term."""

    leading: Leading = ALONE
    observer: Observer = field(default_factory=Unobserved)


ON_ITS_OWN = Role()
"""The only one there is."""
