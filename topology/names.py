"""Names of HyperNodes: from what the switches of a domain are called, stable when a cable or a switch changes.

A name is `<fabric>-<tierName>-<stem>`. The stem is what the names of nearly all switches of the domain have in common;
where that is not unique or says nothing, the smallest GUID stands in. Names that exist are kept by membership overlap.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

AGREE = 0.75
"""A part of a name belongs to the stem where this share of the domain's switches has it."""

MAX_NAME = 63

_RUNS = re.compile(r"[A-Za-z]+|[0-9]+|[^A-Za-z0-9]+")
_ILLEGAL = re.compile(r"[^a-z0-9]+")
_FACTORY = re.compile(
    r"switch-[0-9a-f]{6,}|mt[0-9]{4,}|quantum|switchib|infiniscale|connectx|mellanox|nvidia|localhost|unknown|[0-9a-f]{12,16}"
)


def stem_of(names: Sequence[str]) -> str | None:
    """What these switch names have in common, legal in a Kubernetes name; None where that says nothing."""
    if not names or not all(names):
        return None
    runs = [_RUNS.findall(name) for name in names]
    length, times = Counter(map(len, runs)).most_common(1)[0]
    if times < AGREE * len(names):
        return None
    alike = [run for run in runs if len(run) == length]
    kept: list[str] = []
    agreed = True
    for position in range(length):
        text, seen = Counter(run[position] for run in alike).most_common(1)[0]
        apart = not text[0].isalnum()
        agreed = apart or (agreed and seen >= AGREE * len(names))  # a word is kept up to where it differs
        kept.append("-" if apart else text if agreed else "")
    stem = legal("".join(kept))
    if not stem or not any(letter.isalpha() for letter in stem) or _FACTORY.search(stem):
        return None
    return stem


def legal(text: str) -> str:
    """The text as part of a Kubernetes name: lower case, single dashes, nothing else."""
    return _ILLEGAL.sub("-", text.lower()).strip("-")


def cut(name: str) -> str:
    """At most 63 characters; a longer name keeps its end, where names of one kind differ."""
    if len(name) <= MAX_NAME:
        return name
    head = name.split("-", 2)
    start = "-".join(head[:2])
    return f"{start}-{name[-(MAX_NAME - len(start) - 1) :].strip('-')}"


def nvlink_stems(domains: Iterable[str]) -> dict[str, str]:
    """What to call each NVLink domain (`<cluster uuid>.<clique>`): the first block of its UUID and the clique.

    Domains that would be called the same get more blocks, so a name follows from the set of domains and not its order.
    """
    stems: dict[str, str] = {}
    rest = sorted(set(domains))
    for blocks in range(1, max((domain.count("-") for domain in rest), default=0) + 2):
        found = {domain: _first_blocks(domain, blocks) for domain in rest}
        stems.update(found)
        times = Counter(found.values())
        rest = [domain for domain in rest if times[found[domain]] > 1]
    return stems


def _first_blocks(domain: str, blocks: int) -> str:
    uuid, _, clique = domain.partition(".")
    return legal("-".join([*uuid.split("-")[:blocks], clique]))


def keep_names(
    fresh: Sequence[str], members: Sequence[frozenset[str]], previous: Mapping[str, frozenset[str]]
) -> list[str]:
    """Give each domain the name it had: the earlier one that shares most members, and more than half of one of them.

    `previous` is the tier as it stands, name to members. A fresh name that is taken by then gets a number.
    """
    holder: dict[str, list[str]] = {}
    for name, nodes in previous.items():
        for node in nodes:
            holder.setdefault(node, []).append(name)
    overlaps: list[tuple[int, str, int]] = []
    for position, nodes in enumerate(members):
        common = Counter(name for node in nodes for name in holder.get(node, ()))
        for name, times in common.items():
            if 2 * times > min(len(nodes), len(previous[name])):
                overlaps.append((-times, name, position))
    names: list[str | None] = [None] * len(fresh)
    taken: set[str] = set()
    for _, name, position in sorted(overlaps, key=lambda found: (found[0], found[1] != fresh[found[2]], found[1:])):
        if names[position] is None and name not in taken:
            names[position] = name
            taken.add(name)
    chosen = []
    for kept, new in zip(names, fresh, strict=True):
        name = kept or _free(new, taken)
        taken.add(name)
        chosen.append(name)
    return chosen


def _free(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    number = 2
    while cut(f"{name}-{number}") in taken:
        number += 1
    return cut(f"{name}-{number}")
