"""Amounts of resources as whole numbers: the canonical unit of each, and how quantities are read and shown.

Canonical units: milli-CPU for `cpu`, bytes for memory, storage and huge pages, whole numbers for everything else. Parts
of a unit are rounded up, as kube-scheduler does (Quantity.MilliValue, Quantity.Value), for requests and for what a node
has alike.
"""

from __future__ import annotations

import re
from fractions import Fraction

GPU = "nvidia.com/gpu"
LARGEST = 2**62
"""A node that says it has more is taken to have this, a pod that asks for more is refused: sums stay 64-bit."""

_QUANTITY = re.compile(
    r"([+-]?(?:[0-9]{1,64}(?:\.[0-9]{0,64})?|\.[0-9]{1,64}))(?:([eE][+-]?[0-9]{1,3})|([A-Za-z]{0,2}))"
)
_SUFFIXES = {
    "": Fraction(1),
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 10**3),
    **{suffix: Fraction(1000) ** power for power, suffix in enumerate(("k", "M", "G", "T", "P", "E"), start=1)},
    **{suffix: Fraction(1024) ** power for power, suffix in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), start=1)},
}


class QuantityError(ValueError):
    """A text that is no Kubernetes quantity; the message says which."""


def parse_quantity(text: str) -> Fraction:
    """The exact value of a Kubernetes quantity (`500m`, `64Gi`, `1e3`). Raises QuantityError."""
    match = _QUANTITY.fullmatch(text)
    if match is None or (match[3] or "") not in _SUFFIXES:
        raise QuantityError(f"{text!r} is no quantity: a number with a suffix such as m, k, M, G, Ki, Mi or Gi")
    exponent = Fraction(10) ** int(match[2][1:]) if match[2] else Fraction(1)
    return Fraction(match[1]) * exponent * _SUFFIXES[match[3] or ""]


def canonical_amount(resource: str, quantity: str) -> int:
    """A quantity of a resource in its canonical unit, rounded up. Raises QuantityError."""
    value = parse_quantity(quantity)
    return -int(-(value * 1000 if resource == "cpu" else value) // 1)


def show_amount(resource: str, amount: int) -> str:
    """An amount for people: `2 cpu`, `1.5 cpu`, `64Gi memory`, `8 nvidia.com/gpu`."""
    return f"{show_number(resource, amount)} {resource}"


def show_number(resource: str, amount: int) -> str:
    """An amount for people without the name of its resource: `1.5`, `64Gi`."""
    if resource == "cpu":
        return str(amount // 1000 if amount % 1000 == 0 else amount / 1000)
    if in_bytes(resource):
        for suffix in ("Ti", "Gi", "Mi", "Ki"):
            unit = int(_SUFFIXES[suffix])
            if abs(amount) >= unit:
                return f"{amount // unit if amount % unit == 0 else round(amount / unit, 1)}{suffix}"
    return str(amount)


def counted(number: int, noun: str) -> str:
    """`1 pod`, `2 pods`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def in_bytes(resource: str) -> bool:
    """True for the resources whose unit is a byte."""
    return resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-")
