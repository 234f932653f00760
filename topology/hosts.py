"""Who is a host, and which Node it is: adapters (HCAs) are gathered into machines and machines are matched with Nodes.

Identity is the GUID: a port GUID that a NodeReport claims decides; then the name in the adapter's description; then the
box (system image GUID). Two adapters with one description are placed by neither.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discovery.descriptions import host_name
from topology.graph import Host, Unplaced


@dataclass(frozen=True, slots=True)
class Adapter:
    """What is known of one HCA before its host is known. `claim` is the node whose report names one of its ports."""

    description: str
    system_guid: int
    claim: str | None


@dataclass(frozen=True, slots=True)
class Hosts:
    """The machines, and for each adapter its machine and its device name."""

    hosts: tuple[Host, ...]
    host_of_adapter: list[int]
    device_of_adapter: list[str | None]
    duplicates: tuple[tuple[int, ...], ...]
    unplaced: tuple[Unplaced, ...]


def gather_hosts(adapters: Sequence[Adapter], node_names: frozenset[str] | None) -> Hosts:
    """Gather adapters into hosts; `node_names` None makes every named host a node of that name in lower case."""
    named = [host_name(adapter.description) for adapter in adapters]
    duplicates = _duplicate_descriptions(adapters, named)
    alone = {index for group in duplicates for index in group}
    keys = _host_keys(adapters, named, alone)
    numbers: dict[str, int] = {}
    host_of_adapter = [numbers.setdefault(key, len(numbers)) for key in keys]
    names: list[str | None] = [None] * len(numbers)
    claims: list[str | None] = [None] * len(numbers)
    nameable = [True] * len(numbers)
    for index, host in enumerate(host_of_adapter):
        names[host] = names[host] or named[index][0]
        claims[host] = claims[host] or adapters[index].claim
        nameable[host] = nameable[host] and index not in alone
    by_name = match_names([name if free else None for name, free in zip(names, nameable, strict=True)], node_names)
    hosts = tuple(Host(name, claim or matched) for name, claim, matched in zip(names, claims, by_name, strict=True))
    return Hosts(hosts, host_of_adapter, [device for _, device in named], duplicates, _unseen(hosts, node_names))


def _host_keys(
    adapters: Sequence[Adapter], named: Sequence[tuple[str | None, str | None]], alone: set[int]
) -> list[str]:
    """One key an adapter; adapters of one host share it. A claim pulls every adapter of its host's name along."""
    claimed: dict[str, str] = {}
    boxes: dict[int, str] = {}
    for index, adapter in enumerate(adapters):
        name = named[index][0]
        if adapter.claim and name and index not in alone:
            claimed.setdefault(name.lower(), adapter.claim)
    keys = []
    for index, adapter in enumerate(adapters):
        name = None if index in alone else named[index][0]
        node = adapter.claim or (claimed.get(name.lower()) if name else None)
        if node:
            key = f"node {node}"
        elif name:
            key = f"name {name.lower()}"
        elif index in alone or not adapter.system_guid:
            key = f"adapter {index}"
        else:
            key = ""
        if key and adapter.system_guid and index not in alone:
            boxes.setdefault(adapter.system_guid, key)
        keys.append(key)
    return [
        key or boxes.get(adapter.system_guid) or f"box {adapter.system_guid}"
        for key, adapter in zip(keys, adapters, strict=True)
    ]


def _duplicate_descriptions(
    adapters: Sequence[Adapter], named: Sequence[tuple[str | None, str | None]]
) -> tuple[tuple[int, ...], ...]:
    """Groups of unclaimed adapters with the same host and device. A name without a device may stand on every HCA."""
    seen: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index, (name, device) in enumerate(named):
        if name and device and not adapters[index].claim:
            seen[name.lower(), device].append(index)
    return tuple(tuple(group) for group in seen.values() if len(group) > 1)


def match_names(names: Sequence[str | None], node_names: frozenset[str] | None) -> list[str | None]:
    """The Node of each host name: the whole name first, then up to the first dot where that is unique on both sides."""
    if node_names is None:
        return [name.lower() if name else None for name in names]
    short_nodes = _unique_short(node_names)
    short_hosts = _unique_short({name.lower() for name in names if name})
    return [_match(name.lower(), node_names, short_nodes, short_hosts) if name else None for name in names]


def _match(
    name: str, node_names: frozenset[str], short_nodes: Mapping[str, str], short_hosts: Mapping[str, str]
) -> str | None:
    if name in node_names:
        return name
    short = name.partition(".")[0]
    return short_nodes.get(short) if short_hosts.get(short) == name else None


def _unique_short(names: frozenset[str] | set[str]) -> dict[str, str]:
    """Short name to full name, for the short names that only one full name has."""
    full: dict[str, list[str]] = defaultdict(list)
    for name in names:
        full[name.partition(".")[0]].append(name)
    return {short: found[0] for short, found in full.items() if len(found) == 1}


def _unseen(hosts: Sequence[Host], node_names: frozenset[str] | None) -> tuple[Unplaced, ...]:
    if node_names is None:
        return ()
    seen = {host.node for host in hosts}
    return tuple(Unplaced(node, "NoFabricPort") for node in sorted(node_names - seen))
