"""The setting `nodes.labels` in its words: our own keys, those of topograph, or one key of a tier."""

from __future__ import annotations

from collections.abc import Iterable

from controller.nodes.marks import TIERS, TOPOGRAPH, check_label

OWN, THEIRS = "hyperscout", "topograph"


def read_labels(words: Iterable[str]) -> tuple[bool, dict[str, str]]:
    """Whether our own keys are wanted, and the keys of others with their tiers; ValueError for a word that is none."""
    own, others = False, dict[str, str]()
    for word in words:
        tier, equals, key = word.partition("=")
        if word == OWN:
            own = True
        elif word == THEIRS:
            others |= TOPOGRAPH
        elif not equals:
            raise ValueError(f"{word!r} is none of {OWN}, {THEIRS} and TIER=KEY")
        elif tier not in TIERS:
            raise ValueError(f"{word!r} names no tier: use nvlink, leaf, spine, core, core2 …")
        else:
            check_label(key)
            if others.get(key, tier) != tier:
                raise ValueError(f"the label {key} would stand for two tiers, {others[key]} and {tier}")
            others[key] = tier
    return own, others


def check_labels(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words as they are; ValueError where they cannot be read."""
    read_labels(words)
    return words
