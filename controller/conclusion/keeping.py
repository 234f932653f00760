"""What was made at the last look, and from what: what would come out the same is not made again.

Every step of a look is a pure function of values that nobody changes, so with the same inputs the last result is the
result. A controller that keeps nothing decides the same, only later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, TypeVarTuple, cast

T = TypeVar("T")
Found = TypeVar("Found")
Ts = TypeVarTuple("Ts")


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """One result."""

    inputs: tuple[Any, ...]
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """All results of one look, by the name of the step. It prints as nothing: it says nothing new."""

    steps: Mapping[str, Made] = field(default_factory=dict, repr=False)


@dataclass(slots=True)
class Keeper:
    """Makes the steps of one look, or keeps them from the last one."""

    last: Kept
    steps: dict[str, Made] = field(default_factory=dict)

    def made(self, step: str, make: Callable[[*Ts], T], *inputs: *Ts) -> T:
        """`make(*inputs)`; the result of the last look where each input is the same, or equal."""
        last = self.last.steps.get(step)
        if last is None or last.inputs != inputs:
            value = make(*inputs)
            last = Made(inputs, last.value if last is not None and _equal(last.value, value) else value)
        self.steps[step] = last
        return cast("T", last.value)

    def each(self, step: str, make: Callable[[Found], T], objects: Sequence[Found]) -> tuple[T, ...]:
        """`make` of each object; only of those that are new. A value that comes out equal stays the same object."""
        last = self.last.steps.get(step)
        former, values = (last.inputs, last.value) if last is not None else ((), ())
        if last is None or not _same(former, objects):
            known = {id(found): value for found, value in zip(former, values, strict=True)}
            made = [known[id(found)] if id(found) in known else make(found) for found in objects]
            if len(made) == len(values):
                made = [old if old is new or old == new else new for old, new in zip(values, made, strict=True)]
            last = Made(tuple(objects), values if _same(values, made) else tuple(made))
        self.steps[step] = last
        return cast("tuple[T, ...]", last.value)

    def value(self, step: str) -> Any:  # noqa: ANN401 - whatever the step makes
        """What the step made at the last look; None where there was none."""
        last = self.last.steps.get(step)
        return last.value if last is not None else None

    def keep(self, step: str, value: T) -> T:
        """Keep what goes on from the last look by itself."""
        self.steps[step] = Made((), value)
        return value

    @property
    def kept(self) -> Kept:
        """For the next look. A step that was not come to keeps what it had."""
        return Kept({**self.last.steps, **self.steps})


def _same(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def _equal(one: object, other: object) -> bool:
    """Values that do not say when they are equal are not."""
    return type(one) is type(other) and bool(one == other)
