"""`hyperscout demo`: what it takes from the command line."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.ending import CommandError


def demo(
    keep: Annotated[
        bool, typer.Option("--keep", help="Leave the API server up at the end and print the KUBECONFIG for it.")
    ] = False,
    kubeconfig: Annotated[
        str,
        typer.Option("--kubeconfig", metavar="FILE", help="Play on this cluster, where kwok plays the nodes."),
    ] = "",
    yes: Annotated[
        bool,
        typer.Option("--yes", help="With --kubeconfig: also beside Nodes and HyperNodes of others; create our kinds."),
    ] = False,
) -> None:
    """Watch gangs being placed on a topology that is discovered, with nothing installed but this program.

    118 simulated nodes report their hardware to an embedded API server; the real controller and scheduler do the rest.
    The demo checks its own story and exits with 1 if it does not hold. On a cluster it removes all that it made.
    """
    from cli.demo.grounds import EmbeddedGround, RealCluster
    from cli.demo.running import run_demo
    from cli.live import in_sentences

    if yes and not kubeconfig:
        raise CommandError("--yes is for a cluster; name its --kubeconfig")
    with in_sentences(kubeconfig=kubeconfig):
        run_demo(RealCluster(kubeconfig, yes) if kubeconfig else EmbeddedGround(), keep=keep)
