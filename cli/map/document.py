"""The JSON of `map`. Its keys are a promise to scripts: `docs/reference/map-json.md` describes them."""

from __future__ import annotations

import msgspec

from cli.map.counts import HostCount, count_hosts
from cli.output import json_text
from topology.anomaly import Anomaly
from topology.conclude import Conclusion
from topology.graph import Unplaced
from topology.hierarchy import HyperNode
from topology.structure import Fabric


class FabricRow(msgspec.Struct, frozen=True, rename="camel"):
    """One fabric, in counts."""

    name: str
    kind: str
    """infiniband or ethernet"""
    role: str
    """compute, storage, management or unknown"""
    rule: str
    planes: int
    switches: int
    hosts: int
    nameless_adapters: int
    links: int


class HyperNodeRow(msgspec.Struct, frozen=True, rename="camel"):
    """One HyperNode: all nodes below it, and the switches of its own domain."""

    name: str
    fabric: str
    tier: int
    tier_name: str
    parent: str | None
    nodes: tuple[str, ...]
    switches: tuple[str, ...]


class MapDocument(msgspec.Struct, frozen=True, rename="camel"):
    """The whole answer."""

    fabrics: tuple[FabricRow, ...]
    hyper_nodes: tuple[HyperNodeRow, ...]
    anomalies: tuple[Anomaly, ...]
    unplaced: tuple[Unplaced, ...]


def map_document(conclusion: Conclusion) -> MapDocument:
    counts = count_hosts(conclusion)
    return MapDocument(
        fabrics=tuple(map(_fabric, conclusion.structure.fabrics, counts)),
        hyper_nodes=tuple(_hyper_node(one) for one in conclusion.hierarchy.hyper_nodes),
        anomalies=conclusion.anomalies,
        unplaced=conclusion.unplaced,
    )


def to_json(conclusion: Conclusion) -> str:
    return json_text(map_document(conclusion))


def _fabric(fabric: Fabric, count: HostCount) -> FabricRow:
    return FabricRow(
        name=fabric.name,
        kind=fabric.link_layer,
        role=fabric.role,
        rule=fabric.rule,
        planes=fabric.planes,
        switches=len(fabric.switches),
        hosts=count.named,
        nameless_adapters=count.nameless_adapters,
        links=fabric.links,
    )


def _hyper_node(one: HyperNode) -> HyperNodeRow:
    return HyperNodeRow(one.name, one.fabric, one.tier, one.tier_name, one.parent, one.nodes, one.switches)
