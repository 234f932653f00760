"""The live cluster, read once: lists through `kube`, as the values that the commands work with."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from cli.ending import REFUSED, UNREACHABLE, CommandError
from cli.output import say
from kube.client import Client
from kube.config import load_connection
from kube.errors import ApiError, ConfigurationError, NotFound
from kube.meta import Object
from kube.resources import HYPER_NODES, NODES, PODS, Resource
from kube.types import HyperNode, Node, Pod
from scheduler.kernel.snapshot import Snapshot
from scheduler.kernel.snapshot_build import take_snapshot
from scheduler.kernel.tree import HyperNodeEntry, Tree
from scheduler.kernel.tree_build import build_tree
from scheduler.nodes import Usage, node_facts, read_hyper_nodes, read_links, usage_of

T = TypeVar("T")
Listed = TypeVar("Listed", bound=Object)


@dataclass(frozen=True, slots=True)
class LiveCluster:
    """Nodes, HyperNodes and pods at one moment, by name (pods in the server's order)."""

    nodes: Mapping[str, Node]
    hyper_nodes: Mapping[str, HyperNode]
    pods: tuple[Pod, ...]


def ask(question: Callable[[Client], Awaitable[T]]) -> T:
    """Ask the cluster of KUBECONFIG, or of this pod. CommandError with the server's reason where it does not answer."""
    try:
        return asyncio.run(_ask(question))
    except NotFound as error:
        raise CommandError(str(error), REFUSED) from error
    except (ApiError, ConfigurationError) as error:
        raise CommandError(str(error), UNREACHABLE) from error


async def _ask(question: Callable[[Client], Awaitable[T]]) -> T:
    connection = await asyncio.to_thread(load_connection)
    async with Client(connection) as client:
        return await question(client)


async def read_cluster(client: Client) -> LiveCluster:
    """One list a kind. A cluster that does not know HyperNodes has none; what cannot be read is said on stderr."""
    return LiveCluster(
        nodes={node.metadata.name: node for node in await _list(client, NODES)},
        hyper_nodes={one.metadata.name: one for one in await _list(client, HYPER_NODES)},
        pods=await _list(client, PODS),
    )


async def _list(client: Client, resource: Resource[Listed]) -> tuple[Listed, ...]:
    if resource is HYPER_NODES and not await client.serves(HYPER_NODES):
        return ()
    listing = await client.list(resource)
    for one in listing.unreadable[:5]:
        say(f"{resource.kind} {one.key} is left out: {one.reason}")
    return listing.items


def tree_of(cluster: LiveCluster) -> Tree:
    """The tree of all HyperNodes, foreign ones too, over all nodes."""
    return build_tree(_entries(cluster), cluster.nodes)


def _entries(cluster: LiveCluster) -> list[HyperNodeEntry]:
    return [read.entry for read in read_hyper_nodes(cluster.hyper_nodes.values(), cluster.nodes)]


def snapshot_of(cluster: LiveCluster) -> Snapshot:
    """What every node has free now: all pods that are not finished count, whoever placed them."""
    usages: dict[str, list[Usage]] = defaultdict(list)
    for pod in cluster.pods:
        if pod.spec.node_name and not pod.finished:
            usages[pod.spec.node_name].append(usage_of(pod))
    facts = [node_facts(node, usages.get(name, ())) for name, node in cluster.nodes.items()]
    counts = {name: read_links(one) for name, one in cluster.hyper_nodes.items()}
    return take_snapshot(tree_of(cluster), facts, {name: count for name, count in counts.items() if count is not None})
