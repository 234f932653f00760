"""A real cluster before the story: what stands on it, what speaks against playing there, what is made for the demo."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cli.demo.definitions import DEFINITIONS, define, missing
from cli.demo.kinds import NAMESPACES, REPORTS, SERVICE_ACCOUNTS
from cli.demo.marks import LABELS, MARK, PLAYED, SELECTOR
from cli.demo.publishing import create_all, node
from cli.ending import REFUSED, CommandError
from cli.processes.preflight import Needs, check
from kube.access import rights
from kube.client import Client
from kube.crds import crds
from kube.errors import AlreadyExists
from kube.meta import Body, Object
from kube.requests import Selection
from kube.resources import EVENTS, HYPER_NODES, LEASES, NODES, POD_GROUPS, PODS, Resource
from topology.documents import SOURCE, SOURCE_LABEL

NAMESPACE = "hyperscout-demo"
"""Of the gangs."""
READY_SECONDS = 60.0
"""For kwok to make the nodes ready."""
UNINSTALL = "hyperscout uninstall --purge"
"""Without --purge HyperNodes stay, and the demo would write them."""
PROCESSES = ("hyperscout-controller", "hyperscout-scheduler")
"""Whose Leases tell of an installed hyperscout."""


@dataclass(frozen=True, slots=True)
class Found:
    """What stands on the cluster and was not made by a demo; objects by name."""

    server: str
    version: str
    nodes: tuple[str, ...]
    foreign: tuple[str, ...]
    """HyperNodes of others."""
    installed: tuple[str, ...]
    """What tells that hyperscout itself is at home here, a few words each."""
    missing: tuple[Body, ...]
    """Our definitions that are not there."""


RIGHTS = (
    *rights("list watch create patch delete", NODES, HYPER_NODES, PODS, POD_GROUPS, *REPORTS),
    *rights("list create delete", NAMESPACES, DEFINITIONS),
    *rights("list watch create patch delete", EVENTS),
)


async def look(client: Client) -> Found:
    """Read all that matters. CommandError where the cluster is too old, or does not allow us what a demo takes."""
    await check(client, Needs((), RIGHTS))
    hyper_nodes = await _listed(client, HYPER_NODES)
    ours = [found for found in hyper_nodes if found.metadata.labels.get(SOURCE_LABEL) == SOURCE]
    reports = [found for kind in REPORTS for found in await _listed(client, kind)]
    mine = [found for found in reports if MARK in found.metadata.labels]
    leases = [found for found in (await client.list(LEASES)).items if found.metadata.name in PROCESSES]
    held = [f"Lease {found.metadata.key}" for found in leases if found.spec.holder_identity]
    theirs = f"{len(reports) - len(mine)} reports" if len(reports) > len(mine) else ""
    orphans = f"{len(ours)} HyperNodes" if ours and not mine else ""
    return Found(
        client.connection.address,
        await client.version(),
        _names([found for found in (await client.list(NODES)).items if MARK not in found.metadata.labels]),
        _names([found for found in hyper_nodes if found.metadata.labels.get(SOURCE_LABEL) != SOURCE]),
        tuple(filter(None, (*held, theirs, orphans))),
        tuple(await missing(client, crds())),
    )


async def _listed(client: Client, resource: Resource[Any]) -> Sequence[Object]:
    return (await client.list(resource)).items if await client.serves(resource) else ()


def _names(found: Sequence[Object]) -> tuple[str, ...]:
    return tuple(sorted(one.metadata.name for one in found))


def announce(found: Found, nodes: Sequence[str]) -> list[str]:
    """What the demo is about to make, in lines."""
    lines = [
        f"On {found.server} (Kubernetes {found.version}) the demo makes, and removes at its end or on Ctrl-C:",
        f"  {len(nodes)} Nodes that kwok has to play, with a taint that keeps other pods away",
        f"  the namespace {NAMESPACE}, with gangs of up to 108 pods",
        f"  {len(nodes)} NodeReports, 12 SwitchReports, 1 SweepReport and 9 HyperNodes",
    ]
    if found.missing:
        lines.append(f"  the definitions of {_kinds(found)}, which are missing")
    return [*lines, f"with the label {MARK}. Controller and scheduler run in this process."]


def refuse(found: Found, nodes: Sequence[str], *, yes: bool) -> None:
    """CommandError where the demo would be in somebody's way; `yes` allows what leaves everything of others alone."""
    if found.installed:
        sentence = f"hyperscout itself is at home on this cluster ({', '.join(found.installed)})"
        raise CommandError(
            f"{sentence}; the demo would write its HyperNodes: {UNINSTALL} first, or take another", REFUSED
        )
    taken = sorted(set(found.nodes) & set(nodes))
    if taken:
        raise CommandError(f"the cluster has a Node {taken[0]} that is not the demo's; take another cluster", REFUSED)
    beside = [
        _counted(names, kind, whose)
        for names, kind, whose in ((found.nodes, "Node", "of its own"), (found.foreign, "HyperNode", "of others"))
        if names
    ]
    objections = [f"has {' and '.join(beside)}"] if beside else []
    if found.missing:
        objections.append(f"lacks the definitions of {_kinds(found)}")
    if objections and not yes:
        raise CommandError(f"nothing is made: this cluster {' and '.join(objections)}; --yes plays there", REFUSED)


def _counted(names: Sequence[str], kind: str, whose: str) -> str:
    listed = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    return f"{len(names)} {kind}{'s' if len(names) > 1 else ''} {whose} ({listed})"


def _kinds(found: Found) -> str:
    return ", ".join(body["spec"]["names"]["kind"] for body in found.missing)


async def set_up(client: Client, found: Found, nodes: Sequence[str]) -> None:
    """Make definitions, namespace and nodes. CommandError where the nodes do not become ready."""
    await define(client, [_marked(body) for body in found.missing])
    await _ensure(client, NAMESPACES, {"metadata": {"name": NAMESPACE}})
    await _ensure(client, SERVICE_ACCOUNTS, {"metadata": {"name": "default", "namespace": NAMESPACE}})
    await create_all(client, NODES, [node(name) for name in nodes])
    try:
        async with asyncio.timeout(READY_SECONDS):
            while await _unready(client):  # noqa: ASYNC110 - the caches come with the stage
                await asyncio.sleep(0.2)
    except TimeoutError:
        annotation = ", ".join(f"{key}={value}" for key, value in PLAYED.items())
        sentence = f"the {len(nodes)} nodes do not become Ready within {READY_SECONDS:.0f} s"
        raise CommandError(f"{sentence}: kwok has to play nodes with the annotation {annotation}", REFUSED) from None


async def _unready(client: Client) -> int:
    """How many of the demo's nodes nothing can be scheduled to yet."""
    made = (await client.list(NODES, Selection(labels=SELECTOR))).items
    ready = [one for one in made if (found := one.condition("Ready")) is not None and found.status == "True"]
    return len(made) - sum(all(taint.key == MARK for taint in one.spec.taints) for one in ready)


def _marked(body: Body) -> Body:
    metadata = body["metadata"]
    return {**body, "metadata": {**metadata, "labels": {**metadata.get("labels", {}), **LABELS}}}


async def _ensure(client: Client, resource: Resource[Any], body: Body) -> None:
    """Create it unless somebody else was faster (the namespace's own ServiceAccount is made by a controller too)."""
    try:
        await client.create(resource, _marked(body))
    except AlreadyExists:
        return
