"""A conclusion from captured scans as the kernel's tree: for questions about a fabric that no cluster has to answer."""

from __future__ import annotations

from collections.abc import Mapping

from scheduler.kernel.quantity import GPU, LARGEST
from scheduler.kernel.snapshot import NodeFacts, Snapshot
from scheduler.kernel.snapshot_build import take_snapshot
from scheduler.kernel.tree import HyperNodeEntry, Tree
from scheduler.kernel.tree_build import build_tree
from topology.conclude import Conclusion

PODS_OF_A_NODE = 110
"""What a kubelet allows unless it is told otherwise."""

Offer = Mapping[str, int | None]
"""What every node of a captured fabric is taken to have, by resource in canonical units; None is without limit."""

DEFAULT_OFFER: Offer = {GPU: 8, "cpu": None, "memory": None}
"""Where nobody says what the nodes have: the GPUs of an HGX board, and of the rest more than any pod asks for."""


def captured_tree(conclusion: Conclusion) -> Tree:
    """The tree over all nodes that are known; those without a place stand outside every HyperNode."""
    hyper_nodes = conclusion.hierarchy.hyper_nodes
    entries = [
        HyperNodeEntry(one.name, one.tier, one.tier_name, one.children, () if one.children else one.nodes)
        for one in hyper_nodes
    ]
    placed = {node for one in hyper_nodes for node in one.nodes}
    return build_tree(entries, placed | {one.node for one in conclusion.unplaced})


def full_offer(resources: Offer) -> Offer:
    """With the pods that a kubelet allows."""
    return {**resources, "pods": PODS_OF_A_NODE}


def captured_snapshot(conclusion: Conclusion, offer: Offer) -> Snapshot:
    """Every node empty, healthy, and with the same resources: a scan says nothing of them."""
    tree = captured_tree(conclusion)
    amounts = {resource: LARGEST if amount is None else amount for resource, amount in offer.items()}
    return take_snapshot(tree, [NodeFacts(str(name), amounts) for name in tree.node_names])
