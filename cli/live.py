"""The live cluster, read once: lists through `kube`, as the values that the commands work with."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlsplit

from cli.ending import REFUSED, UNREACHABLE, CommandError
from cli.finding import as_typed, did_you_mean, find_name
from cli.output import say
from kube.client import Client
from kube.config import load_connection
from kube.connection import Connection
from kube.errors import ApiError, ConfigurationError, NotFound, Unavailable
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


def ask(question: Callable[[Client], Awaitable[T]], instead: str = "", kubeconfig: str = "") -> T:
    """Ask the cluster of a kubeconfig, else of KUBECONFIG, or of this pod.

    CommandError with the server's reason where it does not answer. `instead` says what could be asked without any
    cluster.
    """
    with in_sentences(instead, kubeconfig):
        return asyncio.run(_ask(question, kubeconfig))


@contextmanager
def in_sentences(instead: str = "", kubeconfig: str = "") -> Iterator[None]:
    """What goes wrong between us and the cluster becomes a CommandError."""
    try:
        yield
    except ConfigurationError as error:
        raise CommandError(
            _no_cluster(error, kubeconfig) + (f"; or {instead}" if instead else ""), UNREACHABLE
        ) from error
    except NotFound as error:
        raise CommandError(f"cannot {error.verb} {error.target}: {error.message}", REFUSED) from error
    except Unavailable as error:
        raise CommandError(_no_answer(error), UNREACHABLE) from error
    except ApiError as error:
        raise CommandError(_one_line(str(error)), UNREACHABLE) from error


async def _ask(question: Callable[[Client], Awaitable[T]], kubeconfig: str) -> T:
    async with Client(await connect(kubeconfig)) as client:
        return await question(client)


async def connect(kubeconfig: str) -> Connection:
    """The cluster of a kubeconfig, else of KUBECONFIG, or of this pod. ConfigurationError where it cannot be used."""
    connection = await asyncio.to_thread(load_connection, kubeconfig or None)
    _check_address(connection.server)
    return connection


def _check_address(server: str) -> None:
    """ConfigurationError where this is no URL; what the HTTP library says of it, after all retries, is the URL only."""
    try:
        url = urlsplit(server)
        usable = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:  # a port that is none, or a broken IPv6 address
        usable = False
    if not usable:
        raise ConfigurationError(f"{server!r} is no URL of an API server; correct the server in the kubeconfig")


def _no_cluster(error: ConfigurationError, kubeconfig: str) -> str:
    """What is wrong with the kubeconfig; the loader answers a file that is none with an accident of its own code."""
    if isinstance(error.__cause__, TypeError | AttributeError | LookupError | UnicodeDecodeError):
        path = kubeconfig or os.environ.get("KUBECONFIG", "~/.kube/config")
        return f"cannot use the kubeconfig {path}: it is no kubeconfig; set KUBECONFIG to a file that kubectl can use"
    return _one_line(str(error))


def _no_answer(error: Unavailable) -> str:
    """What is asked here may be asked again without harm."""
    status = f" (HTTP {error.code})" if error.code else ""
    return (
        f"cannot {error.verb} {error.target}: {_one_line(error.message)}{status}; "
        "try again, or check that the API server is up and where the kubeconfig (KUBECONFIG) says it is"
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


async def find(client: Client, resource: Resource[Listed], name: str, namespace: str = "") -> Listed:
    """One object, named as people type it. CommandError (refused) for an unknown one, with what may be meant."""
    if not name.strip():
        raise CommandError(f"the name of the {resource.kind} is empty; give its name")
    try:
        return await client.get(resource, name, namespace)
    except NotFound:
        pass
    if not await client.serves(resource):
        definition = f"{resource.plural}.{resource.group}"
        raise CommandError(f"this cluster knows no {resource.kind}s: {definition} is not installed in it", REFUSED)
    keys = [one.metadata.key for one in (await client.list(resource)).items]
    known = [key.name for key in keys if key.namespace == namespace]
    meant = find_name(name, known)
    if meant is not None:
        return await client.get(resource, meant, namespace)
    where = f" in namespace {namespace}" if namespace else ""
    elsewhere = sorted(key.namespace for key in keys if key.name == name)
    hint = f"; there is one in namespace {elsewhere[0]} (-n)" if elsewhere else did_you_mean(name, known)
    raise CommandError(f"there is no {resource.kind} {as_typed(name)}{where}{hint}", REFUSED)


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
