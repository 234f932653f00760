"""Nodes and HyperNodes as the kernel's values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kube.types import HyperNode, Member, Node, Pod
from scheduler import names
from scheduler.kernel.node_patterns import Found, find_names
from scheduler.kernel.quantity import QuantityError
from scheduler.kernel.requirements import HostPort, Taint
from scheduler.kernel.snapshot import LinkCount, NodeFacts
from scheduler.kernel.tree import HyperNodeEntry
from scheduler.requests import pod_host_ports, pod_requests, read_amount
from scheduler.selecting import SelectorError, matches

_LINKS = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Usage:
    """What one pod takes of the node it is on."""

    requests: Mapping[str, int]
    host_ports: tuple[HostPort, ...]
    readable: bool = True
    """False when its requests are no quantities: what is left of the node is then unknown, and nothing is put there."""


def usage_of(pod: Pod) -> Usage:
    """What a pod takes; it counts until it is gone or has ended."""
    ports = pod_host_ports(pod)
    try:
        return Usage(pod_requests(pod), ports)
    except QuantityError:
        return Usage({}, ports, readable=False)


def node_facts(node: Node, usages: Iterable[Usage]) -> NodeFacts:
    """A node with everything that the pods on it hold."""
    used: dict[str, int] = {"pods": 0}
    ports: list[HostPort] = []
    readable = True
    for usage in usages:
        readable = readable and usage.readable
        used["pods"] += 1
        ports.extend(usage.host_ports)
        for resource, amount in usage.requests.items():
            used[resource] = used.get(resource, 0) + amount
    ready = node.condition("Ready")
    fabric = node.condition(names.FABRIC_HEALTHY)
    return NodeFacts(
        name=node.metadata.name,
        allocatable=_allocatable(node) if readable else {},
        used=used,
        labels=node.metadata.labels,
        taints=tuple(Taint(taint.key, taint.value, taint.effect) for taint in node.spec.taints),
        ready=ready is not None and ready.status == "True",
        unschedulable=node.spec.unschedulable,
        deleting=node.metadata.deleting,
        fabric_healthy=fabric is None or fabric.status != "False",
        host_ports=tuple(ports),
    )


def _allocatable(node: Node) -> dict[str, int]:
    """What a node offers; a quantity that cannot be read is an offer of nothing."""
    amounts: dict[str, int] = {}
    for resource, text in node.status.allocatable.items():
        try:
            amounts[resource] = read_amount(resource, text)
        except QuantityError:
            amounts[resource] = 0
    return amounts


@dataclass(frozen=True, slots=True)
class ReadHyperNode:
    """A HyperNode as the kernel reads it, and the members that could not be read, one phrase each."""

    entry: HyperNodeEntry
    not_understood: tuple[str, ...]


def read_hyper_nodes(hyper_nodes: Iterable[HyperNode], nodes: Mapping[str, Node]) -> list[ReadHyperNode]:
    """Exact names, patterns and labels resolved over the nodes that exist, as Volcano's scheduler does.

    A selector that is not understood takes in nobody: the domain is smaller, never wrong.
    """
    listed = list(hyper_nodes)
    patterns = (
        member.selector.regex_match.pattern
        for hyper_node in listed
        for member in hyper_node.spec.members
        if member.type != "HyperNode" and member.selector.regex_match is not None
    )
    found = find_names(patterns, list(nodes))
    return [_read(hyper_node, nodes, found) for hyper_node in listed]


def _read(hyper_node: HyperNode, nodes: Mapping[str, Node], found: Found) -> ReadHyperNode:
    children: list[str] = []
    members: list[str] = []
    puzzling: list[str] = []
    for member in hyper_node.spec.members:
        exact = member.selector.exact_match
        if exact is not None:
            (children if member.type == "HyperNode" else members).append(exact.name)
        elif member.type == "HyperNode":
            puzzling.append("a HyperNode member that is not named exactly (Volcano skips it as well)")
        else:
            try:
                members.extend(_selected(member, nodes, found))
            except SelectorError as error:
                puzzling.append(str(error))
    spec = hyper_node.spec
    entry = HyperNodeEntry(hyper_node.metadata.name, spec.tier, spec.tier_name, tuple(children), tuple(members))
    return ReadHyperNode(entry, tuple(puzzling))


def _selected(member: Member, nodes: Mapping[str, Node], found: Found) -> Iterable[str]:
    selector = member.selector
    if selector.regex_match is not None:
        pattern = selector.regex_match.pattern
        if pattern in found.rejected:
            raise SelectorError(f"node name pattern {pattern!r}: {found.rejected[pattern]}")
        return found.names[pattern]
    labels = selector.label_match
    if labels is None or not (labels.match_labels or labels.match_expressions):
        return ()
    return [name for name, node in nodes.items() if matches(labels, node.metadata.labels)]


def read_links(hyper_node: HyperNode) -> LinkCount | None:
    """The link count of the annotation `hyperscout.io/links`; None where it is absent or no such count."""
    match = _LINKS.fullmatch(hyper_node.metadata.annotations.get(names.LINKS, ""))
    if match is None or int(match[1]) > int(match[2]):
        return None
    return LinkCount(int(match[1]), int(match[2]))
