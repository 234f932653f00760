"""PATHs to scans: files or standard input, a progress bar for big ones; what could not be used is said on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from cli.ending import CommandError
from cli.output import say
from discovery.errors import EvidenceError
from discovery.ibnetdiscover import MAX_BYTES, parse
from discovery.scan import NodeKind, Scan

if TYPE_CHECKING:
    from rich.progress import Progress

STDIN = "-"
CHUNK = 8 * 2**20
PROBLEMS_SHOWN = 5
BIG = 100_000_000
"""Bytes, all inputs together, from which a progress bar is shown."""


def read_scans(paths: Sequence[str], show_progress_from: int = BIG) -> tuple[Scan, ...]:
    """Read and parse every PATH; each is one scan. CommandError when one is no scan, or when no switch is seen."""
    if paths.count(STDIN) > 1:
        raise CommandError("- is given twice, and there is only one standard input; give the other scans as files")
    size = sum(_size(path) for path in paths)
    with _progress(size, show_progress_from) as progress:
        scans = tuple(_read_scan(path, progress) for path in paths)
    for scan in scans:
        _report_problems(scan)
    _require_a_fabric(scans)
    return scans


def _size(path: str) -> int:
    """Bytes of a file; 0 where it is not known (a pipe, or nothing at all, which reading then says)."""
    try:
        return os.fstat(sys.stdin.fileno()).st_size if path == STDIN else Path(path).stat().st_size
    except (OSError, ValueError):
        return 0


@contextmanager
def _progress(size: int, show_from: int) -> Iterator[Progress | None]:
    if size < show_from:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        yield progress


def _read_scan(path: str, progress: Progress | None) -> Scan:
    source = "standard input" if path == STDIN else path
    try:
        data = _read(path, progress)
    except OSError as error:
        raise CommandError(
            f"{source}: {error.strerror or error}; give a file that ibnetdiscover wrote, or - "
        ) from error
    try:
        return parse(data, source)
    except EvidenceError as error:
        raise CommandError(str(error)) from error


def _read(path: str, progress: Progress | None) -> bytes:
    """All bytes, but never more than one over the limit: the parser then refuses them."""
    if path == STDIN:
        return _read_from(sys.stdin.buffer, "standard input", progress)
    with Path(path).open("rb") as file:
        return _read_from(file, Path(path).name, progress)


def _read_from(file: IO[bytes], name: str, progress: Progress | None) -> bytes:
    if progress is None:
        return file.read(MAX_BYTES + 1)
    task = progress.add_task(f"reading {name}", total=_size_of(file))
    parts: list[bytes] = []
    while sum(map(len, parts)) <= MAX_BYTES and (part := file.read(CHUNK)):
        parts.append(part)
        progress.advance(task, len(part))
    progress.update(task, description=f"parsing {name}")
    return b"".join(parts)


def _size_of(file: IO[bytes]) -> int | None:
    return os.fstat(file.fileno()).st_size or None


def _report_problems(scan: Scan) -> None:
    """What the parser kept out, by line, bounded; and whether the tool itself said that it missed something."""
    if scan.problems:
        count = len(scan.problems)
        say(f"{scan.source}: {count:,} {'line' if count == 1 else 'lines'} could not be used; the rest counts")
        for problem in scan.problems[:PROBLEMS_SHOWN]:
            where = f"{scan.source}:{problem.line}" if problem.line else scan.source
            say(f"  {where}: {problem.reason}: {problem.text[:120]}")
        if count > PROBLEMS_SHOWN:
            say(f"  ... and {count - PROBLEMS_SHOWN:,} more")
    if not scan.complete:
        say(f"{scan.source}: the scan did not reach all of the fabric; what lies behind its error lines is unknown")


def _require_a_fabric(scans: Sequence[Scan]) -> None:
    """Adapters alone make no fabric. Two that are cabled to each other are at least a fact, and are shown as such."""
    switches = sum(int((scan.nodes.kind == NodeKind.SWITCH).sum()) for scan in scans)
    if switches or any(len(scan.links) for scan in scans):
        return
    adapters = sum(len(scan.nodes) for scan in scans)
    seen = f"only {adapters:,} {'adapter' if adapters == 1 else 'adapters'} without a link"
    raise CommandError(
        f"{', '.join(scan.source for scan in scans)}: no switches seen, {seen}; "
        "run ibnetdiscover on a port that is up and cabled to the fabric (ibstat shows which)"
    )
