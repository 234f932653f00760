"""Phases that take long are named on stderr; those that do not are not."""

from __future__ import annotations

import io
import sys
import threading

import pytest

from cli.progress import phase


class Watched(io.StringIO):
    """A terminal that tells when something was written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def write(self, text: str) -> int:
        length = super().write(text)
        self.written.set()
        return length


class Terminal(Watched):
    """The same, to those who ask."""

    def isatty(self) -> bool:
        return True


def test_a_phase_that_takes_long_is_named_once_in_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = Watched()
    monkeypatch.setattr(sys, "stderr", stderr)
    with phase("concluding", after=0):
        assert stderr.written.wait(30)
    assert stderr.getvalue() == "hyperscout: concluding ...\n"


def test_in_a_terminal_the_seconds_run_and_the_line_is_gone_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    with phase("writing", after=0):
        assert stderr.written.wait(30)
    assert stderr.getvalue().startswith("\rwriting ... 0 s")
    assert stderr.getvalue().endswith("\r\x1b[K")


def test_a_short_phase_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with phase("concluding", after=3600):
        pass
    assert capsys.readouterr().err == ""
