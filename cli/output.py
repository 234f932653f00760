"""The two ways out: results on stdout, everything that is said about them on stderr.

What fabrics say is hostile input: a control character in a switch's description must not reach a terminal as one.
"""

from __future__ import annotations

import os
import sys
import unicodedata

import typer


def write(text: str) -> None:
    """Write a result. A reader that has seen enough (`| head`) ends the command quietly."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter flushes stdout once more at exit; give it somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None


def say(sentence: str) -> None:
    """Say something about the result, on stderr."""
    sys.stderr.write(f"hyperscout: {printable(sentence)}\n")


def printable(text: str) -> str:
    """The text with every control character but the line end shown as a question mark."""
    if text.isprintable():
        return text
    return "".join("?" if sign != "\n" and unicodedata.category(sign).startswith("C") else sign for sign in text)
