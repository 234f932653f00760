"""Who is a host, and which Node it is: adapters (HCAs) are gathered into machines and machines are matched with Nodes.

Identity is the GUID: a port GUID that a NodeReport claims decides; then the name in the adapter's description; then the
box (system image GUID). Two adapters with one description are placed by neither.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from discovery.descriptions import host_name
from topology.graph import Host, Unplaced

NO_ALIASES: Mapping[str, str | None] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Adapter:
    """What is known of one HCA before its host is known. `claim` is the node whose report names one of its ports."""

    description: str
    system_guid: int
    claim: str | None
    by_name: bool = True
    """Its host's name may say which Node it is. Not so on Ethernet: a Node has ports there that belong to no fabric."""


@dataclass(frozen=True, slots=True)
class Hosts:
    """The machines, and for each adapter its machine and its device name."""

    hosts: tuple[Host, ...]
    host_of_adapter: list[int]
    device_of_adapter: list[str | None]
    duplicates: tuple[tuple[int, ...], ...]
    unplaced: tuple[Unplaced, ...]


def gather_hosts(
    adapters: Sequence[Adapter], node_names: frozenset[str] | None, aliases: Mapping[str, str | None] = NO_ALIASES
) -> Hosts:
    """Gather adapters into hosts; `node_names` None makes every named host a node of that name in lower case.

    Hosts that turn out to be one node are one host. `aliases` as in `match_names`.
    """
    named = [host_name(adapter.description) for adapter in adapters]
    duplicates = _duplicate_descriptions(adapters, named)
    alone = {index for group in duplicates for index in group if not adapters[index].claim}
    numbers: dict[str, int] = {}
    host_of_adapter = [numbers.setdefault(key, len(numbers)) for key in _host_keys(adapters, named, alone)]
    names: list[str | None] = [None] * len(numbers)
    claims: list[str | None] = [None] * len(numbers)
    nameable = [True] * len(numbers)
    for index, host in enumerate(host_of_adapter):
        name = named[index][0]
        if name != names[host]:
            names[host] = _first_name(names[host], name)
        claims[host] = claims[host] or adapters[index].claim
        nameable[host] = nameable[host] and index not in alone and adapters[index].by_name
    by_name = match_names(
        [name if free else None for name, free in zip(names, nameable, strict=True)], node_names, aliases
    )
    hosts = [Host(name, claim or matched) for name, claim, matched in zip(names, claims, by_name, strict=True)]
    merged, number = _one_host_a_node(hosts)
    host_of_adapter = [number[host] for host in host_of_adapter]
    doubtful = match_names([named[index][0] for index in sorted(alone)], node_names, aliases)
    unplaced = _unseen(merged, node_names, frozenset(node for node in doubtful if node))
    return Hosts(merged, host_of_adapter, [device for _, device in named], duplicates, unplaced)


def _first_name(one: str | None, other: str | None) -> str | None:
    """The first of two names in the order of the alphabet, so that none depends on the order of the adapters."""
    return min(one, other) if one and other else one or other


def _one_host_a_node(hosts: Sequence[Host]) -> tuple[tuple[Host, ...], list[int]]:
    """The hosts, those of one node as one, and by former number the new one."""
    kept: list[Host] = []
    place: dict[str, int] = {}
    number: list[int] = []
    for host in hosts:
        at = place.setdefault(host.node, len(kept)) if host.node is not None else len(kept)
        if at == len(kept):
            kept.append(host)
        else:
            kept[at] = Host(_first_name(kept[at].name, host.name), host.node)
        number.append(at)
    return tuple(kept), number


def _host_keys(
    adapters: Sequence[Adapter], named: Sequence[tuple[str | None, str | None]], alone: set[int]
) -> list[str]:
    """One key an adapter; adapters of one host share it. A claim pulls every adapter of its host's name along, unless
    nodes disagree about that name; a nameless adapter goes with the only host of its box."""
    claimed: dict[str, str] = {}  # "": several nodes
    boxes: dict[int, str] = {}  # "": several hosts
    for index, adapter in enumerate(adapters):
        name = named[index][0]
        if adapter.claim and name and claimed.setdefault(name.lower(), adapter.claim) != adapter.claim:
            claimed[name.lower()] = ""
    keys = []
    for index, adapter in enumerate(adapters):
        name = None if index in alone else named[index][0]
        node = adapter.claim or (claimed.get(name.lower()) if name and adapter.by_name else None)
        if node:
            key = f"node {node}"
        elif name:
            key = f"{'name' if adapter.by_name else 'ethernet'} {name.lower()}"
        elif index in alone or not adapter.system_guid:
            key = f"adapter {index}"
        else:
            key = ""
        if key and adapter.system_guid and index not in alone and boxes.setdefault(adapter.system_guid, key) != key:
            boxes[adapter.system_guid] = ""
        keys.append(key)
    return [
        key or boxes.get(adapter.system_guid) or f"box {adapter.system_guid}"
        for key, adapter in zip(keys, adapters, strict=True)
    ]


def _duplicate_descriptions(
    adapters: Sequence[Adapter], named: Sequence[tuple[str | None, str | None]]
) -> tuple[tuple[int, ...], ...]:
    """Groups of adapters with the same host and device, unless all are claimed. A name without a device may stand on
    every HCA."""
    pairs = [(name.lower(), device) for name, device in named if name and device]
    if len(set(pairs)) == len(pairs):
        return ()
    seen: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index, (name, device) in enumerate(named):
        if name and device:
            seen[name.lower(), device].append(index)
    return tuple(
        tuple(group) for group in seen.values() if len(group) > 1 and not all(adapters[index].claim for index in group)
    )


def match_names(
    names: Sequence[str | None], node_names: frozenset[str] | None, aliases: Mapping[str, str | None] = NO_ALIASES
) -> list[str | None]:
    """The Node of each host name: the whole name first, then up to the first dot where that is unique on both sides.

    `aliases` are further names of Nodes, lower case, each with its Node; None where several Nodes have it. Such a name,
    and one of a Node that is none of `node_names`, matches nothing. A Node's own name is always its own.
    """
    if node_names is None:
        return [name.lower() if name else None for name in names]
    node_of = {alias: node if node in node_names else None for alias, node in aliases.items()}
    node_of.update(zip(node_names, node_names, strict=True))
    short_nodes = _unique_short(node_of)
    lower = [name.lower() if name else None for name in names]
    short_hosts = _unique_short({name: name for name in lower if name})
    return [_match(name, node_of, short_nodes, short_hosts) if name else None for name in lower]


def _match(
    name: str, node_of: Mapping[str, str | None], short_nodes: Mapping[str, str], short_hosts: Mapping[str, str]
) -> str | None:
    if name in node_of:
        return node_of[name]
    short = name.partition(".")[0]
    return short_nodes.get(short) if short_hosts.get(short) == name else None


def _unique_short(target_of: Mapping[str, str | None]) -> dict[str, str]:
    """Names up to the first dot with their target, for those whose whole names all have the same one."""
    targets: dict[str, set[str | None]] = defaultdict(set)
    for name, target in target_of.items():
        targets[name.partition(".")[0]].add(target)
    unique = {short: next(iter(found)) for short, found in targets.items() if len(found) == 1}
    return {short: target for short, target in unique.items() if target is not None}


def _unseen(hosts: Sequence[Host], node_names: frozenset[str] | None, doubtful: frozenset[str]) -> tuple[Unplaced, ...]:
    """Nodes that no host is; those in `doubtful` have a host by name, but two adapters carry that description."""
    seen = {host.node for host in hosts}
    missing = ((node_names or frozenset()) | doubtful) - seen
    return tuple(Unplaced(node, "duplicate-name" if node in doubtful else "NoFabricPort") for node in sorted(missing))
