"""Where evidence is read from: the host itself, or a fixture that stands for one.

A probe asks its Source for bytes and parses them purely, so every probe runs on a laptop and in a test as on the host.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from discovery.errors import AbsentSourceError, TooLargeError, UnreadableSourceError

STANDARD_INPUT = "-"


class Source(Protocol):
    """Something that holds files by path."""

    def read(self, path: str, limit: int) -> bytes:
        """All bytes at the path. Raises UnreadableSourceError, and TooLargeError above `limit` bytes."""
        ...

    def names(self, path: str) -> tuple[str, ...]:
        """What a folder holds, in order. Raises AbsentSourceError, and UnreadableSourceError for any other reason."""
        ...


@dataclass(frozen=True, slots=True)
class Host:
    """The files of this machine below `root`; `-` is standard input."""

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
            raise UnreadableSourceError(f"{path}: {error.strerror or error}; give a file that can be read") from error

    def names(self, path: str) -> tuple[str, ...]:
        """As `Source.names`."""
        try:
            return tuple(sorted(entry.name for entry in (self.root / path).iterdir()))
        except FileNotFoundError as error:
            raise AbsentSourceError(f"{path}: {error.strerror}") from error
        except OSError as error:
            raise UnreadableSourceError(f"{path}: {error.strerror or error}; give a folder that can be read") from error


@dataclass(frozen=True, slots=True)
class Fixture:
    """Files in memory."""

    files: Mapping[str, bytes] = field(default_factory=dict)

    def read(self, path: str, limit: int) -> bytes:
        """As `Host.read`."""
        if path not in self.files:
            raise UnreadableSourceError(
                f"{path}: not in this fixture; it holds {', '.join(sorted(self.files)) or 'nothing'}"
            )
        return _bounded(io.BytesIO(self.files[path]), path, limit)

    def names(self, path: str) -> tuple[str, ...]:
        """As `Source.names`; a folder is there as long as it holds something."""
        below = f"{path}/"
        found = {file[len(below) :].partition("/")[0] for file in self.files if file.startswith(below)}
        if not found:
            raise AbsentSourceError(f"{path}: not in this fixture")
        return tuple(sorted(found))


def _bounded(file: BinaryIO, name: str, limit: int) -> bytes:
    data = file.read(limit + 1)
    if len(data) > limit:
        raise TooLargeError(f"{name}: larger than {limit:,} bytes, which is the most that is read; give a smaller file")
    return data
