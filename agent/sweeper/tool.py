"""Runs the discovery tool: cut off at a time limit with all that it started, its output bounded.

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

MAX_OUTPUT = 500_000_000
MAX_WORDS = 1 << 16
_VERSION = re.compile(rb"\d+(?:\.\d+)+")
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
    seconds: float


async def run_tool(command: Sequence[str], seconds: float) -> Output:
    """Run it for so long at most. Raises ToolError when it cannot be started."""
    clock = asyncio.get_running_loop().time
    begin = clock()
    process = await _start(command)
    reading = asyncio.gather(_read(process.stdout, MAX_OUTPUT), _read(process.stderr, MAX_WORDS))
    cut_off = False
    try:
        async with asyncio.timeout(seconds):
            await asyncio.shield(reading)
            await process.wait()
    except TimeoutError:
        cut_off = True
    finally:
        if cut_off or process.returncode is None:
            _end(process)
        given, words = await reading
        code = await process.wait()
    return Output(given, words.decode("utf-8", "replace"), None if cut_off else code, clock() - begin)


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
        advice = "install infiniband-diags in the image, or set sweep.tool to the program's path"
        raise ToolError(f"cannot run {command[0]}: {reason}; {advice}") from error


async def _read(stream: asyncio.StreamReader | None, limit: int) -> bytes:
    """Up to the limit; what comes after it is read and dropped, so that the tool is not held up."""
    assert stream is not None
    parts, size = [], 0
    while chunk := await stream.read(_CHUNK):
        if size < limit:
            parts.append(chunk[: limit - size])
        size += len(chunk)
    return b"".join(parts)


def _end(process: Process) -> None:
    """With all that it started: a child that keeps a pipe open would be waited for."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
