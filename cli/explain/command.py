"""The `explain` command itself: what can be explained, from the live cluster or from captured scans."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from cli.ending import CommandError


class Kind(StrEnum):
    """What can be explained."""

    NODE = "node"
    HYPER_NODE = "hypernode"
    POD = "pod"
    POD_GROUP = "podgroup"


What = Annotated[Kind, typer.Argument(metavar="KIND", help="node, hypernode, pod or podgroup.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="Its name.", show_default=False)]
Namespace = Annotated[
    str | None, typer.Option("--namespace", "-n", help="Of a pod or podgroup; else that of the kubeconfig.")
]
From = Annotated[
    list[str] | None,
    typer.Option("--from", metavar="PATH", help="A captured scan in place of the live cluster; may be repeated."),
]
Nodes = Annotated[str | None, typer.Option("--nodes", metavar="FILE|REGEX", help="As for map; with --from only.")]


def explain(kind: What, name: Name, namespace: Namespace = None, scans: From = None, nodes: Nodes = None) -> None:
    """Say why a node, a HyperNode, a pod or a gang stands where it stands."""
    if nodes is not None and not scans:
        raise CommandError("--nodes describes captured scans; give them with --from")
    from cli.output import printable, write

    lines = _from_scans(kind, name, scans, nodes) if scans else _from_cluster(kind, name, namespace)
    write(printable("\n".join(lines)) + "\n")


def _from_scans(kind: Kind, name: str, paths: Sequence[str], nodes: str | None) -> list[str]:
    if kind not in (Kind.NODE, Kind.HYPER_NODE):
        raise CommandError(f"captured scans know no {kind}; leave --from out to ask the live cluster")
    from cli.concluding import conclude_paths
    from cli.explain import captured

    conclusion = conclude_paths(paths, nodes)
    if kind is Kind.NODE:
        return captured.explain_node(conclusion, name)
    return captured.explain_hyper_node(conclusion, name)


def _from_cluster(kind: Kind, name: str, namespace: str | None) -> list[str]:
    from cli.explain import live
    from cli.live import ask
    from kube.client import Client
    from kube.meta import Key

    async def question(client: Client) -> list[str]:
        key = Key(namespace or client.connection.namespace, name)
        match kind:
            case Kind.NODE:
                return await live.explain_node(client, name)
            case Kind.HYPER_NODE:
                return await live.explain_hyper_node(client, name)
            case Kind.POD:
                return await live.explain_pod(client, key)
            case Kind.POD_GROUP:
                return await live.explain_pod_group(client, key)

    return ask(question)
