"""The `replay` command itself: its arguments, and how it ends."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.ending import REFUSED

if TYPE_CHECKING:
    from cli.replay.document import ReplayDocument
    from cli.replay.playing import Play

MOST_SAID = 60
"""So many differences are said."""


class Form(StrEnum):
    """The forms of the answer."""

    TREE = "tree"
    JSON = "json"


Folders = Annotated[
    list[str],
    typer.Argument(
        metavar="DIR",
        help="Folders that hyperscout record wrote. Several are one site: its hosts and fabrics, recorded apart.",
        show_default=False,
    ),
]
Output = Annotated[Form, typer.Option("--output", "-o", help="tree for people, json for scripts.")]
WriteExpected = Annotated[
    bool,
    typer.Option(
        "--write-expected", help="Write what is concluded into the first DIR as its expected results, to be read first."
    ),
]


def replay(folders: Folders, output: Output = Form.TREE, write_expected: WriteExpected = False) -> int:
    """Run agents, sweepers and controller on a recording, and say what they conclude.

    Where the folder holds expected results that is compared with them, and the exit code is 1 where it differs.
    Where it holds none the exit code is 1 if no HyperNode is concluded.
    """
    from os.path import lexists  # of a link that leads nowhere, or where nobody may look, reading says what is wrong

    from cli.output import json_text, say, write
    from cli.replay.advice import about_nodes, why_no_tree
    from cli.replay.document import replay_document
    from cli.replay.text import to_text
    from discovery.recording import layout

    play = _played([Path(folder) for folder in folders])
    document = replay_document(play)
    expected = next(
        (file for folder in folders if lexists(file := Path(folder) / layout.EXPECTED)),
        Path(folders[0]) / layout.EXPECTED,
    )
    write(json_text(document) if output is Form.JSON else to_text(document))
    for sentence in about_nodes(play):
        say(sentence)
    if write_expected:
        _write(expected, json_text(document))
        say(f"{expected}: written; read it before you keep it")
        return 0
    if not lexists(expected):
        say(f"{expected} is not there, so nothing was compared; --write-expected writes it")
        if not document.hyper_nodes:
            say(f"no HyperNode was concluded: {why_no_tree(play)}")
        return 0 if document.hyper_nodes else REFUSED
    return _compared(expected, document)


def _played(folders: list[Path]) -> Play:
    """CommandError where a folder cannot be used."""
    from cli.ending import CommandError
    from cli.progress import phase
    from cli.replay.control import NoTreeError
    from cli.replay.playing import Play
    from discovery.errors import EvidenceError
    from discovery.recording.reading import read_recording

    try:
        with phase("reading"):
            play = Play(read_recording(*folders))
        with phase("playing"):
            play.run()
    except EvidenceError as error:
        raise CommandError(str(error)) from error
    except NoTreeError as error:
        raise CommandError(f"the controller concluded no tree from {folders[0]}: {error}", REFUSED) from error
    return play


def _compared(expected: Path, document: ReplayDocument) -> int:
    """0 where it is as expected, else 1, with the differences on stderr."""
    from cli.ending import CommandError
    from cli.output import say
    from cli.replay.comparing import ExpectedError, differences
    from discovery.errors import EvidenceError
    from discovery.recording.files import read_file

    try:
        found = differences(read_file(expected), document)
    except EvidenceError as error:
        raise CommandError(str(error)) from error
    except ExpectedError as error:
        raise CommandError(f"{expected}: {error}; --write-expected writes it anew") from error
    if not found:
        say(f"as expected by {expected}")
        return 0
    say(f"{len(found)} lines differ from {expected} (- expected, + found):")
    for line in found[:MOST_SAID]:
        say(f"  {line}")
    if len(found) > MOST_SAID:
        say(f"  ... and {len(found) - MOST_SAID} more; compare it with -o json")
    return REFUSED


def _write(expected: Path, text: str) -> None:
    from os.path import exists

    from cli.ending import CommandError

    if exists(expected) and not expected.is_file():
        raise CommandError(f"{expected}: no ordinary file; take it away, or give another folder")
    try:
        expected.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{expected}: {error.strerror or error}; give a folder that can be written to") from error
