"""Structured logs on stderr: one JSON object a line, or text on a terminal. Event names are constant."""

from __future__ import annotations

import logging
import sys

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from cli.output import printable
from cli.processes.sections import Log


def configure(settings: Log, process: str) -> None:
    """Set up logging for the whole process, what libraries log (from warnings on) included."""
    as_json = settings.format == "json" or (settings.format == "auto" and not sys.stderr.isatty())

    def add_process(logger: WrappedLogger, name: str, event: EventDict) -> EventDict:
        del logger, name
        event["process"] = process
        return event

    before: list[Processor] = [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
        structlog.processors.format_exc_info,
    ]
    plain = structlog.dev.plain_traceback
    last: list[Processor] = [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)]
    if as_json:
        before.append(add_process)
        last = [structlog.processors.JSONRenderer()]
    else:
        last.insert(0, _harmless)
    structlog.configure(
        processors=[*before, *last],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[settings.level.upper()]),
        logger_factory=lambda *_: structlog.PrintLogger(
            sys.stderr
        ),  # that of now, where somebody put another in its place
    )
    handler = logging.StreamHandler(sys.stderr)
    formatter = structlog.stdlib.ProcessorFormatter(
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last], foreign_pre_chain=before
    )
    handler.setFormatter(formatter)
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)


def _harmless(logger: WrappedLogger, name: str, event: EventDict) -> EventDict:
    """What fabrics say is hostile input: no control character reaches the terminal."""
    del logger, name
    return {key: printable(value) if isinstance(value, str) else value for key, value in event.items()}
