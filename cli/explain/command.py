"""The `explain` command itself: what can be explained, from the live cluster or from captured scans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer

from cli.cluster_options import Kubeconfig
from cli.ending import CommandError
from cli.explain.kinds import KINDS, Kind, kind_of


class Form(StrEnum):
    """The forms of the answer."""

    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Scans:
    """The captured scans that are asked in place of a cluster."""

    paths: Sequence[str]
    nodes: str | None


@dataclass(frozen=True, slots=True)
class Named:
    """An object of the live cluster as it is asked for; without a namespace that of the kubeconfig."""

    name: str
    namespace: str | None


IN_SCANS = (Kind.NODE, Kind.HYPER_NODE)
"""What captured scans know; the others live in a cluster only."""

What = Annotated[str, typer.Argument(metavar="KIND", help=f"{KINDS}.", show_default=False)]
Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="Its name; with --from also the GUID of an adapter.", show_default=False),
]
Namespace = Annotated[
    str | None,
    typer.Option("--namespace", "-n", metavar="NAMESPACE", help="Of a pod or gang; else the kubeconfig's."),
]
From = Annotated[
    list[str] | None,
    typer.Option(
        "--from",
        metavar="PATH",
        help="A captured scan in place of the live cluster. Given several times: several scans of one cluster (planes, "
        "subnets), as several PATHs of map.",
    ),
]
Nodes = Annotated[str | None, typer.Option("--nodes", metavar="FILE|REGEX", help="As for map; with --from only.")]
Output = Annotated[Form, typer.Option("--output", "-o", help="text for people, json for scripts (node and hypernode).")]


def explain(
    kind: What,
    name: Name,
    namespace: Namespace = None,
    kubeconfig: Kubeconfig = "",
    scans: From = None,
    nodes: Nodes = None,
    output: Output = Form.TEXT,
) -> None:
    """Say why a node, a HyperNode, a pod or a gang stands where it stands."""
    what = kind_of(kind)
    if nodes is not None and not scans:
        raise CommandError("--nodes describes captured scans; give them with --from")
    if kubeconfig and scans:
        raise CommandError("--kubeconfig names a cluster and --from asks captured scans; give one of them")
    from cli.output import write

    if output is Form.JSON and what not in IN_SCANS:
        raise CommandError(f"-o json explains a node or a hypernode; of a {what} the answer is text only")
    write(
        _from_scans(what, name, Scans(scans, nodes), output)
        if scans
        else _from_cluster(what, _named(what, name, namespace), output, kubeconfig)
    )


def _named(kind: Kind, name: str, namespace: str | None) -> Named:
    """A pod or gang may be named as it is shown, `namespace/name`."""
    before, slash, after = name.partition("/")
    if kind in IN_SCANS or not slash:
        return Named(name, namespace)
    if namespace not in (None, before):
        raise CommandError(f"{name} is in namespace {before}, and -n says {namespace}; give one of them")
    return Named(after, before)


def _text(lines: Sequence[str]) -> str:
    from cli.output import printable

    return printable("\n".join(lines)) + "\n"


def _from_scans(kind: Kind, name: str, scans: Scans, form: Form) -> str:
    if kind not in IN_SCANS:
        raise CommandError(f"captured scans know no {kind}; leave --from out to ask the live cluster")
    from cli.concluding import conclude_paths
    from cli.explain import captured
    from cli.explain.document import to_json
    from cli.explain.text import to_lines

    conclusion = conclude_paths(scans.paths, scans.nodes)
    explained = (captured.explain_node if kind is Kind.NODE else captured.explain_hyper_node)(conclusion, name)
    return to_json(explained) if form is Form.JSON else _text(to_lines(explained))


def _from_cluster(kind: Kind, named: Named, form: Form, kubeconfig: str) -> str:
    from cli.explain import live, live_pods
    from cli.explain.document import to_json
    from cli.explain.live_text import to_lines
    from cli.live import ask
    from kube.client import Client
    from kube.meta import Key

    async def question(client: Client) -> str:
        key = Key(named.namespace or client.connection.namespace, named.name)
        match kind:
            case Kind.POD:
                return _text(await live_pods.explain_pod(client, key))
            case Kind.POD_GROUP:
                return _text(await live_pods.explain_pod_group(client, key))
            case Kind.NODE:
                node = await live.explain_node(client, named.name)
                return to_json(node) if form is Form.JSON else _text(to_lines(node))
            case Kind.HYPER_NODE:
                found = await live.explain_hyper_node(client, named.name)
                return to_json(found) if form is Form.JSON else _text(to_lines(found))

    return ask(question, "explain a captured scan with --from FILE" if kind in IN_SCANS else "", kubeconfig)
