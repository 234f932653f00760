"""The `whatif` command itself: its arguments, and how it ends."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from cli.cluster_options import Kubeconfig
from cli.ending import REFUSED, CommandError


class Form(StrEnum):
    """The forms of the answer."""

    TEXT = "text"
    JSON = "json"


Paths = Annotated[
    list[str] | None,
    typer.Argument(metavar="PATH", help="Captured scans, as for map. Without any the live cluster is asked."),
]
GangText = Annotated[
    str,
    typer.Option(
        "--gang", metavar="PODS", help="Classes of pods: 512x8gpu,64x2cpu or 18x4gpu+16cpu+64Gi.", show_default=False
    ),
]
Hard = Annotated[
    str | None,
    typer.Option("--hard", metavar="TIER", help="Inside one HyperNode of at most this tier (a number or a name)."),
]
Soft = Annotated[bool, typer.Option("--soft", help="In the lowest tier that fits, then wider.")]
Drain = Annotated[
    list[str] | None, typer.Option("--drain", metavar="HYPERNODE", help="As if it were empty; may be repeated.")
]
Without = Annotated[
    list[str] | None, typer.Option("--without", metavar="NODE", help="As if it were gone; may be repeated.")
]
Tolerate = Annotated[
    list[str] | None,
    typer.Option(
        "--tolerate",
        metavar="KEY[=VALUE][:EFFECT]",
        help="A taint that the pods tolerate, as kubectl writes it; all: every one, those of cordoned and not ready "
        "nodes too; may be repeated. Without PATH only: captured scans know no taints.",
    ),
]
Nodes = Annotated[str | None, typer.Option("--nodes", metavar="FILE|REGEX", help="As for map; with PATH only.")]
NodeResources = Annotated[
    str | None,
    typer.Option(
        "--node-resources",
        metavar="AMOUNTS",
        help="What every node of a PATH has, such as 4gpu+96cpu; a scan cannot say. "
        "[default: 8gpu, cpu and memory without limit]",
    ),
]
Output = Annotated[Form, typer.Option("--output", "-o", help="text for people, json for scripts.")]


def what_if(
    gang: GangText,
    paths: Paths = None,
    hard: Hard = None,
    soft: Soft = False,
    drain: Drain = None,
    without: Without = None,
    tolerate: Tolerate = None,
    nodes: Nodes = None,
    node_resources: NodeResources = None,
    kubeconfig: Kubeconfig = "",
    output: Output = Form.TEXT,
) -> None:
    """Say where a gang would be placed, or why it does not fit. Exit code 1: it does not."""
    if soft == (hard is not None):
        raise CommandError("say either --hard TIER or --soft")
    from cli.output import say, write
    from cli.whatif import question
    from cli.whatif.taints import in_the_way
    from scheduler.kernel import what_if as kernel
    from scheduler.kernel.gang import Gang
    from scheduler.kernel.outcome import Placement, Refusal

    asked = question.read_gang(gang, "soft" if soft else "hard", hard, tolerate or ())
    subject = question.take(question.Source(paths or (), nodes, node_resources, kubeconfig, bool(tolerate)))
    tree = subject.snapshot.tree
    drained = question.find_hyper_nodes(tree, drain or ())
    gone = question.find_nodes(tree, without or ())

    def place(one: Gang) -> Placement | Refusal:
        return kernel.what_if(subject.snapshot, one, drained, gone)

    outcome = place(asked)
    taints = in_the_way(subject.snapshot, outcome, place) if isinstance(outcome, Refusal) else None
    if output is Form.JSON:
        from cli.whatif.answer import to_json

        write(to_json(outcome, subject.assumed, taints))
    else:
        from cli.whatif.text import assumption, to_text

        if subject.assumed is not None:
            say(assumption(subject.assumed))
        write(to_text(outcome, taints))
    if isinstance(outcome, Refusal):
        raise typer.Exit(REFUSED)
