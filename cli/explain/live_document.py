"""The JSON of `explain` from the live cluster; `docs/reference/explain-json.md` describes its keys."""

from __future__ import annotations

from datetime import datetime

import msgspec


class State(msgspec.Struct, frozen=True, rename="camel"):
    """A condition, as far as it is worth reading."""

    type: str
    status: str
    reason: str
    message: str


class Story(msgspec.Struct, frozen=True, rename="camel"):
    """One Event about the object."""

    type: str
    reason: str
    message: str


class LiveLevel(msgspec.Struct, frozen=True, rename="camel"):
    """One HyperNode that holds what is explained."""

    name: str
    tier: int | None
    label: str
    """The tier for people: `tier 2 (leaf)`."""
    nodes: int
    conditions: tuple[State, ...]
    links: int | None
    unhealthy_links: int | None
    """Its own links; null: its annotation does not say."""
    assumed: bool
    """Some of what stands below it does so because nobody sweeps its switches."""


class FarEnd(msgspec.Struct, frozen=True, rename="camel"):
    """What stands at the other end of a cable."""

    switch: str | None
    """Its name, or else its GUID or chassis id."""
    port: str | None
    source: str
    """SwitchReport: as the switch was read; LLDP: as the node hears it."""


class ReportedPort(msgspec.Struct, frozen=True, rename="camel"):
    """One port as the node's own agent reports it."""

    device: str
    port: int
    verdict: str | None
    reason: str | None
    state: str | None
    physical_state: str | None
    link_layer: str | None
    width: int | None
    speed: str | None
    last_up: datetime | None
    far_ends: tuple[FarEnd, ...]


class ReportedInterface(msgspec.Struct, frozen=True, rename="camel"):
    """One physical network interface as the node's own agent reports it."""

    name: str
    mac: str | None
    speed: int | None
    """Megabits a second."""
    carrier: bool | None
    bond: str | None
    rdma_device: str | None
    neighbours: tuple[FarEnd, ...]


class ReportedNvLink(msgspec.Struct, frozen=True, rename="camel"):
    """As in a NodeReport."""

    cluster_uuid: str | None
    clique_id: int | None
    state: str | None
    health_summary: str | None
    gpus: int | None
    unhealthy_gpus: int | None
    links: int | None
    unhealthy_links: int | None
    bad_links: tuple[str, ...]
    reason: str | None


class ReportedProbe(msgspec.Struct, frozen=True, rename="camel"):
    """How one probe of the agent went."""

    name: str
    outcome: str
    reason: str | None


class Report(msgspec.Struct, frozen=True, rename="camel"):
    """What the node's own agent reports, and what became of it."""

    conditions: tuple[State, ...]
    ports: tuple[ReportedPort, ...]
    failed_probes: tuple[State, ...]
    interfaces: tuple[ReportedInterface, ...]
    nvlink: ReportedNvLink | None
    probes: tuple[ReportedProbe, ...]
    heartbeat: datetime | None


class LiveNode(msgspec.Struct, frozen=True, rename="camel", tag_field="kind", tag="node"):
    """Where one node stands, what its report says, and which pods are on it."""

    name: str
    cordoned: bool
    hyper_nodes: tuple[LiveLevel, ...]
    """From the lowest to the root; empty for a node without a place."""
    conditions: tuple[State, ...]
    report: Report | None
    """null: no agent has reported this node."""
    pods: tuple[str, ...]
    events: tuple[Story, ...]


class LiveHyperNode(msgspec.Struct, frozen=True, rename="camel", tag_field="kind", tag="hypernode"):
    """What one HyperNode holds, its conditions, and what its links say."""

    name: str
    hyper_nodes: tuple[LiveLevel, ...]
    """Itself, then those above it up to the root."""
    member_kind: str
    members: tuple[str, ...]
    not_understood: tuple[str, ...]
    problems: tuple[str, ...]
    """What is wrong with it in the tree of all HyperNodes."""
    events: tuple[Story, ...]
