"""The tree as it stands in the API: our HyperNodes as documents, and as the values that a conclusion goes on from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kube.hypernodes import read_document
from kube.types import HyperNode as HyperNodeObject
from topology.documents import Document
from topology.hierarchy import HyperNode
from topology.links import KnownLinks, read_lost, together
from topology.members import children_first, children_of, nodes_below

LINKS = "hyperscout.io/links"
"""`<unhealthy>/<total>` of its own links, for schedulers."""
LOST_LINKS = "hyperscout.io/lost-links"
"""Its own links that are down, so that a restart forgets none (see `topology.links.write_lost`)."""
NVLINK_DOMAIN = "hyperscout.io/nvlink-domain"
"""`<cluster uuid>.<clique>` of an NVLink domain."""
ADOPTED_AS = "hyperscout.io/adopted-as"
"""Of a HyperNode taken over, until it is first written: the tier whose domain it stands for, "" for none."""
FABRIC = "hyperscout.io/fabric"
"""Of a root: node GUIDs of some switches of the fabric that makes its tree."""
SWITCHES = "hyperscout.io/switches"
"""Of a root that switches stand for: node GUIDs of some of them, as they were last seen."""
ASSUMED = "hyperscout.io/assumed"
"""`true`: some of what stands below it does so because nobody sweeps its switches, and their uplinks are unknown."""
OURS = frozenset({LINKS, LOST_LINKS, NVLINK_DOMAIN, ADOPTED_AS, FABRIC, SWITCHES, ASSUMED})
"""All of them."""
FOR_TREE = frozenset({ADOPTED_AS, FABRIC, SWITCHES})
"""Those that say something of the tree."""

MOST_LOST = 200
"""So many lost links an annotation holds at most."""


def standing_documents(ours: Sequence[HyperNodeObject]) -> tuple[Document, ...]:
    """Our HyperNodes as documents; only annotations that we write count."""
    documents = (read_document(found, Document) for found in ours)
    return tuple(
        replace(document, annotations=tuple(item for item in document.annotations if item[0] in OURS))
        for document in documents
    )


def standing_tree(documents: Sequence[Document]) -> tuple[HyperNode, ...]:
    """The same as HyperNodes of a tree. Of the switches that they stand for the API keeps only what roots are told by:
    GUIDs of some of the fabric's, and as `switches` of some of their own."""
    by_name = {document.name: document for document in documents}
    below = nodes_below(by_name)
    parent = {child: document.name for document in documents for child in children_of(document)}
    return tuple(
        HyperNode(
            name=name,
            fabric=name.partition("-")[0],
            tier=by_name[name].tier,
            tier_name=dict(by_name[name].annotations).get(ADOPTED_AS, by_name[name].tier_name),
            parent=parent.get(name),
            children=tuple(child for child in children_of(by_name[name]) if child in by_name),
            nodes=tuple(sorted(below[name])),
            switches=_listed(by_name[name], SWITCHES),
            switch_guids=_listed(by_name[name], FABRIC),
        )
        for name in children_first(by_name)
    )


def _listed(document: Document, annotation: str) -> tuple[str, ...]:
    return tuple(filter(None, dict(document.annotations).get(annotation, "").split(",")))


def lost_links(documents: Sequence[Document]) -> KnownLinks:
    """All lost links that the annotations remember."""
    return together([read_lost(dict(document.annotations).get(LOST_LINKS, "")) for document in documents])


def remembered_nvlink(documents: Sequence[Document]) -> Mapping[str, str]:
    """Node to the NVLink domain that it was placed by."""
    return {
        node: domain
        for document in documents
        for key, domain in document.annotations
        if key == NVLINK_DOMAIN and document.member_kind == "Node"
        for node in document.members
    }
