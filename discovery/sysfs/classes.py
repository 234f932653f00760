"""The classes of devices that a sysfs shows."""

from __future__ import annotations

from discovery.errors import AbsentSourceError
from discovery.source import Source

CLASSES = "class"
"""Every sysfs has it."""


def class_names(source: Source, folder: str) -> tuple[str, ...]:
    """What a class such as `class/infiniband` holds; nothing where the kernel has no such class.

    EvidenceError where nobody knows, as where this is no sysfs at all.
    """
    try:
        return source.names(folder)
    except AbsentSourceError:
        pass
    try:
        classes = source.names(CLASSES)
    except AbsentSourceError as error:
        raise AbsentSourceError(f"this is no sysfs: it has no folder {CLASSES}; see where it is read") from error
    if folder.rpartition("/")[2] not in classes:
        return ()
    try:  # it may have come between the two
        return source.names(folder)
    except AbsentSourceError as error:
        raise AbsentSourceError(f"this is no sysfs: its {folder} is no folder; see where it is read") from error
