"""Where evidence is read from: the host itself, or a fixture that stands for one.

A probe asks its Source for bytes and parses them purely, so every probe runs on a laptop and in a test as on the host.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from discovery.errors import AbsentSourceError, TooLargeError, UnreadableSourceError

STANDARD_INPUT = "-"
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ENODEV, errno.ENXIO)
"""What opening or reading says where nothing is, or where a device has gone meanwhile."""
_WITHOUT_WAITING = os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK


class Source(Protocol):
    """Something that holds files by path."""

    def read(self, path: str, limit: int) -> bytes:
        """All bytes at the path. Raises UnreadableSourceError (AbsentSourceError where nothing is there), and
        TooLargeError above `limit` bytes."""
        ...

    def names(self, path: str) -> tuple[str, ...]:
        """What a folder holds, in order. Raises AbsentSourceError, and UnreadableSourceError for any other reason."""
        ...

    def made(self, path: str) -> str | None:
        """What tells the thing at the path from another of its name before or after it; None where nobody knows."""
        ...


@dataclass(frozen=True, slots=True)
class Host:
    """The files of this machine below `root`, pipes among them; `-` is standard input."""

    standard_input: BinaryIO
    root: Path = Path()

    def read(self, path: str, limit: int) -> bytes:
        """Never holds more than one byte over the limit, also where a pipe does not tell its length."""
        try:
            if path == STANDARD_INPUT:
                return _bounded(self.standard_input, "standard input", limit)
            with (self.root / path).open("rb") as file:
                return _bounded(file, path, limit)
        except OSError as error:
            raise _unreadable(path, error, "file") from error

    def names(self, path: str) -> tuple[str, ...]:
        """As `Source.names`."""
        return _names(str(self.root / path), path)

    def made(self, path: str) -> str | None:
        """As `Source.made`."""
        return _inode(str(self.root / path))


@dataclass(frozen=True, slots=True)
class Tree:
    """A sysfs or a procfs (or what stands for one) below `root`: many small files, and none that is waited for."""

    root: Path

    def read(self, path: str, limit: int) -> bytes:
        """A pipe or a terminal that somebody put there has nothing to give, and holds up nobody."""
        try:
            file = os.open(f"{self.root}/{path}", _WITHOUT_WAITING)
            try:
                data = os.read(file, limit + 1)
                while (more := os.read(file, limit + 1 - len(data))) and len(data) <= limit:
                    data += more
            finally:
                os.close(file)
        except OSError as error:
            raise _unreadable(path, error, "file") from error
        return _within(data, path, limit)

    def names(self, path: str) -> tuple[str, ...]:
        """As `Source.names`."""
        return _names(f"{self.root}/{path}", path)

    def made(self, path: str) -> str | None:
        """By its inode: a sysfs numbers its folders upwards and uses no number twice, so a driver that is loaded
        again shows other ones."""
        return _inode(f"{self.root}/{path}")


@dataclass(frozen=True, slots=True)
class Fixture:
    """Files in memory."""

    files: Mapping[str, bytes] = field(default_factory=dict)

    def read(self, path: str, limit: int) -> bytes:
        """As `Host.read`."""
        if path not in self.files:
            raise AbsentSourceError(f"{path}: not in this fixture, which holds {len(self.files)} files")
        return _bounded(io.BytesIO(self.files[path]), path, limit)

    def names(self, path: str) -> tuple[str, ...]:
        """As `Source.names`; a folder is there as long as it holds something."""
        below = f"{path}/"
        found = {file[len(below) :].partition("/")[0] for file in self.files if file.startswith(below)}
        if not found:
            raise AbsentSourceError(f"{path}: not in this fixture")
        return tuple(sorted(found))

    def made(self, path: str) -> str | None:
        """Never known."""
        return None


def _bounded(file: BinaryIO, name: str, limit: int) -> bytes:
    return _within(file.read(limit + 1), name, limit)


def _within(data: bytes, name: str, limit: int) -> bytes:
    if len(data) > limit:
        raise TooLargeError(f"{name}: larger than {limit:,} bytes, which is the most that is read; give a smaller file")
    return data


def _names(where: str, path: str) -> tuple[str, ...]:
    """Without names that are no text (UTF-8): nothing that is looked for is named so, and no report could hold one."""
    try:
        return tuple(sorted(name for name in os.listdir(where) if is_text(name)))
    except OSError as error:
        raise _unreadable(path, error, "folder") from error


def is_text(name: str) -> bool:
    """Whether a name as the system tells it is text (UTF-8)."""
    try:
        return bool(name.encode())
    except UnicodeEncodeError:
        return False


def _inode(where: str) -> str | None:
    try:
        return str(os.stat(where).st_ino)
    except OSError:
        return None


def no_folder(path: Path) -> str | None:
    """Why what an operator named as a folder is none, as the end of a sentence; None where it is one."""
    try:
        return None if stat.S_ISDIR(os.stat(path).st_mode) else "that is no folder"
    except OSError as error:
        if error.errno in _ABSENT:
            return "there is no such folder"
        return f"it cannot be looked at ({error.strerror or error})"


def _unreadable(path: str, error: OSError, wanted: str) -> UnreadableSourceError:
    kind = AbsentSourceError if error.errno in _ABSENT else UnreadableSourceError
    return kind(f"{path}: {error.strerror or error}; give a {wanted} that can be read")
