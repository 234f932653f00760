"""Which number each tier has where HyperNodes stand already: theirs, unless a migration to the table is asked for.

Whoever wrote `highestTierAllowed: 2` wrote against the numbers that stand; a table that says others shifts none of them
silently.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from topology.hierarchy import LEVELS, check_tiers


def standing_numbers(tiers: Iterable[tuple[str, int]], wanted: Mapping[str, int]) -> dict[str, int]:
    """The number of each tier by the (name, number) of the HyperNodes that stand: the one that most of them have.

    Of two as frequent ones the one that is `wanted`, else the lower. Names that are no tier's are left out.
    """
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for name, number in tiers:
        if name in LEVELS:
            counts[name][number] += 1
    return {
        name: min(found, key=lambda number: (-found[number], number != wanted.get(name), number))
        for name, found in counts.items()
    }


def settle_tiers(wanted: Mapping[str, int], standing: Mapping[str, int]) -> dict[str, int]:
    """The table that keeps the numbers that stand: the others are those `wanted` where they fit in between, else next
    to them. A tier for which there is no room (nvlink below a leaf with number 1) has none.

    Where the numbers that stand are no table (somebody edited them), it is the one that is wanted.
    """
    names = [name for name in LEVELS if name in {*wanted, *standing, "leaf", "spine", "core"}]
    table: dict[str, int] = {}
    below = 0
    for place, name in enumerate(names):
        above = min((standing[other] for other in names[place + 1 :] if other in standing), default=None)
        number = standing.get(name) or _between(below, wanted.get(name), above)
        if number is not None:
            table[name] = below = number
    try:
        check_tiers(table)
    except ValueError:
        return dict(wanted)
    return table


def _between(below: int, wanted: int | None, above: int | None) -> int | None:
    """The wanted number, or the next free one; None where there is none."""
    number = wanted if wanted is not None and wanted > below else below + 1
    if above is None or number < above:
        return number
    return below + 1 if below + 1 < above else None


def describe_tiers(tiers: Mapping[str, int], names: Iterable[str]) -> str:
    """`leaf 2, spine 3`: the numbers of these tiers, from the bottom up."""
    listed = set(names)
    return ", ".join(f"{name} {tiers[name]}" for name in LEVELS if name in listed and name in tiers)
