"""PATHs to scans: files or standard input, a progress bar for big ones; what could not be used is said on stderr."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cli.ending import CommandError
from cli.output import printable, say
from discovery.errors import EvidenceError
from discovery.ibnetdiscover import MAX_BYTES, parse
from discovery.scan import NodeKind, Scan
from discovery.source import STANDARD_INPUT as STDIN
from discovery.source import Host

PROBLEMS_SHOWN = 5
BIG = 100_000_000
"""Bytes of one input from which a progress bar is shown."""


def read_scans(paths: Sequence[str], show_progress_from: int = BIG) -> tuple[Scan, ...]:
    """Read and parse every PATH; each is one scan. CommandError when one is no scan, or when no switch is seen."""
    if paths.count(STDIN) > 1:
        raise CommandError("- is given twice, and there is only one standard input; give the other scans as files")
    scans = tuple(_read_scan(path, show_progress_from) for path in paths)
    for scan in scans:
        _report_problems(scan)
    _require_a_fabric(scans)
    return scans


def _read_scan(path: str, show_progress_from: int) -> Scan:
    source = "standard input" if path == STDIN else path
    if not path:
        raise CommandError("a PATH is empty; give a file that ibnetdiscover wrote, or - for standard input")
    if path == STDIN and sys.stdin is None:
        raise CommandError("standard input is closed; give the scan as a file, or leave out <&-")
    try:
        data = Host(sys.stdin.buffer if path == STDIN else io.BytesIO()).read(path, MAX_BYTES)
        with _bar(source, len(data), show_progress_from) as advance:
            return parse(data, source, advance)
    except EvidenceError as error:
        raise CommandError(str(error)) from error


@contextmanager
def _bar(source: str, size: int, show_from: int) -> Iterator[Callable[[int], None] | None]:
    """A progress bar on stderr, told how many bytes are done; one line where no terminal is; None for small ones."""
    if not show_from <= size <= MAX_BYTES:
        yield None
        return
    if not sys.stderr.isatty():
        say(f"parsing {Path(source).name} ({size / 1_000_000:.0f} MB) ...")
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        name = printable(Path(source).name)
        task = progress.add_task(f"parsing {name}", total=size)

        def advance(done: int) -> None:
            """What follows on the last byte takes as long again: the bar is full, and says so."""
            progress.update(task, completed=done, description=f"{'parsing' if done < size else 'joining'} {name}")

        yield advance


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
