"""What may go wrong with a piece of evidence as a whole; the only exceptions that readers and parsers raise.

    EvidenceError
    ├── UnreadableSourceError   the path cannot be read (absent, a folder, no rights)
    │   └── AbsentSourceError   there is nothing at the path
    ├── TooLargeError           more bytes than the limit
    ├── BinaryInputError        bytes that are no text
    └── NothingReadError        text in which not one node could be read

A single bad line is none of these: it becomes a `discovery.scan.Problem` and the rest counts. Every message is a whole
sentence that says what happened, where, and what to do.
"""

from __future__ import annotations


class EvidenceError(Exception):
    """A piece of evidence that cannot be used at all."""


class UnreadableSourceError(EvidenceError):
    """The source could not be opened or read."""


class AbsentSourceError(UnreadableSourceError):
    """There is nothing of that name."""


class TooLargeError(EvidenceError):
    """The source holds more than is read into memory."""


class BinaryInputError(EvidenceError):
    """The source holds something else than text."""


class NothingReadError(EvidenceError):
    """Not one line of the text could be used."""
