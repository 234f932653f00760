"""The file `recording.json`: when and with what a folder was recorded, and how it is played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

import msgspec

from discovery.errors import EvidenceError

FORMAT = 1


class ManifestError(EvidenceError):
    """The file cannot be used; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Something that could not be recorded."""

    what: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Times are in seconds since the first moment."""

    format: int = FORMAT
    story: str = ""
    """What happens, in a sentence."""
    at: datetime = datetime(2026, 3, 1, 6, 0, tzinfo=UTC)
    """The time of the first moment."""
    look: int = 60
    """Between two looks of an agent."""
    sweep: int = 300
    """Between two sweeps."""
    until: int | None = None
    """How long it is played; none: 15 minutes beyond the last moment."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of the programs that the recording was made with."""
    failed: tuple[Failure, ...] = ()
    anonymised: bool = False


def read_manifest(data: bytes) -> Manifest:
    """Raises ManifestError."""
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except msgspec.MsgspecError as error:
        raise ManifestError(f"not the manifest of a recording: {error}") from error
    if manifest.format != FORMAT:
        raise ManifestError(f"recorded in format {manifest.format}; this version of hyperscout reads format {FORMAT}")
    if manifest.look < 1 or manifest.sweep < 1 or (manifest.until is not None and manifest.until < 0):
        raise ManifestError("look and sweep are seconds, at least 1, and until is no negative number")
    return manifest


def write_manifest(manifest: Manifest) -> bytes:
    """As JSON for eyes."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
