"""Labels of Nodes: the name of the HyperNode that a node is in, tier by tier. What should stand, and what differs.

Pure. A label that others set under a key of theirs is never overwritten: it is left, and told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from controller.nodes.marks import DOMAIN, OWN_LABELS, WRITTEN, is_spoilt, our_labels, read_written, spell_written
from controller.settings import NodeMarks
from topology.hierarchy import Hierarchy, HyperNode

LONGEST = 63
_DIGITS = 10


@dataclass(frozen=True, slots=True)
class Labels:
    """All labels that a node should have from us, and the annotation that goes with them."""

    own: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)
    """Under keys of others."""
    both: Mapping[str, str] = field(init=False)
    written: str = field(init=False)
    """The annotation where none of `others` is taken."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "both", {**self.own, **self.others})
        object.__setattr__(self, "written", spell_written(self.others))


NONE = Labels()


@dataclass(frozen=True, slots=True)
class LabelChange:
    """What to write: labels and the annotation, None removes; and which keys are left to others, with their value."""

    labels: Mapping[str, str | None]
    written: str | None
    taken: Mapping[str, str]

    @property
    def changes(self) -> bool:
        """Whether anything is to be written."""
        return bool(self.labels) or self.written is not None

    def body(self) -> dict[str, dict[str, object]]:
        """As metadata of a merge patch."""
        annotations = {} if self.written is None else {WRITTEN: self.written or None}
        return {"metadata": {"labels": dict(self.labels), "annotations": annotations}}


def value_of(name: str) -> str:
    """A HyperNode's name as the value of a label: a longer one is cut, and ends in digits that tell it from others."""
    if len(name) <= LONGEST:
        return name
    digits = sha256(name.encode()).hexdigest()[:_DIGITS]
    return f"{name[: LONGEST - _DIGITS - 1].rstrip('-.')}-{digits}"


def wanted_labels(tree: Hierarchy, settings: NodeMarks) -> dict[str, Labels]:
    """By node; nodes of one domain share one value."""
    if not (settings.labels or settings.other_labels):
        return {}
    by_name = {found.name: found for found in tree.hyper_nodes}
    wanted: dict[str, Labels] = {}
    for found in tree.hyper_nodes:
        if not found.children:
            wanted |= dict.fromkeys(found.nodes, _labels(_chain(found, by_name), settings))
    return wanted


def _chain(lowest: HyperNode, by_name: Mapping[str, HyperNode]) -> dict[str, str]:
    """Tier to the label's value, from the lowest HyperNode up."""
    values: dict[str, str] = {}
    found: HyperNode | None = lowest
    while found is not None:
        values[found.tier_name] = value_of(found.name)
        found = by_name.get(found.parent) if found.parent is not None else None
    return values


def _labels(values: Mapping[str, str], settings: NodeMarks) -> Labels:
    own = {DOMAIN + tier: value for tier, value in values.items()} if settings.labels else {}
    others = {key: values[tier] for key, tier in settings.other_labels.items() if tier in values}
    return Labels(own, others)


def stand(labels: Mapping[str, str], annotations: Mapping[str, str], wanted: Labels) -> bool:
    """Whether a Node has them all, written by us, and none of ours beside. Asked of every Node at every look."""
    if annotations.get(WRITTEN, "") != wanted.written or not wanted.both.items() <= labels.items():
        return False
    return len(OWN_LABELS.intersection(labels)) == len(wanted.own) if wanted.own else OWN_LABELS.isdisjoint(labels)


def change_labels(labels: Mapping[str, str], annotations: Mapping[str, str], wanted: Labels) -> LabelChange:
    """From what a Node has to what it should have from us."""
    ours, before = our_labels(labels, annotations), annotations.get(WRITTEN, "")
    if is_spoilt(annotations):
        ours |= {key for key, value in wanted.others.items() if labels.get(key) == value}
    written = {key: value for key, value in read_written(annotations).items() if key in ours}
    free = {key: value for key, value in wanted.others.items() if key in ours or key not in labels}
    taken = {key: labels[key] for key, value in wanted.others.items() if key not in free and labels[key] != value}
    should = {**wanted.own, **free}
    new: dict[str, str | None] = {key: value for key, value in should.items() if labels.get(key) != value}
    new |= dict.fromkeys(sorted((OWN_LABELS.intersection(labels) | written.keys()) - should.keys()))
    after = spell_written(free)
    return LabelChange(new, after if after != before else None, taken)
