"""Writes a recording into its folder: one that is new or empty, and never over anything."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from cli.ending import CommandError
from discovery.recording import layout
from discovery.recording.manifest import Manifest, write_manifest


@contextmanager
def new_folder(folder: Path) -> Iterator[None]:
    """Make it, and take it away again where the recording fails. CommandError where it holds something, or is none."""
    made = _make(folder)
    try:
        yield
    except BaseException:
        for one in [folder] if made else list(folder.iterdir()):
            shutil.rmtree(one, ignore_errors=True) if one.is_dir() else one.unlink(missing_ok=True)
        raise


def _make(folder: Path) -> bool:
    """Whether it was not there before."""
    try:
        is_new = not folder.exists()
        if not is_new and any(folder.iterdir()):
            raise CommandError(f"{folder} holds something already; give a folder that is new or empty")
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"{folder}: {error.strerror or error}; give a folder that can be written to") from error
    return is_new


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
