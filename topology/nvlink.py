"""NVLink domains over leaf domains: the lowest level of the tree, where some domain spans two or more nodes.

A domain is cluster UUID and clique id, both. It is never split: where most domains span several leaf domains, those
leaf domains become one; otherwise the whole domain stands under the leaf domain that holds most of its nodes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from topology.anomaly import Anomaly, CableEnd

MAX_ALONE = 1000
"""Above this many one-node HyperNodes the level is left out until an operator decides."""

ONE_FABRIC: Mapping[int, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class NvlinkLevel:
    """The NVLink level of one tree."""

    leaf_of_node: Mapping[str, int]
    """By node its leaf domain, after whole NVLink domains were moved or leaf domains were joined."""
    domains: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """NVLink domain to its nodes; empty where the level does not exist."""
    joined: Mapping[int, int] = field(default_factory=dict)
    """Leaf domain to the one that it became part of, because NVLink domains span both."""
    anomalies: tuple[Anomaly, ...] = ()


def settle_nvlink(
    leaf_of_node: Mapping[str, int],
    nvlink: Mapping[str, str | None],
    wanted: bool | None,
    fabric_of_leaf: Mapping[int, int] = ONE_FABRIC,
) -> NvlinkLevel:
    """Lay the NVLink domains over the leaf domains. `wanted` is the operator's word; None decides by the rules.

    Leaf domains of two fabrics never become one; where a domain spans fabrics, that with most of its nodes has it.
    """
    members: dict[str, list[str]] = defaultdict(list)
    for node in sorted(leaf_of_node):
        domain = nvlink.get(node)
        if domain:
            members[domain].append(node)
    spanning = any(len(nodes) > 1 for nodes in members.values())
    if wanted is False or not spanning:
        return NvlinkLevel(leaf_of_node)
    alone = len(leaf_of_node) - sum(len(nodes) for nodes in members.values())
    if wanted is None and alone > MAX_ALONE:
        return NvlinkLevel(leaf_of_node, anomalies=(_left_out(alone),))
    leaves = {domain: Counter(leaf_of_node[node] for node in nodes) for domain, nodes in members.items()}
    home = {domain: _in_one_fabric(found, fabric_of_leaf) for domain, found in leaves.items()}
    joined: dict[int, int] = {}
    if 2 * sum(len(found) > 1 for found in leaves.values()) > len(members):
        joined = _join_leaves(home.values())
    settled = {node: joined.get(leaf, leaf) for node, leaf in leaf_of_node.items()}
    anomalies = []
    for domain, nodes in sorted(members.items()):
        leaf = min(home[domain], key=lambda leaf: (-home[domain][leaf], leaf))
        odd = [node for node in nodes if settled[node] != joined.get(leaf, leaf)]
        if odd:
            settled.update(dict.fromkeys(odd, joined.get(leaf, leaf)))
            anomalies.append(_across(domain, odd))
    return NvlinkLevel(settled, {domain: tuple(nodes) for domain, nodes in members.items()}, joined, tuple(anomalies))


def _in_one_fabric(leaves: Counter[int], fabric_of_leaf: Mapping[int, int]) -> Counter[int]:
    """Those of the leaf domains that are in the fabric with most of the nodes; of two the first."""
    nodes: Counter[int] = Counter()
    for leaf, count in leaves.items():
        nodes[fabric_of_leaf.get(leaf, 0)] += count
    fabric = min(nodes, key=lambda fabric: (-nodes[fabric], fabric))
    return Counter({leaf: count for leaf, count in leaves.items() if fabric_of_leaf.get(leaf, 0) == fabric})


def _join_leaves(shared: Iterable[Counter[int]]) -> dict[int, int]:
    """Leaf domains that share an NVLink domain become one, under the lowest number: each to the one it is now."""
    root: dict[int, int] = {}

    def find(leaf: int) -> int:
        while root.get(leaf, leaf) != leaf:
            leaf = root[leaf]
        return leaf

    for leaves in shared:
        first, *others = sorted(leaves)
        for other in others:
            a, b = sorted((find(first), find(other)))
            root[b] = a
    return {leaf: find(leaf) for leaf in root}


def _across(domain: str, odd: list[str]) -> Anomaly:
    return Anomaly(
        kind="nvlink-across-leaves",
        severity="warning",
        fabric=None,
        where=tuple(CableEnd(node, None, None) for node in odd[:64]),
        detail=f"NVLink domain {domain} is placed under one leaf domain, but {len(odd)} of its nodes are cabled to "
        "another: check the cables of these nodes.",
    )


def _left_out(alone: int) -> Anomaly:
    return Anomaly(
        kind="nvlink-left-out",
        severity="info",
        fabric=None,
        where=(),
        detail=f"{alone} nodes are in no NVLink domain; the nvlink tier would hold a HyperNode for each of them and is "
        "left out until the setting tiers.nvlink says on or off.",
    )
