"""HyperNode objects read back as documents."""

from __future__ import annotations

import msgspec

from kube.hypernodes import pinned, read_document
from kube.types import HyperNode
from topology.documents import Document, to_manifest

WANTED = Document("leaf-1", 2, "leaf", "Node", ("n1", "n2"), (("hyperscout.io/links", "1/16"),))


def stored(document: Document) -> HyperNode:
    return msgspec.convert(to_manifest(document), HyperNode)


def test_what_was_written_reads_back_the_same() -> None:
    parent = Document("spine-1", 3, "spine", "HyperNode", ("leaf-1", "leaf-2"))
    assert [read_document(stored(one), Document) for one in (WANTED, parent)] == [WANTED, parent]


def test_foreign_annotations_are_not_part_of_the_document() -> None:
    manifest = to_manifest(WANTED)
    manifest["metadata"]["annotations"]["somebody.else/note"] = "x"
    assert read_document(msgspec.convert(manifest, HyperNode), Document) == WANTED


def test_members_that_ours_never_have_make_the_document_differ() -> None:
    manifest = to_manifest(WANTED)
    manifest["spec"]["members"].append({"type": "Node", "selector": {"regexMatch": {"pattern": "n3"}}})
    read = read_document(msgspec.convert(manifest, HyperNode), Document)
    assert read.members == ("<pattern> n3", "n1", "n2")


def test_a_pinned_manifest_changes_only_what_was_read() -> None:
    manifest = to_manifest(WANTED)
    current = msgspec.convert({"metadata": {"name": "leaf-1", "uid": "u", "resourceVersion": "9"}}, HyperNode)
    assert pinned(manifest, current)["metadata"] == {**manifest["metadata"], "uid": "u", "resourceVersion": "9"}
