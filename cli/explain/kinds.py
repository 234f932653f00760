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


ALSO: Mapping[Kind, tuple[str, ...]] = {
    Kind.NODE: ("no",),
    Kind.HYPER_NODE: ("hn",),
    Kind.POD: ("po",),
    Kind.POD_GROUP: ("pg", "gang"),
}
"""As kubectl has them, and as people say."""

KINDS = ", ".join(f"{kind} ({', '.join(words)})" for kind, words in ALSO.items())


def kind_of(typed: str) -> Kind:
    """The kind, in any case, in the plural or short. CommandError for any other word."""
    word = typed.lower()
    for kind, words in ALSO.items():
        if word in (kind, f"{kind}s", *words, *(f"{other}s" for other in words if len(other) > 2)):
            return kind
    raise CommandError(f"{typed!r} is nothing that can be explained; give one of {KINDS}")
