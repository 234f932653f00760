"""What if: place a gang that nobody has submitted, on a cluster changed in thought.

The same `place` as the scheduler's, on a snapshot from which nodes are taken away. The gang comes from a short text
such as `512x8gpu,64x2cpu+16Gi`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from scheduler.kernel.gang import Gang, PodClass
from scheduler.kernel.outcome import Placement, Refusal
from scheduler.kernel.placement import place
from scheduler.kernel.quantity import GPU, LARGEST, QuantityError, canonical_amount
from scheduler.kernel.snapshot import Snapshot, SnapshotError, leave_out

_CLASS = re.compile(r"([0-9]+)\s*[xX]\s*(.+)")
_AMOUNT = re.compile(r"([0-9]*\.?[0-9]+)\s*([A-Za-z].*)")
MOST_PODS = 999_999_999
"""Of one class: far more than any cluster has."""
_FORM = "write COUNTxAMOUNTUNIT, such as 512x8gpu,64x2cpu+16Gi"
_AMOUNT_FORM = "write AMOUNTUNIT, such as 8gpu+2cpu+16Gi"
_MEMORY_SUFFIXES = ("Ki", "Mi", "Gi", "Ti", "Pi")
_UNITS: Mapping[str, tuple[str, str]] = {
    "gpu": (GPU, ""),
    "gpus": (GPU, ""),
    "cpu": ("cpu", ""),
    "cpus": ("cpu", ""),
    "mem": ("memory", "Gi"),
    "memory": ("memory", "Gi"),
}
"""Unit to resource and the suffix that its number is read with."""


class GangTextError(ValueError):
    """A gang text that cannot be read; the message is a sentence that says where and what is expected."""


def parse_gang_text(text: str) -> tuple[PodClass, ...]:
    """Read `512x8gpu,64x2cpu+16Gi`: classes parted by commas, the amounts of one class by plus signs.

    Each class is named by its part of the text. Raises GangTextError.
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 100:
        raise GangTextError(f"the gang has {len(parts)} classes of pods; at most 100 are read")
    return tuple(_parse_class(part) for part in parts)


def parse_amounts(text: str) -> dict[str, int]:
    """Read `2cpu+16Gi`: resource to amount in canonical units, each given once.

    Units, in any case: gpu (nvidia.com/gpu), cpu (cores, parts allowed), mem or memory (Gi), Ki to Pi (memory); or the
    whole name of an extended resource (`2rdma/hca`). Raises GangTextError.
    """
    amounts: dict[str, int] = {}
    for amount in text.split("+"):
        resource, value = _parse_amount(amount.strip(), text)
        if resource in amounts:
            raise GangTextError(f"{text!r} gives {resource} twice")
        amounts[resource] = value
    return amounts


def what_if(
    snapshot: Snapshot, gang: Gang, drain: Iterable[str] = (), without: Iterable[str] = ()
) -> Placement | Refusal:
    """Place the gang as if all nodes of the HyperNodes `drain` and the nodes `without` were taken away.

    Raises SnapshotError for a HyperNode or node that the snapshot does not know.
    """
    tree = snapshot.tree
    gone = list(without)
    for name in drain:
        domain = tree.index.get(name)
        if domain is None:
            raise SnapshotError(f"no HyperNode is named {name}")
        gone.extend(tree.node_names[int(tree.start[domain]) : int(tree.end[domain])])
    return place(leave_out(snapshot, gone), gang)


def _parse_class(part: str) -> PodClass:
    match = _CLASS.fullmatch(part)
    if match is None:
        raise GangTextError(f"{_cut(part)!r} is no class of pods: {_FORM}")
    digits = match[1].lstrip("0")
    if not digits:
        raise GangTextError(f"{part!r} asks for no pods at all: the count must be 1 or more")
    if len(digits) > len(str(MOST_PODS)):
        raise GangTextError(f"{_cut(part)!r} asks for too many pods: a class has at most {MOST_PODS:,}")
    count = int(digits)
    return PodClass(part, count, parse_amounts(match[2]))


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"


def _parse_amount(text: str, part: str) -> tuple[str, int]:
    match = _AMOUNT.fullmatch(text)
    if match is None:
        raise GangTextError(f"{text!r} in {part!r} is no amount with a unit: {_AMOUNT_FORM}")
    number, unit = match[1], match[2].strip()
    if unit.capitalize() in _MEMORY_SUFFIXES:
        resource, suffix = "memory", unit.capitalize()
    elif unit.lower() in _UNITS:
        resource, suffix = _UNITS[unit.lower()]
    elif "/" in unit:
        resource, suffix = unit, ""
    else:
        known = f"{', '.join(_UNITS)}, {', '.join(_MEMORY_SUFFIXES)} or the whole name of a resource"
        raise GangTextError(f"unit {unit!r} in {part!r} is not known: {known}")
    return resource, _canonical(resource, number, suffix, part)


def _canonical(resource: str, number: str, suffix: str, part: str) -> int:
    if "." in number and resource not in ("cpu", "memory"):
        raise GangTextError(f"{number} {resource} in {part!r}: only cpu and memory can be asked for in parts")
    try:
        value = canonical_amount(resource, number + suffix)
    except QuantityError as error:
        raise GangTextError(f"{number}{suffix} {resource} in {part!r} cannot be read: {error}") from error
    if not 0 < value <= LARGEST:
        raise GangTextError(f"{number}{suffix} {resource} in {part!r} is not an amount that a node could have")
    return value
