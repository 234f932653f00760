"""What is logged, by us and by libraries: JSON where machines read, harmless text where people do."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from cli.processes.logs import configure
from cli.processes.sections import Log

HOSTILE = "leaf\x1b[31m\r7"


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Logging is afterwards as it was."""
    handlers, level = logging.root.handlers[:], logging.root.level
    yield
    structlog.reset_defaults()
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)


def log_an_error() -> None:
    try:
        raise ValueError(HOSTILE)
    except ValueError:
        structlog.get_logger("ours").exception("failed", what=HOSTILE)


def test_every_line_is_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    configure(Log(), "controller")
    structlog.get_logger("ours").info("wrote HyperNode", step=HOSTILE, tier=2)
    structlog.get_logger("ours").debug("not asked for")
    logging.getLogger("library").warning("it said %s", "so")
    logging.getLogger("library").info("not asked for")
    log_an_error()
    first, second, third = map(json.loads, capsys.readouterr().err.splitlines())
    assert (first["event"], first["step"], first["tier"]) == ("wrote HyperNode", HOSTILE, 2)
    assert (first["level"], first["process"]) == ("info", "controller")
    assert (second["event"], second["level"], second["process"]) == ("it said so", "warning", "controller")
    assert "ValueError" in third["exception"]


def test_text_carries_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    configure(Log(format="text", level="error"), "scheduler")
    structlog.get_logger("ours").info("not asked for")
    log_an_error()
    text = capsys.readouterr().err
    assert "leaf?[31m?7" in text
    assert [sign for sign in text if not sign.isprintable() and sign != "\n"] == []
