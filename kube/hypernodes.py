"""HyperNode documents to and from the wire. `topology.documents.Document` is the document, `to_manifest` its wire form.

This room does not know the topology room, so a document is made by the constructor that is given.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Protocol, TypeVar

from kube.hypernode import HyperNode, Member
from kube.meta import Body

ANNOTATION_DOMAIN = "hyperscout.io/"
"""Annotations under it are ours; others on our objects are left alone."""

MemberKind = Literal["Node", "HyperNode"]
D_co = TypeVar("D_co", covariant=True)


class MakeDocument(Protocol[D_co]):
    """The constructor of a document (`topology.documents.Document`)."""

    def __call__(
        self,
        *,
        name: str,
        tier: int,
        tier_name: str,
        member_kind: MemberKind,
        members: tuple[str, ...],
        annotations: tuple[tuple[str, str], ...],
    ) -> D_co: ...


def pinned(manifest: Body, current: HyperNode) -> Body:
    """A manifest that changes only the object as it was read: with its uid and resourceVersion (else Conflict)."""
    identity = {"uid": current.metadata.uid, "resourceVersion": current.metadata.resource_version}
    return {**manifest, "metadata": {**manifest["metadata"], **identity}}


def read_document(hyper_node: HyperNode, make: MakeDocument[D_co]) -> D_co:
    """A HyperNode as document: `read_document(hyper_node, Document)`.

    A member that ours never have (a pattern, labels, the other kind) becomes a name that no object can have: the
    document then differs from the one that is wanted, and is written again.
    """
    kinds = {member.type for member in hyper_node.spec.members}
    kind: MemberKind = "HyperNode" if kinds == {"HyperNode"} else "Node"
    annotations = hyper_node.metadata.annotations.items()
    return make(
        name=hyper_node.metadata.name,
        tier=hyper_node.spec.tier,
        tier_name=hyper_node.spec.tier_name,
        member_kind=kind,
        members=tuple(sorted(_member_names(hyper_node.spec.members, kind))),
        annotations=tuple(sorted(item for item in annotations if item[0].startswith(ANNOTATION_DOMAIN))),
    )


def _member_names(members: Iterable[Member], kind: MemberKind) -> Iterable[str]:
    for member in members:
        selector = member.selector
        if selector.exact_match is not None and member.type == kind:
            yield selector.exact_match.name
        elif selector.exact_match is not None:
            yield f"<{member.type}> {selector.exact_match.name}"
        elif selector.regex_match is not None:
            yield f"<pattern> {selector.regex_match.pattern}"
        else:
            yield "<labels>"
