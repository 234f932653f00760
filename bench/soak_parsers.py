"""`soak parsers`: mutated dumps, and whether a parser answers with anything but a scan or one of its own refusals.

    python -m bench.soak_parsers [--count N] [--seed SEED]

Each input is a small excerpt of a hand-written dump (or of a real capture, where those stand beside the checkout) with
a few bytes, tokens or lines changed. A scan must be sound, both readers must agree on it, and its reports must carry
it. The exit code is 1 if one does not; the input's seed is printed, and `--seed SEED --count 1` runs it again.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields
from functools import cache
from pathlib import Path

import numpy as np

from discovery.conversion import report_names, switch_reports
from discovery.descriptions import host_name, switch_model, switch_name
from discovery.errors import EvidenceError
from discovery.ibnetdiscover import parse, parse_by_lines
from discovery.reported import scan_from_reports
from discovery.scan import NodeKind, Scan

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (ROOT / "fixtures" / "ibnetdiscover", ROOT / ".." / "shared" / "data" / "ib")
COUNT = 200_000
BLOCK = 500
SHOWN = 1500
"""So many bytes of a wrongly answered input are shown; its seed gives the whole."""
TOKENS = (
    *(b'"', b"#", b"[", b"]", b"(", b")", b"\n", b"\r", b"\t", b" ", b"'", b" - ", b"<", b"> ", b"< ", b"0x", b"?"),
    *(b"[ext 7]", b" lid ", b"4xNDR", b"??", b"???", b"12x", b"FDR10", b"S-", b"H-", b"R-", b"?-", b"\xff", b"\x1b[K"),
    *(b"Switch\t41 ", b"Ca\t1 ", b"Rt\t", b"vendid=0x", b"switchguid=0x", b"sysimgguid=0x", b"Chassis 1\n"),
    *(b"0000000000000000", b"ffffffffffffffff", b"99999", b"[255]", b"[0]", b" s=1 w=2 v=3", b" (scp)", b" slot 3"),
    *(b"src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1 Attr 0x11:0) bad status 110\n", b"x" * 2100, b"\0"),
)  # fmt: skip

Random = random.Random


@cache
def corpus() -> tuple[tuple[bytes, ...], ...]:
    """Every dump at hand, in lines with their line ends."""
    files = (file for folder in FOLDERS if folder.is_dir() for file in sorted(folder.iterdir()) if file.suffix != "")
    return tuple(tuple(file.read_bytes().splitlines(keepends=True)) for file in files)


def mutated(seed: str) -> bytes:
    """The input of a seed: an excerpt of up to 40 lines with up to 8 changes."""
    draw = Random(seed)
    dump = draw.choice(corpus())
    start = draw.randrange(len(dump))
    lines = list(dump[start : start + draw.randint(1, 40)])
    for _ in range(draw.randint(0, 3)):
        draw.choice(LINE_CHANGES)(lines, draw)
    data = bytearray(b"".join(lines))
    for _ in range(draw.randint(0, 5)):
        draw.choice(BYTE_CHANGES)(data, draw)
    return bytes(data)


def _drop_line(lines: list[bytes], draw: Random) -> None:
    if lines:
        lines.pop(draw.randrange(len(lines)))


def _repeat_line(lines: list[bytes], draw: Random) -> None:
    if lines:
        lines.insert(draw.randrange(len(lines) + 1), draw.choice(lines))


def _strange_line(lines: list[bytes], draw: Random) -> None:
    lines.insert(draw.randrange(len(lines) + 1), draw.choice(draw.choice(corpus())))


def _eat_tabs(lines: list[bytes], draw: Random) -> None:
    blank = draw.choice((b"", b" ", b"\t\t"))
    lines[:] = [line.replace(b"\t", blank) for line in lines]


def _change_line_ends(lines: list[bytes], draw: Random) -> None:
    end = draw.choice((b"\r\n", b"\r", b"\r\r\n", b" \n", b""))
    lines[:] = [line.rstrip(b"\r\n") + end for line in lines]


def _mark_lines(lines: list[bytes], draw: Random) -> None:
    lines[:] = [draw.choice((b"", b"> ", b"< ", b"  ")) + line for line in lines]


def _flip(data: bytearray, draw: Random) -> None:
    if data:
        data[draw.randrange(len(data))] = draw.randrange(256)


def _cut(data: bytearray, draw: Random) -> None:
    start = draw.randrange(len(data) + 1)
    del data[start : start + draw.randint(1, 30)]


def _end(data: bytearray, draw: Random) -> None:
    del data[draw.randrange(len(data) + 1) :]


def _insert(data: bytearray, draw: Random) -> None:
    start = draw.randrange(len(data) + 1)
    data[start:start] = draw.choice(TOKENS)


def _copy(data: bytearray, draw: Random) -> None:
    start, to = draw.randrange(len(data) + 1), draw.randrange(len(data) + 1)
    data[to:to] = data[start : start + draw.randint(1, 40)]


LINE_CHANGES: Sequence[Callable[[list[bytes], Random], None]] = (
    *(_drop_line, _repeat_line, _strange_line, _eat_tabs, _change_line_ends, _mark_lines),
)  # fmt: skip
BYTE_CHANGES: Sequence[Callable[[bytearray, Random], None]] = (_flip, _flip, _cut, _end, _insert, _insert, _copy)


def check(data: bytes) -> None:
    """Raise AssertionError, or whatever a parser raises, where an input is not answered as promised."""
    fast, slow = _answer(lambda: parse(data, "input")), _answer(lambda: parse_by_lines(data, "input"))
    if isinstance(fast, str) or isinstance(slow, str):
        assert fast == slow, "one reader refuses what the other reads, or for another reason"
        assert str(fast).startswith("input: ")
        return
    _check_soundness(fast, data.count(b"\n") + data.count(b"\r") + 1)
    _check_equality(fast, slow)
    for text in fast.nodes.description:
        assert switch_name(text) == switch_name(text).strip()
        assert all(part is None or part in text for part in (*host_name(text), switch_model(text)))
    reports = switch_reports(fast)
    assert len(set(report_names(reports))) == len(reports)
    assert scan_from_reports(reports).problems == ()


def _answer(read: Callable[[], Scan]) -> Scan | str:
    """The scan, or the sentence of the refusal."""
    try:
        return read()
    except EvidenceError as refusal:
        return str(refusal)


def _check_soundness(scan: Scan, lines: int) -> None:
    nodes, links = scan.nodes, scan.links
    assert {len(getattr(nodes, column.name)) for column in fields(nodes)} == {len(nodes)}
    assert {len(getattr(links, column.name)) for column in fields(links)} == {len(links)}
    assert nodes.guid.all()
    assert len(np.unique(nodes.guid)) == len(nodes) > 0
    assert set(nodes.kind.tolist()) <= set(NodeKind)
    ends = [list(zip(*(column.tolist() for column in end), strict=True)) for end in _ends(scan)]
    assert all(a <= b for a, b in zip(*ends, strict=True))
    assert all(0 <= node < len(nodes) and 0 < port < 255 for end in ends for node, port in end)
    claimed = [*ends[0], *(b for a, b in zip(*ends, strict=True) if a != b)]
    assert len(set(claimed)) == len(claimed)
    assert set(links.width.tolist()) <= {0, 1, 2, 4, 8, 12}
    assert all(0 <= problem.line <= lines for problem in scan.problems)


def _ends(scan: Scan) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    links = scan.links
    return (links.a_node, links.a_port), (links.b_node, links.b_port)


def _check_equality(fast: Scan, slow: Scan) -> None:
    """Columns and grammar agree."""
    for part in ("nodes", "links"):
        for column in fields(getattr(fast, part)):
            one, other = (getattr(getattr(scan, part), column.name) for scan in (fast, slow))
            assert np.array_equal(one, other), f"the readers differ in {part}.{column.name}"
    assert (fast.problems, fast.spelled, fast.complete) == (slow.problems, slow.spelled, slow.complete)


def finding(seed: str) -> str | None:
    """What is wrong with the answer to the input of a seed; None where it is right."""
    try:
        check(mutated(seed))
    except Exception:
        return traceback.format_exc(limit=-3)
    return None


def _findings(seeds: Sequence[str]) -> list[tuple[str, str]]:
    return [(seed, found) for seed in seeds if (found := finding(seed)) is not None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `--count` inputs on all cores; 1 if one of them is answered wrongly."""
    options = argparse.ArgumentParser(description="mutated dumps against the parsers")
    options.add_argument("--count", type=int, default=COUNT)
    options.add_argument("--seed", default=f"{time.time_ns():x}", help="of the run, or RUN:NUMBER of one input")
    chosen = options.parse_args(arguments)
    seeds = [chosen.seed] if ":" in chosen.seed else [f"{chosen.seed}:{number}" for number in range(chosen.count)]
    blocks = [seeds[start : start + BLOCK] for start in range(0, len(seeds), BLOCK)]
    began, wrong = time.perf_counter(), 0
    with ProcessPoolExecutor(min(os.cpu_count() or 1, len(blocks))) as pool:
        for found in pool.map(_findings, blocks):
            for seed, what in found[: max(0, 10 - wrong)]:
                print(f"seed {seed}\n{mutated(seed)[:SHOWN]!r}\n{what}", flush=True)
            wrong += len(found)
    seconds = time.perf_counter() - began
    print(f"{len(seeds):,} mutated dumps in {seconds:.0f} s, {wrong} answered wrongly; seed {chosen.seed}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
