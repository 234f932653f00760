"""Whatever the discovery tool prints: it is bounded, told, and what is known stays as it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent.sweeper.infiniband.merging import merge
from agent.sweeper.infiniband.reading import read_subnet
from agent.sweeper.infiniband.subnets import Runs
from agent.sweeper.judging import Judgement, Known, Patience, judge
from agent.sweeper.reading import Sweep
from agent.sweeper.tool import MAX_WORDS, Output, run_tool
from discovery.reports import COMPLETE, FAILED, PARTIAL
from tests.agent.sweeper.played import draw
from topology.synth.evidence import scan_of
from topology.synth.text import write_text

DUMP = write_text(scan_of(draw()))
WORDS = "umad (DR path slid 0; dlid 0; 0,1,5 Attr 0x11:0) bad status 110; Connection timed out\n"


def swept(output: Output, own: Sweep | None = None) -> Sweep:
    subnet = read_subnet(output, "mlx5_0/1", (), "f")
    return merge(Runs((subnet,)), own.reports if own is not None else {}).sweep


def given(dump: bytes, words: str = "", code: int | None = 0) -> Output:
    return Output(dump, words, code, 1.0)


WHOLE = swept(given(DUMP))


def second(output: Output) -> tuple[Sweep, Judgement]:
    """The sweep after a whole one."""
    first = judge(WHOLE.view, Known(), Patience())
    assert first.outcome == COMPLETE
    sweep = swept(output, WHOLE)
    return sweep, judge(sweep.view, first.known, Patience())


@pytest.mark.parametrize(
    "output",
    [
        given(DUMP, code=None),
        given(DUMP[: len(DUMP) // 4]),
        given(DUMP[: DUMP.rindex(b"\n\n", 0, len(DUMP) // 4) + 1]),
        given(DUMP[: DUMP.rindex(b"4xHDR") + 3]),
        given(DUMP.replace(b"Switch\t41", b"Swi\x00tch", 3)),
        given(b"", code=255),
        given(b""),
        given(os.urandom(50_000)),
        given(b"[" * 200_000),
        given(DUMP, words="umad_init failed\n"),
        given(DUMP, words=WORDS.replace("0,1,5", "0,7,7,7")),
        given(DUMP, words=WORDS * (MAX_WORDS // len(WORDS) + 1)),
        given(DUMP.replace(b"# Initiated from", b"# Begun at"), words=WORDS),
        Output(DUMP, "", None, 1.0, overflow=True),
    ],
    ids=[
        "cut off", "truncated", "truncated between blocks", "without its end", "binary in it", "refused",
        "nothing", "binary", "one long line", "an error",
        "a path that leads nowhere", "errors without end", "no start", "too much",
    ],
)  # fmt: skip
def test_a_poor_sweep_is_told_takes_nothing_away_and_overwrites_nothing(output: Output) -> None:
    sweep, judged = second(output)
    assert judged.outcome in (PARTIAL, FAILED)
    assert judged.reasons
    assert not judged.missing
    assert not judged.left
    assert not sweep.due(WHOLE.reports, judged.outcome).keys() & WHOLE.reports.keys()
    assert len(judged.reasons) <= 20
    assert max(map(len, judged.reasons)) <= 300


def test_a_hostile_description_is_a_description() -> None:
    text = b'x" lid 9 4xHDR # "' + b"\xff" * 20
    sweep, judged = second(given(DUMP.replace(b"MF0;cf-leaf-001:MQM8700/U1", text)))
    assert judged.outcome == COMPLETE
    assert len(sweep.reports) == len(WHOLE.reports)


async def test_words_without_end_hold_up_nothing_and_are_bounded(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\nhead -c 5000000 /dev/zero | tr '\\0' 'e' >&2\necho map\n")
    tool.chmod(0o755)
    output = await run_tool([str(tool)], 30.0)
    assert (output.map, output.code, len(output.words)) == (b"map\n", 0, MAX_WORDS)
