"""`hyperscout doctor`: what it takes from the command line."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from cli.cluster_options import Kubeconfig, NodeNamespace, SystemNamespace
from cli.ending import REFUSED
from cli.namespaces import NODE, SYSTEM


class Form(StrEnum):
    """The forms of the answer."""

    TEXT = "text"
    JSON = "json"


Volcano = Annotated[str, typer.Option("--volcano-namespace", metavar="NAMESPACE", help="Where Volcano is installed.")]
Output = Annotated[Form, typer.Option("--output", "-o", help="text for people, json for scripts.")]


def doctor(
    kubeconfig: Kubeconfig = "",
    namespace: SystemNamespace = SYSTEM,
    node_namespace: NodeNamespace = NODE,
    volcano_namespace: Volcano = "volcano-system",
    output: Output = Form.TEXT,
) -> None:
    """Look through a cluster and say what of it does not fit, and what to do. Exit code 1: there is something.

    It looks at the server's version, the definitions, what each account may do, the admission policies, who leads, who
    else writes HyperNodes, Volcano's configuration and the age of the evidence. It changes nothing.
    """
    from datetime import UTC, datetime

    from cli.doctor.looking import Report, Where, look, to_json, to_text
    from cli.live import ask
    from cli.output import printable, write
    from cli.uninstall.places import Places
    from kube.client import Client

    where = Where(Places(namespace, node_namespace), volcano_namespace)

    async def question(client: Client) -> Report:
        return await look(client, where, datetime.now(UTC))

    report = ask(question, kubeconfig=kubeconfig)
    write(to_json(report) if output is Form.JSON else printable(to_text(report)))
    if report.wrong:
        raise typer.Exit(REFUSED)
