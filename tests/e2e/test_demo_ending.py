"""The demo on its way out: signals end it in order with the code of the signal, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HYPERSCOUT = Path(sys.executable).parent / "hyperscout"
SECONDS = 60


@pytest.mark.parametrize(
    ("arguments", "word", "told", "code"),
    [
        ([], "Discovery", signal.SIGINT, 130),
        (["--keep"], "Ctrl-C", signal.SIGTERM, 143),
    ],
)
def test_a_signal_ends_it_with_its_code_and_leaves_nothing_behind(
    tmp_path: Path, arguments: list[str], word: str, told: signal.Signals, code: int
) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [str(HYPERSCOUT), "demo", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as demo:  # fmt: skip
        assert demo.stdout is not None
        assert demo.stderr is not None
        reached = any(word in line for line in demo.stdout)
        assert reached, demo.stderr.read()
        demo.send_signal(told)
        _, said = demo.communicate(timeout=SECONDS)
    assert demo.returncode == code
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []
