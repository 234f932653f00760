"""What can be explained, and what people call it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from cli.ending import CommandError


class Kind(StrEnum):
    """What can be explained."""

    NODE = "node"
    HYPER_NODE = "hypernode"
    POD = "pod"
    POD_GROUP = "podgroup"


SHORT: Mapping[Kind, str] = {Kind.NODE: "no", Kind.HYPER_NODE: "hn", Kind.POD: "po", Kind.POD_GROUP: "pg"}
"""As kubectl has them."""

KINDS = ", ".join(f"{kind} ({short})" for kind, short in SHORT.items())


def kind_of(typed: str) -> Kind:
    """The kind, in any case, in the plural or short. CommandError for any other word."""
    word = typed.lower()
    for kind, short in SHORT.items():
        if word in (kind, f"{kind}s", short):
            return kind
    raise CommandError(f"{typed!r} is nothing that can be explained; give one of {KINDS}")
