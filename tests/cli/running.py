"""Runs the real command in this process and gives back what its user would see."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass

import pytest

from cli.main import main


@dataclass(frozen=True, slots=True)
class Answer:
    """What one run of the command left behind."""

    code: int
    out: str
    err: str


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> Answer:
    """Run `hyperscout ARGUMENTS`."""
    capsys.readouterr()
    code = main(arguments)
    captured = capsys.readouterr()
    return Answer(code, captured.out, captured.err)


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """Give the command this standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
