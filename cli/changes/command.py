"""The `changes` command itself: which part of the journal, and in which form."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from cli.cluster_options import Kubeconfig, SystemNamespace
from cli.namespaces import SYSTEM


class Form(StrEnum):
    """The forms of the answer."""

    TEXT = "text"
    JSON = "json"


Since = Annotated[
    str | None,
    typer.Option("--since", metavar="AGE|TIME", help="Only later ones: 90s, 15m, 2h, 3d, or 2026-03-01T12:00:00Z."),
]
AboutHyperNode = Annotated[
    str | None, typer.Option("--hyper-node", metavar="NAME", help="Only those about this HyperNode.")
]
AboutNode = Annotated[str | None, typer.Option("--node", metavar="NAME", help="Only those about this node.")]
Output = Annotated[Form, typer.Option("--output", "-o", help="text for people, json for scripts.")]


def changes(
    since: Since = None,
    hyper_node: AboutHyperNode = None,
    node: AboutNode = None,
    kubeconfig: Kubeconfig = "",
    namespace: SystemNamespace = SYSTEM,
    output: Output = Form.TEXT,
) -> None:
    """Say what changed: HyperNodes, their members, and conditions, the newest last."""
    from datetime import UTC, datetime

    from cli.changes import answer
    from cli.live import ask
    from cli.output import json_text, printable, say, write

    question = answer.Question.asked(since, (hyper_node, node), datetime.now(UTC))
    journal = ask(lambda client: answer.read_journal(client, namespace), kubeconfig=kubeconfig)
    found = question.answer(journal)
    if output is Form.JSON:
        write(json_text(found))
    elif found.changes:
        write(printable("".join(f"{answer.moment(change.at)}  {change.what}\n" for change in found.changes)))
    if not found.changes:
        say(question.nothing(journal))
