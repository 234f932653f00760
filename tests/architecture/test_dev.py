"""`./dev`, the door to everything else: what it says when it cannot do what it is asked, what it never does twice."""

from __future__ import annotations

import ast
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.sources import ROOT


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "dev"))


def called(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "dev"), *arguments],
        cwd=folder, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_an_old_python_can_read_it_up_to_its_sentence() -> None:
    ast.parse((ROOT / "dev").read_text(), feature_version=(3, 7))


def test_without_a_verb_it_shows_its_verbs_from_any_folder(tmp_path: Path) -> None:
    done = called(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    for verb in ("install", "demo", "test", "check", "bench", "soak", "clean"):
        assert f"./dev {verb}" in done.stderr


@pytest.mark.parametrize("verb", ["bench", "soak"])
def test_a_name_that_is_none_is_answered_with_those_that_there_are(tmp_path: Path, verb: str) -> None:
    done = called(tmp_path, verb, "nonesuch")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "nonesuch" in done.stderr


def test_a_step_that_is_cut_short_is_made_again(script: dict[str, Any], tmp_path: Path) -> None:
    stamp, made = tmp_path / "stamp", []

    def cut_short() -> None:
        made.append("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        script["once"](stamp, "lock 1", cut_short)
    script["once"](stamp, "lock 1", lambda: made.append("whole"))
    script["once"](stamp, "lock 1", lambda: made.append("twice"))
    assert made == ["half", "whole"]


def test_another_lock_is_another_install(script: dict[str, Any], tmp_path: Path) -> None:
    stamp, made = tmp_path / "stamp", []
    for value in ("lock 1", "lock 2", "lock 1"):
        script["once"](stamp, value, lambda value=value: made.append(value))
    assert made == ["lock 1", "lock 2", "lock 1"]
