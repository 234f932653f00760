"""Files of a recording: ordinary ones, and no more of one than is held in memory."""

from __future__ import annotations

from os.path import exists, isfile
from pathlib import Path

from discovery.errors import UnreadableSourceError
from discovery.recording.layout import MAX_FILE
from discovery.source import Tree


def read_file(file: Path) -> bytes:
    """All of it. Raises UnreadableSourceError, also for a pipe or a device, and TooLargeError."""
    if exists(file) and not isfile(file):
        raise UnreadableSourceError(f"{file}: a pipe, a device or a folder in place of a file; take it away")
    return Tree(Path(file.anchor)).read(str(file), MAX_FILE)
