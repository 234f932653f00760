"""Live nodes and HyperNodes explained: what stands there, and what the agent and the controller wrote about it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Protocol

from cli.ending import REFUSED, CommandError
from cli.explain.chain import home_of, upward
from cli.explain.live_document import LiveHyperNode, LiveLevel, LiveNode, State, Story
from cli.explain.live_report import is_reported, read_report
from cli.live import LiveCluster, find, read_cluster, tree_of
from controller.conclusion.standing import ASSUMED
from kube.client import Client
from kube.meta import Key
from kube.records import Event
from kube.requests import Selection
from kube.resources import EVENTS, HYPER_NODES, NODES
from kube.types import Node
from scheduler import names
from scheduler.kernel.tree import Tree
from scheduler.nodes import read_hyper_nodes, read_links

EVENTS_READ = 8
BEGINNING = datetime.min.replace(tzinfo=UTC)


class Condition(Protocol):
    """What the conditions of all kinds have in common."""

    @property
    def type(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def message(self) -> str: ...


async def explain_node(client: Client, typed: str) -> LiveNode:
    """Where one node stands, what its report says, and which pods are on it."""
    node = await _node(client, typed)
    name = node.metadata.name
    cluster = await read_cluster(client)
    tree = tree_of(cluster)
    here = [pod for pod in cluster.pods if pod.spec.node_name == name and not pod.finished]
    return LiveNode(
        name=name,
        cordoned=node.spec.unschedulable,
        hyper_nodes=levels(cluster, tree, home_of(tree, name)),
        conditions=states(one for one in node.status.conditions if one.type in ("Ready", names.FABRIC_HEALTHY)),
        report=await read_report(client, name),
        pods=tuple(str(pod.metadata.key) for pod in here),
        events=await newest_events(client, "Node", Key("", name)),
    )


async def _node(client: Client, typed: str) -> Node:
    """CommandError for an unknown one; where an agent reports under that name, with what to do."""
    try:
        return await find(client, NODES, typed)
    except CommandError as error:
        if error.code != REFUSED or not await is_reported(client, typed):
            raise
        raise CommandError(
            f"there is a NodeReport {typed}: its agent reports under this name, and no Node is called so; "
            "set host.node of that agent to the name of its Node",
            REFUSED,
        ) from error


async def explain_hyper_node(client: Client, typed: str) -> LiveHyperNode:
    """What one HyperNode holds, its conditions, and what its links say."""
    hyper_node = await find(client, HYPER_NODES, typed)
    name = hyper_node.metadata.name
    cluster = await read_cluster(client)
    tree = tree_of(cluster)
    (read,) = read_hyper_nodes([hyper_node], cluster.nodes)
    return LiveHyperNode(
        name=name,
        hyper_nodes=levels(cluster, tree, tree.index[name]),
        member_kind="HyperNode" if read.entry.children else "Node",
        members=tuple(read.entry.children or read.entry.nodes),
        not_understood=tuple(read.not_understood),
        problems=tuple(f"{problem.kind}: {problem.detail}" for problem in tree.problems if name in problem.where),
        events=await newest_events(client, "HyperNode", Key("", name)),
    )


def levels(cluster: LiveCluster, tree: Tree, domain: int) -> tuple[LiveLevel, ...]:
    """A HyperNode and those above it; nothing for what stands outside every HyperNode."""
    return tuple(_level(cluster, tree, one) for one in upward(tree, domain))


def _level(cluster: LiveCluster, tree: Tree, domain: int) -> LiveLevel:
    hyper_node = cluster.hyper_nodes[tree.names[domain]]
    links, tier = read_links(hyper_node), tree.tier_of(domain)
    return LiveLevel(
        name=tree.names[domain],
        tier=None if tier is None else tier.number,
        label="" if tier is None else tier.label,
        nodes=int(tree.end[domain] - tree.start[domain]),
        conditions=states(hyper_node.status.conditions),
        links=None if links is None else links.total,
        unhealthy_links=None if links is None else links.unhealthy,
        assumed=hyper_node.metadata.annotations.get(ASSUMED) == "true",
    )


def states(conditions: Iterable[Condition]) -> tuple[State, ...]:
    """Conditions of any kind."""
    return tuple(State(one.type, one.status, one.reason, one.message) for one in conditions)


async def newest_events(client: Client, kind: str, key: Key) -> tuple[Story, ...]:
    """The newest events about an object, the newest last."""
    about = f"involvedObject.kind={kind},involvedObject.name={key.name}"
    found = (await client.list(EVENTS, Selection(namespace=key.namespace or "default", fields=about))).items
    newest = sorted(found, key=_moment)[-EVENTS_READ:]
    return tuple(Story(event.type, event.reason, event.message) for event in newest)


def _moment(event: Event) -> datetime:
    return event.last_timestamp or event.metadata.creation_timestamp or BEGINNING
