"""`--gang 512x8gpu,64x2cpu` and `--node-resources 8gpu+256cpu` as values.

A class of pods is COUNTxAMOUNT; an amount is one or more NUMBER and UNIT joined by `+`: `18x4gpu+16cpu+64Gi`. Units are
`gpu`, `cpu`, and the binary suffixes of memory.
"""

from __future__ import annotations

import re

from cli.ending import CommandError
from scheduler.kernel.gang import Gang, Mode, PodClass
from scheduler.kernel.quantity import GPU, LARGEST, canonical_amount

_CLASS = re.compile(r"(\d{1,7})x(.+)")
_AMOUNT = re.compile(r"(\d{1,12}(?:\.\d{1,3})?)(gpu|cpu|[KMGTP]i)", re.IGNORECASE)
_EXAMPLE = "write it as in 512x8gpu,64x2cpu or 18x4gpu+16cpu+64Gi"


def read_gang(text: str, mode: Mode, tier: str | None) -> Gang:
    """The gang that `--gang`, `--hard TIER` and `--soft` describe; TIER is a number or a tier's name."""
    classes = tuple(_read_class(part.strip()) for part in text.split(","))
    number = int(tier) if tier is not None and tier.isdecimal() else None
    return Gang(
        name=text,
        classes=classes,
        mode=mode,
        highest_tier=number,
        highest_tier_name=None if number is not None else tier,
    )


def _read_class(part: str) -> PodClass:
    match = _CLASS.fullmatch(part)
    if match is None or not int(match[1]):
        raise CommandError(f"--gang: {part!r} is no class of pods; {_EXAMPLE}")
    return PodClass(name=part, count=int(match[1]), requests=read_amounts(match[2], "--gang"))


def read_amounts(text: str, option: str) -> dict[str, int]:
    """Resource to amount in canonical units. CommandError names the part that is not understood."""
    amounts: dict[str, int] = {}
    for part in text.split("+"):
        match = _AMOUNT.fullmatch(part.strip())
        if match is None:
            raise CommandError(f"{option}: {part!r} is no amount; {_EXAMPLE}")
        resource, quantity = _resource(match[1], match[2])
        if resource in amounts:
            raise CommandError(f"{option}: {text!r} gives {resource} twice; give it once")
        amount = canonical_amount(resource, quantity)
        if not amount or amount > LARGEST or (resource == GPU and "." in quantity):
            raise CommandError(f"{option}: {part!r} is no amount of {resource} that a pod can ask for; {_EXAMPLE}")
        amounts[resource] = amount
    return amounts


def _resource(number: str, unit: str) -> tuple[str, str]:
    match unit.lower():
        case "gpu":
            return GPU, number
        case "cpu":
            return "cpu", number
        case binary:
            return "memory", number + binary.capitalize()
