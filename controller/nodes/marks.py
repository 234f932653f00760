"""What we leave on Nodes: every key of it, and which of what a Node carries is ours. Who removes it looks here, too.

Labels under our own keys are ours. Under a key of others a label is ours while the annotation `WRITTEN` says that we
wrote it and with which value: once somebody gives it another value it is theirs. Where somebody spoilt the annotation,
labels that have the value that they should have are ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from topology.health import FABRIC_HEALTHY
from topology.hierarchy import tier_name

DOMAIN = "hyperscout.io/"
TAINT = f"{DOMAIN}fabric-unhealthy"
CONDITION = FABRIC_HEALTHY
WRITTEN = f"{DOMAIN}written-labels"
"""Annotation: `key=value,key=value`, the labels that we wrote under keys of others."""

TIERS = ("nvlink", *map(tier_name, range(32)))
OWN_LABELS = frozenset(DOMAIN + tier for tier in TIERS)
"""`hyperscout.io/<tier>`: the name of the HyperNode of that tier that the node is in."""
TOPOGRAPH: Mapping[str, str] = {
    f"network.topology.nvidia.com/{name}": tier
    for name, tier in (("accelerator", "nvlink"), ("leaf", "leaf"), ("spine", "spine"), ("core", "core"))
}
"""The keys that topograph writes where nobody configured others, each with our tier."""

_NAME = re.compile(r"[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?")
_PREFIX = re.compile(r"(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_RESERVED = ("kubernetes.io", "k8s.io", "hyperscout.io")


def check_label(key: str) -> None:
    """ValueError, in a sentence, for a key of others that no label can have, or that somebody else must write."""
    prefix, slash, name = key.rpartition("/")
    if not _NAME.fullmatch(name) or (slash and not _PREFIX.fullmatch(prefix)):
        raise ValueError(f"{key!r} is no label key: it is NAME or DOMAIN/NAME, the name of at most 63 characters")
    if any(prefix == domain or prefix.endswith(f".{domain}") for domain in _RESERVED):
        raise ValueError(f"the label {key} is not free: keys under {', '.join(_RESERVED)} have a meaning already")


def read_written(annotations: Mapping[str, str]) -> dict[str, str]:
    """The labels that we wrote under keys of others, as the annotation has them."""
    pairs = (word.partition("=") for word in annotations.get(WRITTEN, "").split(","))
    return {key: value for key, equals, value in pairs if equals}


def spell_written(labels: Mapping[str, str]) -> str:
    """The reverse; "" for none."""
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items()))


def is_spoilt(annotations: Mapping[str, str]) -> bool:
    """Whether the annotation is there and is not as we spell it."""
    written = read_written(annotations)
    legal = all(_NAME.fullmatch(value) for value in written.values())
    return not legal or spell_written(written) != annotations.get(WRITTEN, "")


def our_labels(labels: Mapping[str, str], annotations: Mapping[str, str]) -> frozenset[str]:
    """The keys of all labels of a Node that are ours."""
    written = read_written(annotations)
    return OWN_LABELS.intersection(labels) | {key for key, value in written.items() if labels.get(key) == value}


def with_taint(taints: Iterable[Mapping[str, Any]], effect: str) -> list[Mapping[str, Any]]:
    """A Node's list of taints with ours of that effect alone, or without ours (""); those of others as they are."""
    kept = [taint for taint in taints if taint.get("key") != TAINT]
    return [*kept, {"key": TAINT, "effect": effect}] if effect else kept
