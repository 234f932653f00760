"""The file `recording.json`: when and with what a folder was recorded, and how it is played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import msgspec

from discovery.errors import EvidenceError

FORMAT = 1
LONGEST = int(timedelta(days=31).total_seconds())
"""Seconds that a recording may last."""
YEARS = range(1970, 9999)
"""A recording begins in one of them."""


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
    """How long it is played, 31 days at most; none: 15 minutes beyond the last moment."""
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
    if manifest.until is not None and manifest.until > LONGEST:
        raise ManifestError(f"until is {manifest.until} seconds; give {LONGEST} (31 days) at most")
    if manifest.at.year not in YEARS:
        raise ManifestError(f"at is {manifest.at.isoformat()}; give a time from {YEARS[0]} to {YEARS[-1]}")
    return manifest


def write_manifest(manifest: Manifest) -> bytes:
    """As JSON for eyes."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
