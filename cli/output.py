"""The two ways out: results on stdout, everything that is said about them on stderr.

What fabrics say is hostile input: no control character in a switch's description may reach a terminal as one, and no
sign that turns the direction of writing.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from contextlib import suppress
from typing import TextIO

import msgspec
import typer

from cli.ending import CommandError

CLOSED = "standard output is closed, so there is nowhere to write the answer; leave out >&- or name a file"
_UNPRINTABLE = re.compile(r"[^\n -~\xa1-\xac\xae-\u0370]")
"""Signs that may be control characters: all but the line end and the printable ones of the first alphabets."""


def write(text: str) -> None:
    """Write a result. A reader that has seen enough (`| head`) ends the command quietly.

    CommandError where stdout is closed or takes no more (a full disk).
    """
    if sys.stdout is None:
        raise CommandError(CLOSED)
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard(sys.stdout)
        raise typer.Exit(0) from None
    except UnicodeEncodeError as error:
        raise CommandError(
            f"standard output takes {error.encoding} only; set PYTHONIOENCODING=utf-8 or a locale such as C.UTF-8"
        ) from error
    except OSError as error:
        raise unwritable(error) from error


def unwritable(error: OSError) -> CommandError:
    """How a command ends whose stdout takes no more; what is still buffered is given up."""
    _discard(sys.stdout)
    reason = error.strerror or str(error)
    return CommandError(f"the answer could not be written: {reason}; write it where there is room for it")


def say(sentence: str) -> None:
    """Say something about the result, on stderr; where that is closed or full, nobody hears it."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"hyperscout: {printable(sentence)}\n")
        sys.stderr.flush()
    except OSError:
        _discard(sys.stderr)


def _discard(stream: TextIO) -> None:
    """The interpreter flushes a stream once more at exit: give it somewhere to go."""
    with suppress(OSError, ValueError):  # a stream without a file behind it
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def printable(text: str) -> str:
    """The text with every control character but the line end shown as a question mark."""
    return _UNPRINTABLE.sub(lambda found: "?" if _is_control(found[0]) else found[0], text)


def json_text(document: msgspec.Struct) -> str:
    """A document as JSON for scripts and eyes: indented, so that two can be compared line by line, and with control
    characters as `\\u` escapes."""
    text = msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
    return _UNPRINTABLE.sub(lambda found: _escaped(found[0]) if _is_control(found[0]) else found[0], text) + "\n"


def _is_control(sign: str) -> bool:
    """Control, format (writing direction among them), private and unassigned signs, and line and paragraph ends."""
    category = unicodedata.category(sign)
    return sign != "\n" and (category.startswith("C") or category in ("Zl", "Zp"))


def _escaped(sign: str) -> str:
    """As JSON escapes it: one or two UTF-16 units. A control character can only stand inside a string."""
    units = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
