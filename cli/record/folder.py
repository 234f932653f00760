"""Writes a recording into its folder: one that is new or empty, and never over anything."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cli.ending import CommandError
from discovery.recording import layout
from discovery.recording.manifest import Manifest, write_manifest


def check_folder(folder: Path) -> None:
    """CommandError where it holds something, or is none."""
    try:
        if folder.exists() and any(folder.iterdir()):
            raise CommandError(f"{folder} holds something already; give a folder that is new or empty")
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"{folder}: {error.strerror or error}; give a folder that can be written to") from error


def write_folder(folder: Path, manifest: Manifest, texts: Mapping[str, str]) -> None:
    """One moment. CommandError where it cannot be written."""
    try:
        for path, text in sorted(texts.items()):
            file = folder / layout.moment_name(0) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", errors="surrogateescape")
        (folder / layout.MANIFEST).write_bytes(write_manifest(manifest))
    except OSError as error:
        raise CommandError(f"{folder}: {error.strerror or error}; the recording is not whole") from error
