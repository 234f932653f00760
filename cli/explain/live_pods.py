"""Live pods and gangs explained: where they are, or what keeps them waiting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cli.explain.chain import common_domain, home_of
from cli.explain.live import levels, newest_events, states
from cli.explain.live_text import SHOWN, condition_line, event_lines, level_lines
from cli.live import LiveCluster, find, read_cluster, tree_of
from kube.client import Client
from kube.meta import Key
from kube.resources import POD_GROUPS, PODS
from kube.types import Pod, PodGroup
from scheduler import names
from scheduler.kernel.tree import Tree


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
            lines += level_lines(levels(cluster, tree, home_of(tree, pod.spec.node_name)))
    else:
        lines.append(f"  not bound; spec.schedulerName is {pod.spec.scheduler_name}")
    lines += map(condition_line, states(one for one in pod.status.conditions if one.type == "PodScheduled"))
    return [*lines, *event_lines(await newest_events(client, "Pod", key))]


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
        *map(condition_line, states(group.status.conditions)),
        *_reasons(waiting),
        *event_lines(await newest_events(client, "PodGroup", key)),
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
        yield from level_lines(levels(cluster, tree, common_domain(tree, known)))


def _reasons(waiting: Sequence[Pod]) -> Iterator[str]:
    """The distinct reasons of waiting pods: a gang's pods mostly say the same."""
    said = dict.fromkeys(
        f"{one.reason}: {one.message}"
        for pod in waiting
        for one in pod.status.conditions
        if one.type == "PodScheduled" and one.status != "True"
    )
    yield from (f"  waiting pods say: {text}" for text in list(said)[:SHOWN])


def _gang_of(pod: Pod) -> str | None:
    annotations = pod.metadata.annotations
    return annotations.get(names.GROUP_NAME) or annotations.get(names.GANG)
