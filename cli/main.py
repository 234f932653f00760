"""The command line: which commands there are, and how each of them ends.

Every command's own module is small to import; what it needs for its work it imports when it runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from typer.exceptions import TyperException

from cli.changes.command import changes
from cli.demo.command import demo
from cli.doctor.command import doctor
from cli.ending import BAD_INPUT, REFUSED, CommandError
from cli.explain.command import explain
from cli.map.command import map_fabric
from cli.options import OnceEach
from cli.output import CLOSED, say, unwritable, write
from cli.processes.command import agent, controller, scheduler, sweeper
from cli.record.command import record
from cli.replay.command import replay
from cli.uninstall.command import uninstall
from cli.whatif.command import what_if

app = typer.Typer(
    help="Finds out how GPU nodes are really wired, and places gangs of pods inside the tightest part that fits them.",
    pretty_exceptions_enable=False,
    # Plain help: the boxed one shows flags as options that take a <bool>, and loses what stands in square brackets.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("map", short_help="Show how the nodes are wired.")(map_fabric)
app.command("whatif", short_help="Say where a gang would be placed.")(what_if)
app.command("explain", short_help="Say why something stands where it stands.")(explain)
app.command("changes", short_help="Say what changed lately.")(changes)
app.command("record", short_help="Record what the probes read here.")(record)
app.command("replay", short_help="Run everything on a recording.")(replay)
app.command("demo", short_help="Watch gangs being placed; no cluster needed.")(demo)
app.command("agent", short_help="Report the ports of this node; a process.")(agent)
app.command("sweeper", short_help="Report the switches of a fabric; a process.")(sweeper)
app.command("controller", short_help="Keep HyperNodes true to the reports; a process.")(controller)
app.command("scheduler", short_help="Place gangs of pods; a process.")(scheduler)
app.command("doctor", short_help="Say what of a cluster does not fit.")(doctor)
app.command("uninstall", short_help="Stop everything and take its marks off the cluster.")(uninstall)
for command in app.registered_commands:
    command.cls = OnceEach


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        write(f"hyperscout {version('hyperscout')}\n")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None: ...


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; docs/reference/exit-codes.md lists them."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  for as long as the process lives
    if sys.stdout is None:
        say(CLOSED)
        return BAD_INPUT
    name = "kubectl hyperscout" if Path(sys.argv[0]).name == "kubectl-hyperscout" else "hyperscout"
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = app(args=given or ["--help"], prog_name=name, standalone_mode=False)
    except CommandError as error:
        say(error.sentence)
        return error.code
    except TyperException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context else name
        # A checked value's message begins with the name of the exception that it was raised as.
        message = error.format_message().replace("Value error, ", "").rstrip(".")
        say(f"{message}; {command} --help shows what there is")
        return BAD_INPUT
    except typer.Abort:
        return REFUSED
    except OSError as error:
        if error.filename is not None:
            raise
        say(unwritable(error).sentence)  # of help, which is not written by us
        return BAD_INPUT
    except SystemExit:
        return 0  # a reader of help that has seen enough
    return code if isinstance(code, int) else 0
