"""The neighbours that lldpd heard, where it runs on this host: its client is asked, within limits.

The client is started only where somebody answers on lldpd's socket. It has to be of lldpd's own version: the two speak
a language that changes.
"""

from __future__ import annotations

import os
import shutil
import socket
import stat
from collections.abc import Sequence
from dataclasses import dataclass

from discovery.commands import CommandError, Commands
from discovery.lldp.answers import read_answer
from discovery.lldp.neighbours import Neighbours
from discovery.probing import Probed, absent, failed, found

NAME = "lldpd"
SOCKETS = ("/run/lldpd.socket", "/run/lldpd/lldpd.socket", "/var/run/lldpd.socket")
"""Where distributions have it."""
MAX_ANSWER = 4 << 20
"""Bytes. 500 neighbours take 0.5 MB."""
_TO_CONNECT = 1.0


@dataclass(frozen=True, slots=True)
class Lldpd:
    """How it is asked."""

    client: str = "lldpctl"
    """A program on PATH, or its path."""
    socket: str | None = None
    """None: the first of SOCKETS that is there. One that is named, and is no socket, is a failure."""
    seconds: float = 5.0
    """The client is cut off after so long."""


def read_lldpd(lldpd: Lldpd) -> Probed[Neighbours]:
    """Who it heard, by interface. Absent where lldpd does not run; blocks up to its time limit and a second."""
    if lldpd.socket and not _is_socket(lldpd.socket):
        return failed(
            NAME, f"lldpd.socket names {lldpd.socket}, and there is no such socket; correct it or leave it out"
        )
    path = lldpd.socket or next((path for path in SOCKETS if os.path.exists(path)), None)
    if path is None:
        return absent(NAME, "lldpd does not run here (it has no socket)")
    try:
        _knock(path)
    except (FileNotFoundError, ConnectionRefusedError):
        return absent(NAME, f"lldpd does not run here (nobody answers on {path})")
    except OSError as error:
        advice = (
            "run the agent with the group that owns it" if isinstance(error, PermissionError) else "see lldpd's log"
        )
        return failed(NAME, f"{path}: {error.strerror or error}; {advice}")
    if shutil.which(lldpd.client) is None:
        return failed(
            NAME, f"lldpd runs here, and {lldpd.client} is missing: install lldpd's client or say where it is"
        )
    return _asked([lldpd.client, "-u", path, "-f", "json0"], lldpd.seconds)


def _asked(command: Sequence[str], seconds: float) -> Probed[Neighbours]:
    client = command[0]
    try:
        said = Commands(MAX_ANSWER).run(command, seconds)
    except CommandError as error:
        return failed(NAME, f"{client}: {str(error).removeprefix(f'{client} ')}")
    if said.code < 0:
        return failed(NAME, f"{client} was ended by signal {-said.code}; see dmesg")
    if said.code:
        return failed(NAME, f"{client} ended with {said.code}: is it of lldpd's own version?")
    answer = read_answer(said.output.decode("utf-8", "replace"))
    problems = f"lldpd's answer holds {'; '.join(answer.problems)}" if answer.problems else None
    if problems and not answer.neighbours:
        return failed(NAME, problems)
    return found(NAME, answer.neighbours, problems)


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True  # to connect tells why not


def _knock(path: str) -> None:
    """Raises OSError where nobody answers."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(_TO_CONNECT)
        client.connect(path)
