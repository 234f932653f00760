"""The options that name a cluster and where in it things are: spelled the same in every command."""

from __future__ import annotations

from typing import Annotated

import typer

Kubeconfig = Annotated[
    str,
    typer.Option("--kubeconfig", metavar="FILE", help="Else KUBECONFIG, ~/.kube/config or the pod's own cluster."),
]
SystemNamespace = Annotated[
    str, typer.Option("--namespace", "-n", metavar="NAMESPACE", help="Where controller, scheduler and journal are.")
]
NodeNamespace = Annotated[
    str, typer.Option("--node-namespace", metavar="NAMESPACE", help="Where agents and sweepers run.")
]
