"""From the tree to what kubectl applies."""

from __future__ import annotations

import pytest
import yaml

from topology.documents import Document, documents, is_kubernetes_name, manifests_yaml, to_manifest, unwritable_nodes
from topology.hierarchy import Hierarchy, HyperNode


def hyper_node(name: str, nodes: tuple[str, ...], children: tuple[str, ...] = (), tier: int = 2) -> HyperNode:
    return HyperNode(
        name=name, fabric="ib", tier=tier, tier_name="leaf" if tier == 2 else "spine", parent=None, children=children,
        nodes=nodes, switches=(), switch_guids=(),
    )  # fmt: skip


TREE = Hierarchy(
    (
        hyper_node("ib-leaf-a", ("n2", "n1")),
        hyper_node("ib-leaf-b", ("n3",)),
        hyper_node("ib-spine-p", ("n1", "n2", "n3"), children=("ib-leaf-b", "ib-leaf-a"), tier=3),
    )
)


def test_members_are_sorted_exact_names() -> None:
    leaf_a, _, spine = documents(TREE)
    assert leaf_a == Document("ib-leaf-a", 2, "leaf", "Node", ("n1", "n2"))
    assert spine == Document("ib-spine-p", 3, "spine", "HyperNode", ("ib-leaf-a", "ib-leaf-b"))


def test_annotations_are_given_by_name() -> None:
    written = documents(TREE, {"ib-leaf-a": {"hyperscout.io/links": "1/16"}})
    assert [document.annotations for document in written] == [(("hyperscout.io/links", "1/16"),), (), ()]


def test_a_domain_without_nodes_is_not_written_and_its_parent_does_not_list_it() -> None:
    empty = Hierarchy(
        (
            hyper_node("full", ("n1",)),
            hyper_node("empty", ()),
            hyper_node("over-empty", (), ("empty",), tier=3),
            hyper_node("over-both", ("n1",), ("empty", "full"), tier=3),
        )
    )
    assert [(document.name, document.members) for document in documents(empty)] == [
        ("full", ("n1",)),
        ("over-both", ("full",)),
    ]


def test_a_node_that_no_cluster_can_have_is_left_out_and_named() -> None:
    tree = Hierarchy((hyper_node("leaf", ("good-1", "bad_2")),))
    assert documents(tree)[0].members == ("good-1",)
    assert unwritable_nodes(tree) == ("bad_2",)


def test_an_illegal_hyper_node_name_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="Leaf_A"):
        documents(Hierarchy((hyper_node("Leaf_A", ("n1",)),)))


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("a", True), ("a-b.c9", True), ("0", True), ("a" * 253, True), ("a" * 254, False), ("", False), ("A", False),
        ("a_b", False), ("-a", False), ("a-", False), ("a..b", False), ("a.-b", False), ("a\n", False), ("é", False),
    ],
)  # fmt: skip
def test_names_are_legal_as_kubernetes_has_it(name: str, legal: bool) -> None:
    assert is_kubernetes_name(name) is legal


def test_a_manifest_has_what_volcano_asks_for() -> None:
    document = Document("leaf-a", 2, "leaf", "Node", ("n1",), (("hyperscout.io/links", "0/8"),))
    assert to_manifest(document) == {
        "apiVersion": "topology.volcano.sh/v1alpha1",
        "kind": "HyperNode",
        "metadata": {
            "name": "leaf-a",
            "labels": {"volcano.sh/network-topology-source": "hyperscout"},
            "annotations": {"hyperscout.io/links": "0/8"},
        },
        "spec": {
            "tier": 2,
            "tierName": "leaf",
            "members": [{"type": "Node", "selector": {"exactMatch": {"name": "n1"}}}],
        },
    }


def test_the_yaml_is_the_manifests_children_first() -> None:
    text = manifests_yaml(documents(TREE))
    assert text.startswith("---\napiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\nmetadata:\n")
    assert list(yaml.safe_load_all(text)) == [to_manifest(document) for document in documents(TREE)]
    assert manifests_yaml(()) == ""


def test_names_that_a_reader_could_take_for_a_number_or_a_truth_value_are_quoted() -> None:
    text = manifests_yaml([Document("x", 2, "leaf", "Node", ("0123", "12e4", "no", "y"))])
    assert [line.split(": ", 1)[1] for line in text.splitlines() if " name: " in line] == [
        '"x"', '"0123"', '"12e4"', "'no'", '"y"',
    ]  # fmt: skip
