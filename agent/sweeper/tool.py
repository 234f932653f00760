"""Runs a tool of infiniband-diags: cut off at a time limit with all that it started, its output bounded.

ibnetdiscover exits 0 with a partial map when management datagrams are lost and says so on stderr alone; so its words
there count, never the exit code alone.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

MAX_OUTPUT = 1 << 27
"""More than twice what a fabric of 10,000 hosts with 8 rails takes."""
MAX_WORDS = 1 << 20
"""Of stderr: some ten thousand error lines."""
LAST_WORDS_SECONDS = 1.0
"""A child that left the tool's process group may hold a pipe open for ever."""
_VERSION = re.compile(rb"\d+(?:\.\d+)+|\d+mlnx\d+")
_CHUNK = 1 << 16


class ToolError(Exception):
    """The tool cannot be run at all; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Output:
    """What the tool gave until it ended or was cut off."""

    map: bytes
    words: str
    """From stderr."""
    code: int | None
    """None: it was cut off."""
    seconds: float | None
    """None: not known, as in a recording that does not tell."""
    overflow: bool = False
    """It printed more than is read, and was cut off for that."""


async def run_tool(command: Sequence[str], seconds: float, most: int = MAX_OUTPUT) -> Output:
    """Run it for so long, and until it printed so many bytes, at most. Raises ToolError when it cannot be started."""
    clock = asyncio.get_running_loop().time
    begin = clock()
    process = await _start(command)
    given, words = bytearray(), bytearray()
    reading = asyncio.gather(_read(process.stdout, given, most), _drain(process.stderr, words))
    try:
        async with asyncio.timeout(seconds):
            await asyncio.shield(reading)
            await process.wait()
    except (TimeoutError, _OverflowError):
        pass
    finally:
        code = process.returncode
        if code is None or not reading.done():
            _end(process)
            await _last_words(reading, process)
            process._transport.close()  # type: ignore[attr-defined]  # nothing public lets go of pipes that others hold
    return Output(bytes(given), words.decode("utf-8", "replace"), code, clock() - begin, overflow=len(given) >= most)


class _OverflowError(Exception):
    """The tool prints without end."""


async def tool_version(command: Sequence[str], seconds: float = 10.0) -> str | None:
    """The version that the tool gives of itself."""
    output = await run_tool([command[0], "--version"], seconds)
    found = _VERSION.search(output.map + output.words.encode())
    return found[0].decode() if found else None


async def _start(command: Sequence[str]) -> Process:
    try:
        return await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE, start_new_session=True)
    except OSError as error:
        reason = error.strerror or str(error)
        advice = "install infiniband-diags in the image, or set the program's path"
        raise ToolError(f"cannot run {command[0]}: {reason}; {advice}") from error


async def _read(stream: asyncio.StreamReader | None, into: bytearray, most: int) -> None:
    """Up to so many bytes; there it ends."""
    assert stream is not None
    while chunk := await stream.read(_CHUNK):
        into += chunk[: most - len(into)]
        if len(into) >= most:
            raise _OverflowError


async def _drain(stream: asyncio.StreamReader | None, into: bytearray) -> None:
    """What comes after the most that is kept is dropped, so that the tool is not held up."""
    assert stream is not None
    while chunk := await stream.read(_CHUNK):
        into += chunk[: MAX_WORDS - len(into)]


async def _last_words(reading: asyncio.Future[tuple[None, None]], process: Process) -> None:
    """What is in the pipes of a tool that was ended; and wait for its end."""
    with suppress(TimeoutError, _OverflowError):
        async with asyncio.timeout(LAST_WORDS_SECONDS):
            await reading
    with suppress(TimeoutError):
        async with asyncio.timeout(LAST_WORDS_SECONDS):
            await process.wait()


def _end(process: Process) -> None:
    """With all that it started: a child that keeps a pipe open would be waited for."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
