"""Documents say what is there: commands, options, verbs and files that they name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer.main

from cli.main import app
from tests.architecture.sources import ROOT, relative

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
VERB = re.compile(r"^(?:    |\$ )(?:\./dev|make) ([a-z]+)", re.MULTILINE)
COMMAND = re.compile(r"^(?:    |\$ )hyperscout ([a-z]+)(.*)$", re.MULTILINE)
NAMED_FILE = re.compile(r"`((?:[\w.-]+/)*[\w.-]+\.(?:md|py|txt|toml|lock|yaml)|(?:[\w.-]+/)+)`")
EXAMPLES = {"fabric.txt"}


def options_of(command: str) -> set[str]:
    """Every spelling of every option of a command of `hyperscout`."""
    found = typer.main.get_command(app).commands[command]  # type: ignore[attr-defined]  # a group, and typed as a command
    return {spelling for parameter in found.params for spelling in (*parameter.opts, *parameter.secondary_opts)}


@pytest.mark.parametrize("path", DOCUMENTS, ids=relative)
def test_verbs_that_a_document_names_exist(path: Path) -> None:
    script, makefile = (ROOT / "dev").read_text(), (ROOT / "Makefile").read_text()
    for verb in VERB.findall(path.read_text()):
        assert f'    "{verb}": {verb},' in script
        assert re.search(rf"^install .*\b{verb}\b|\b{verb}\b.*:$", makefile, re.MULTILINE)


@pytest.mark.parametrize("path", DOCUMENTS, ids=relative)
def test_commands_and_options_that_a_document_names_exist(path: Path) -> None:
    for command, rest in COMMAND.findall(path.read_text()):
        used = set(re.findall(r"(?<=\s)--?[a-z][a-z-]*", rest.partition("#")[0]))
        assert used <= options_of(command), f"hyperscout {command}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=relative)
def test_files_that_a_document_names_exist(path: Path) -> None:
    named = set(NAMED_FILE.findall(path.read_text())) - EXAMPLES
    assert {name for name in named if not (ROOT / name).exists() and not (path.parent / name).exists()} == set()
