"""The JSON of `explain` from captured scans; `docs/reference/explain-json.md` describes its keys."""

from __future__ import annotations

import msgspec

from cli.output import json_text
from topology.anomaly import Anomaly


class Level(msgspec.Struct, frozen=True, rename="camel"):
    """One HyperNode that holds what is explained."""

    name: str
    tier: int
    tier_name: str
    nodes: int


class Port(msgspec.Struct, frozen=True, rename="camel"):
    """One port of an adapter and where its cable ends; an adapter without a cable has one row without a port."""

    device: str | None
    guid: str | None
    """The node GUID of the adapter."""
    port: int | None
    switch: str | None
    """Its name, its GUID where it has none; null: no cable to a switch was seen."""
    switch_guid: str | None
    switch_port: int | None
    width: int | None
    speed: str | None


class NodeExplanation(msgspec.Struct, frozen=True, rename="camel", tag_field="kind", tag="node"):
    """Where one node stands and why."""

    name: str
    hyper_nodes: tuple[Level, ...]
    """From the lowest to the root; empty for a node without a place."""
    reason: str | None
    why: str | None
    """Why it has no place, as one word and as a sentence."""
    ports: tuple[Port, ...]
    anomalies: tuple[Anomaly, ...]
    """Those that name it."""
    domain_anomalies: tuple[Anomaly, ...]
    """Those that name a switch of its leaf domain, or one that it hangs on, but not the node."""


class HyperNodeExplanation(msgspec.Struct, frozen=True, rename="camel", tag_field="kind", tag="hypernode"):
    """What one HyperNode is made of."""

    name: str
    hyper_nodes: tuple[Level, ...]
    """Itself, then those above it up to the root."""
    switches: tuple[str, ...]
    members: tuple[str, ...]
    """HyperNodes, or nodes at the lowest tier."""
    member_kind: str
    anomalies: tuple[Anomaly, ...]


class AdapterExplanation(msgspec.Struct, frozen=True, rename="camel", tag_field="kind", tag="adapter"):
    """An adapter that belongs to no node, asked for by its GUID: what it calls itself, and its cables."""

    name: str
    description: str
    ports: tuple[Port, ...]
    anomalies: tuple[Anomaly, ...]


Explanation = NodeExplanation | HyperNodeExplanation | AdapterExplanation


def to_json(explanation: msgspec.Struct) -> str:
    return json_text(explanation)
