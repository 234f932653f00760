"""Files of a recording: ordinary ones, and no more of one than is held in memory."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from discovery.errors import TooLargeError
from discovery.recording.layout import MAX_FILE

_WITHOUT_WAITING = os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK


def read_file(file: Path) -> bytes:
    """All of it; a pipe or a device is not waited for. OSError: it cannot be read. TooLargeError: above the limit."""
    opened = os.open(file, _WITHOUT_WAITING)
    try:
        _refuse_others(os.fstat(opened).st_mode)
        with open(opened, "rb", closefd=False) as reader:
            data = reader.read(MAX_FILE + 1)
    finally:
        os.close(opened)
    if len(data) > MAX_FILE:
        raise TooLargeError(f"{file}: larger than {MAX_FILE >> 20} MiB, which is the most that is read")
    return data


def _refuse_others(mode: int) -> None:
    """OSError where it is no ordinary file."""
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "a pipe or a device in place of a file")
