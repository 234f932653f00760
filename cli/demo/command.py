"""`hyperscout demo`: what it takes from the command line."""

from __future__ import annotations

from typing import Annotated

import typer


def demo(
    keep: Annotated[
        bool, typer.Option("--keep", help="Leave the API server up at the end and print the KUBECONFIG for it.")
    ] = False,
) -> None:
    """Watch gangs being placed on a topology that is discovered, with nothing installed but this program.

    118 simulated nodes report their hardware to an embedded API server; the real controller and scheduler do the rest.
    The demo checks its own story and exits with 1 if it does not hold.
    """
    from cli.demo.running import run_demo

    run_demo(keep=keep)
