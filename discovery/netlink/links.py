"""What one look at the network interfaces found: the physical ones, and what the next look keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from discovery.samples import Counters


@dataclass(frozen=True, slots=True, kw_only=True)
class Modes:
    """The speeds of an interface, as they hold while its link stays."""

    speed: int | None = None
    """Megabits a second, now."""
    supported: tuple[int, ...] = ()
    """Megabits a second that the interface can have, rising; none where nobody tells."""
    lanes: int | None = None
    """Of the present speed, where there is no doubt."""

    @property
    def pam4(self) -> bool:
        """Whether its lanes carry PAM4: 50 Gb/s a lane and above. From 200 Gb/s on there is no other way."""
        if self.speed is None:
            return False
        return self.speed >= 200_000 or (self.lanes is not None and self.speed // self.lanes >= 50_000)


@dataclass(frozen=True, slots=True)
class PrivateStatistics:
    """Where in a driver's own list of statistics those stand that are wanted here."""

    count: int
    """Of all statistics; with another one the list has changed."""
    symbol_errors: int | None
    uncorrectable_blocks: int | None


@dataclass(frozen=True, slots=True)
class Driver:
    """How the driver of one interface is asked."""

    refused: frozenset[str] = frozenset()
    """The questions that it does not know, by name."""
    places: PrivateStatistics | None = None
    """Where it counts errors under names of its own; None where it does not, or counts as everybody does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One physical network interface."""

    name: str
    ifindex: int
    """Another one after each load of its driver."""
    mac: str | None = None
    """Its own, also while it is a member of a bond and bears the bond's."""
    up: bool | None = None
    """Whether somebody switched it on."""
    carrier: bool | None = None
    """Unknown while it is switched off."""
    carrier_changes: int | None = None
    carrier_down_count: int | None = None
    bond: str | None = None
    """The bond that it is a member of."""
    modes: Modes = field(default_factory=Modes)
    counters: Counters = field(default_factory=Counters)
    """`link_downed` is the count of lost carriers."""

    @property
    def speed(self) -> int | None:
        """Megabits a second, now."""
        return self.modes.speed


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """The physical network interfaces of a node, by name; members of bonds, and not the bonds."""

    by_name: Mapping[str, Link] = field(default_factory=dict)
    """mlx5_2 before mlx5_10."""
    others: frozenset[int] = frozenset()
    """The numbers of interfaces that no cable goes into: a node has hundreds, and they are looked at once."""
    drivers: Mapping[int, Driver] = field(default_factory=dict)
    """By number: how the driver of an interface is asked."""

    def __iter__(self) -> Iterator[Link]:
        return iter(self.by_name.values())

    def __len__(self) -> int:
        return len(self.by_name)
