"""Explanations from the live cluster: what stands there, what the controller and the scheduler wrote about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from cli.explain.chain import chain_lines, common_domain, home_of
from cli.live import LiveCluster, find, read_cluster, tree_of
from kube.client import Client
from kube.errors import NotFound
from kube.meta import Condition, Key
from kube.node import NodeCondition
from kube.pod import PodCondition
from kube.podgroup import PodGroupCondition
from kube.records import Event
from kube.requests import Selection
from kube.resources import EVENTS, HYPER_NODES, NODE_REPORTS, NODES, POD_GROUPS, PODS
from kube.types import Pod, PodGroup
from scheduler import names
from scheduler.kernel.tree import Tree
from scheduler.nodes import read_hyper_nodes, read_links

SHOWN = 8
AnyCondition = Condition | NodeCondition | PodCondition | PodGroupCondition
BEGINNING = datetime.min.replace(tzinfo=UTC)


async def explain_node(client: Client, name: str) -> list[str]:
    """Where one node stands, what its report says, and which pods are on it."""
    node = await find(client, NODES, name)
    name = node.metadata.name
    cluster = await read_cluster(client)
    tree = tree_of(cluster)
    here = [pod for pod in cluster.pods if pod.spec.node_name == name and not pod.finished]
    state = ["Ready", names.FABRIC_HEALTHY]
    return [
        f"node {name}" + ("  (cordoned)" if node.spec.unschedulable else ""),
        *chain_lines(tree, home_of(tree, name), lambda one: _remarks(cluster, one)),
        *(_condition(one) for one in node.status.conditions if one.type in state),
        *await _report(client, name),
        f"  pods on it: {_some([str(pod.metadata.key) for pod in here])}",
        *await _events(client, "Node", Key("", name)),
    ]


async def explain_hyper_node(client: Client, name: str) -> list[str]:
    """What one HyperNode holds, its conditions, and what its links say."""
    hyper_node = await find(client, HYPER_NODES, name)
    name = hyper_node.metadata.name
    cluster = await read_cluster(client)
    tree = tree_of(cluster)
    (read,) = read_hyper_nodes([hyper_node], cluster.nodes)
    members = read.entry.children or read.entry.nodes
    return [
        f"hypernode {name}",
        *chain_lines(tree, tree.index[name], lambda one: _remarks(cluster, one)),
        f"  {'HyperNodes' if read.entry.children else 'nodes'} in it: {_some(members)}",
        *(f"  not understood: {phrase}" for phrase in read.not_understood),
        *(f"  {problem.kind}: {problem.detail}" for problem in tree.problems if name in problem.where),
        *await _events(client, "HyperNode", Key("", name)),
    ]


async def explain_pod(client: Client, key: Key) -> list[str]:
    """Where one pod is, or why it is nowhere yet."""
    pod = await find(client, PODS, key.name, key.namespace)
    key = pod.metadata.key
    gang = _gang_of(pod)
    lines = [f"pod {key}  {pod.status.phase}", f"  gang: {gang or 'none'}"]
    if pod.spec.node_name:
        cluster = await read_cluster(client)
        lines.append(f"  bound to {pod.spec.node_name}")
        if pod.spec.node_name in cluster.nodes:
            tree = tree_of(cluster)
            lines += chain_lines(tree, home_of(tree, pod.spec.node_name), lambda one: _remarks(cluster, one))
    else:
        lines.append(f"  not bound; spec.schedulerName is {pod.spec.scheduler_name}")
    lines += [_condition(one) for one in pod.status.conditions if one.type == "PodScheduled"]
    return [*lines, *await _events(client, "Pod", key)]


async def explain_pod_group(client: Client, key: Key) -> list[str]:
    """What one gang asks for, where its pods are, and what keeps the others waiting."""
    group = await find(client, POD_GROUPS, key.name, key.namespace)
    key = group.metadata.key
    cluster = await read_cluster(client)
    pods = [pod for pod in cluster.pods if pod.metadata.namespace == key.namespace and _gang_of(pod) == key.name]
    bound = [pod for pod in pods if pod.spec.node_name and not pod.finished]
    waiting = [pod for pod in pods if not pod.spec.node_name and not pod.finished]
    return [
        f"podgroup {key}  {group.status.phase or 'no phase yet'}",
        f"  asks for: {_wish(group)}",
        f"  pods: {len(bound)} bound, {len(waiting)} waiting",
        *_where(cluster, tree_of(cluster), [pod.spec.node_name for pod in bound]),
        *(_condition(one) for one in group.status.conditions),
        *_reasons(waiting),
        *await _events(client, "PodGroup", key),
    ]


def _wish(group: PodGroup) -> str:
    topology = group.spec.network_topology
    gang = "1 pod" if group.spec.min_member == 1 else f"{group.spec.min_member} pods together"
    if topology is None:
        return f"{gang}, anywhere"
    highest = topology.highest_tier_name or topology.highest_tier_allowed
    return f"{gang}, {topology.mode}" + (f", highest tier {highest}" if highest is not None else "")


def _where(cluster: LiveCluster, tree: Tree, nodes: Sequence[str]) -> Iterator[str]:
    known = [node for node in nodes if node in tree.position]
    if known:
        yield "  all bound pods are in"
        yield from chain_lines(tree, common_domain(tree, known), lambda one: _remarks(cluster, one))


def _reasons(waiting: Sequence[Pod]) -> Iterator[str]:
    """The distinct reasons of waiting pods: a gang's pods mostly say the same."""
    said = dict.fromkeys(
        f"{one.reason}: {one.message}"
        for pod in waiting
        for one in pod.status.conditions
        if one.type == "PodScheduled" and one.status != "True"
    )
    yield from (f"  waiting pods say: {text}" for text in list(said)[:SHOWN])


def _remarks(cluster: LiveCluster, name: str) -> list[str]:
    hyper_node = cluster.hyper_nodes[name]
    links = read_links(hyper_node)
    verb = "is" if links is not None and links.unhealthy == 1 else "are"
    counted = [] if links is None else [f"{links.unhealthy} of its own {links.total} links {verb} unhealthy"]
    return [*(_condition(one).strip() for one in hyper_node.status.conditions), *counted]


def _condition(condition: AnyCondition) -> str:
    because = ": ".join(part for part in (condition.reason, condition.message) if part)
    return f"  {condition.type}={condition.status}" + (f"  {because}" if because else "")


async def _report(client: Client, name: str) -> list[str]:
    """What the node's own agent reports, as far as it is not simply well."""
    try:
        report = await client.get(NODE_REPORTS, name)
    except NotFound:
        return ["  no NodeReport: no agent has reported this node"]
    ports = [port for port in report.spec.ports if port.verdict != "Up"]
    return [
        *(f"  Placed={one.status}  {one.reason}: {one.message}" for one in report.status.conditions),
        f"  its report: {_counted(len(report.spec.ports), 'port')}, {len(report.spec.ports) - len(ports)} up",
        *(f"  port {port.device}/{port.port}: {port.verdict} ({port.reason or 'no reason given'})" for port in ports),
        *(f"  probe {one.name}: {one.outcome} ({one.reason})" for one in report.spec.probes if one.outcome == "Failed"),
    ]


async def _events(client: Client, kind: str, key: Key) -> list[str]:
    """The newest events about an object, the newest last."""
    about = f"involvedObject.kind={kind},involvedObject.name={key.name}"
    found = (await client.list(EVENTS, Selection(namespace=key.namespace or "default", fields=about))).items
    newest = sorted(found, key=_moment)[-SHOWN:]
    return [f"  {event.type.lower()} event {event.reason}: {event.message}" for event in newest]


def _moment(event: Event) -> datetime:
    return event.last_timestamp or event.metadata.creation_timestamp or BEGINNING


def _gang_of(pod: Pod) -> str | None:
    annotations = pod.metadata.annotations
    return annotations.get(names.GROUP_NAME) or annotations.get(names.GANG)


def _some(found: Sequence[str]) -> str:
    shown = ", ".join(found[:SHOWN]) or "none"
    return shown if len(found) <= SHOWN else f"{shown} and {len(found) - SHOWN} more"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
