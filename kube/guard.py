"""What stands before a client's writes: may this process still write, and what became of a write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from kube.errors import ApiError


class Guard(Protocol):
    """Given to `Client.guarded`."""

    def may_write(self) -> bool:
        """Asked just before every attempt of every write, after all waiting."""
        ...

    def wrote(self, verb: str, error: ApiError | None) -> None:
        """A write is over; None is success."""
        ...


def _tell_nobody(verb: str, error: ApiError | None) -> None:
    del verb, error


@dataclass(frozen=True, slots=True)
class Permit:
    """A guard of two functions."""

    allowed: Callable[[], bool]
    told: Callable[[str, ApiError | None], None] = _tell_nobody

    def may_write(self) -> bool:
        """As `allowed` says."""
        return self.allowed()

    def wrote(self, verb: str, error: ApiError | None) -> None:
        """Tells `told`."""
        self.told(verb, error)
