"""HyperNode documents: what stands in the API server, as values.

A document is the part of a HyperNode object that we own: name, tier, tier name, members, our labels and annotations.
The plan (`topology.plan`) compares two sets of them; `kube` carries them; the map command prints them as manifests.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

import yaml

from topology.hierarchy import Hierarchy, HyperNode

MemberKind = Literal["Node", "HyperNode"]

API_VERSION = "topology.volcano.sh/v1alpha1"
SOURCE_LABEL = "volcano.sh/network-topology-source"
SOURCE = "hyperscout"

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_LONGEST_SUBDOMAIN = 253
_NO_ANNOTATIONS: Mapping[str, Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Document:
    """One HyperNode as it is written. Members are exact names of one kind, sorted."""

    name: str
    tier: int
    tier_name: str
    member_kind: MemberKind
    members: tuple[str, ...]
    annotations: tuple[tuple[str, str], ...] = ()

    @property
    def label(self) -> str:
        """What sentences call it: `leaf ib-leaf-a`; its name alone where its tier has none."""
        return f"{self.tier_name} {self.name}".lstrip()


def is_kubernetes_name(text: str) -> bool:
    """Whether the API server takes it as a name: an RFC 1123 subdomain of at most 253 characters."""
    return len(text) <= _LONGEST_SUBDOMAIN and _SUBDOMAIN.fullmatch(text) is not None


def documents(
    hierarchy: Hierarchy, annotations: Mapping[str, Mapping[str, str]] = _NO_ANNOTATIONS
) -> tuple[Document, ...]:
    """The documents of a tree, children before parents; `annotations` by HyperNode name.

    A HyperNode that no node stands below gets none, because an object without members is refused by Volcano's webhook;
    a node whose name no API server accepts is left out (`unwritable_nodes` names them). A HyperNode with an illegal
    name is a fault of the tree: ValueError.
    """
    written: dict[str, Document] = {}
    for hyper_node in hierarchy.hyper_nodes:
        if not is_kubernetes_name(hyper_node.name):
            raise ValueError(f"HyperNode {hyper_node.name!r}: the tree gave it a name that Kubernetes does not accept")
        members = _members(hyper_node, written)
        if members:
            written[hyper_node.name] = Document(
                name=hyper_node.name,
                tier=hyper_node.tier,
                tier_name=hyper_node.tier_name,
                member_kind="HyperNode" if hyper_node.children else "Node",
                members=members,
                annotations=tuple(sorted(annotations.get(hyper_node.name, {}).items())),
            )
    return tuple(written.values())


def annotated(tree: Iterable[Document], annotations: Mapping[str, Mapping[str, str]]) -> tuple[Document, ...]:
    """The documents with these annotations, by HyperNode name."""
    return tuple(
        replace(document, annotations=tuple(sorted(annotations.get(document.name, {}).items()))) for document in tree
    )


def _members(hyper_node: HyperNode, written: Mapping[str, Document]) -> tuple[str, ...]:
    if hyper_node.children:
        return tuple(sorted(child for child in hyper_node.children if child in written))
    return tuple(sorted(node for node in hyper_node.nodes if is_kubernetes_name(node)))


def unwritable_nodes(hierarchy: Hierarchy) -> tuple[str, ...]:
    """Nodes of the tree whose names cannot be members of a HyperNode (no cluster has a Node of that name), sorted."""
    return tuple(sorted({n for h in hierarchy.hyper_nodes for n in h.nodes if not is_kubernetes_name(n)}))


def to_manifest(document: Document) -> dict[str, Any]:
    """The HyperNode object, ready for JSON: what POST and server-side apply carry."""
    metadata: dict[str, Any] = {"name": document.name, "labels": {SOURCE_LABEL: SOURCE}}
    if document.annotations:
        metadata["annotations"] = dict(document.annotations)
    members = [
        {"type": document.member_kind, "selector": {"exactMatch": {"name": member}}} for member in document.members
    ]
    spec = {"tier": document.tier, "tierName": document.tier_name, "members": members}
    return {"apiVersion": API_VERSION, "kind": "HyperNode", "metadata": metadata, "spec": spec}


class _ManifestDumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]  # libyaml where it is there
    """Quotes every text that some reader of YAML could take for a number or a truth value (`12e4`, `y`)."""


_PLAIN = re.compile("[A-Za-z][A-Za-z0-9_./-]+")


def _represent_text(dumper: Any, text: str) -> Any:  # noqa: ANN401  the two dumpers of PyYAML share no type
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if _PLAIN.fullmatch(text) else '"')


_ManifestDumper.add_representer(str, _represent_text)


def manifests_yaml(tree: Iterable[Document]) -> str:
    """One YAML text, ready for `kubectl apply -f -`: an object a document, in the order given (children first)."""
    manifests = [to_manifest(document) for document in tree]
    return str(yaml.dump_all(manifests, Dumper=_ManifestDumper, sort_keys=False, explicit_start=True))
