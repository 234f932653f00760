"""`hyperscout uninstall`: what it takes from the command line."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.cluster_options import Kubeconfig, NodeNamespace, SystemNamespace
from cli.namespaces import NODE, SYSTEM

Purge = Annotated[bool, typer.Option("--purge", help="Delete our HyperNodes too.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and change nothing.")]
Timeout = Annotated[
    float, typer.Option("--timeout", metavar="SECONDS", min=0, help="How long to wait for what runs to end.")
]


def uninstall(
    kubeconfig: Kubeconfig = "",
    namespace: SystemNamespace = SYSTEM,
    node_namespace: NodeNamespace = NODE,
    purge: Purge = False,
    dry_run: DryRun = False,
    timeout: Timeout = 120.0,
) -> None:
    """Stop everything of hyperscout and take its marks off the cluster; HyperNodes and definitions stay.

    It scales the Deployments to 0 and deletes the agents' DaemonSet, waits until nobody leads, then removes taints,
    conditions, labels and annotations from Nodes, all reports, Leases and the journal. It may be interrupted and run
    again. Exit code 1: something still runs, or could not be removed.
    """
    from cli.live import ask
    from cli.output import printable, write
    from cli.uninstall.places import Places
    from cli.uninstall.running import Order, uninstall
    from kube.client import Client

    order = Order(Places(namespace, node_namespace), purge, dry_run, timeout)

    async def question(client: Client) -> None:
        await uninstall(client, order, lambda sentence: write(printable(sentence) + "\n"))

    ask(question, kubeconfig=kubeconfig)
