"""What every root HyperNode tells of its fabric: a few of its switches, so that no faster fabric takes over its nodes.

Which fabric makes the tree is a choice that jobs and operators rely on; it is kept in the API and outlives a restart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from controller.conclusion.standing import FABRIC, SWITCHES
from topology.documents import Document
from topology.hierarchy import Hierarchy

MOST = 3
"""So many are named: one that is replaced loses nothing."""


def fabric_notes(hierarchy: Hierarchy, standing: Sequence[Document]) -> dict[str, str]:
    """By root. What stands stays while all of its switches are there, or none is known."""
    told = {document.name: dict(document.annotations).get(FABRIC, "") for document in standing}
    parent = {found.name: found.parent for found in hierarchy.hyper_nodes}
    guids: dict[str, set[str]] = defaultdict(set)
    for found in hierarchy.hyper_nodes:
        root = found.name
        while (above := parent.get(root)) is not None:
            root = above
        guids[root].update(guid for guid in found.switch_guids if guid)
    notes = {root: _note(told.get(root, ""), among) for root, among in guids.items()}
    return {root: note for root, note in notes.items() if note}


def switch_notes(hierarchy: Hierarchy, standing: Sequence[Document]) -> dict[str, str]:
    """By root that switches stand for: some of them. A root that is kept without any in sight keeps what it told."""
    told = {document.name: dict(document.annotations).get(SWITCHES, "") for document in standing}
    notes = {
        found.name: _note(told.get(found.name, ""), {guid for guid in found.switch_guids if guid})
        for found in hierarchy.hyper_nodes
        if found.parent is None
    }
    return {root: note for root, note in notes.items() if note}


def _note(told: str, among: set[str]) -> str:
    if told and (not among or among.issuperset(told.split(","))):
        return told
    return ",".join(sorted(among)[:MOST])
