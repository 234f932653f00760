"""`./dev`, the door to everything else: what it says when it cannot do what it is asked, what it never does twice."""

from __future__ import annotations

import ast
import os
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
    for verb in ("install", "demo", "test", "check", "bench", "soak", "packages", "clean"):
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


def fake(folder: Path, name: str, script: str) -> None:
    """A program of that name that notes how it was called."""
    program = folder / name
    program.write_text(f'#!/bin/sh\necho "{name} $*" >> {folder}/calls\n{script}\n')
    program.chmod(0o755)


@pytest.fixture
def debian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine where dpkg knows git alone; its programs stand before the real ones."""
    fake(tmp_path, "dpkg-query", "echo git installed; echo buildah config-files; exit 1")
    fake(tmp_path, "apt-get", "")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.delenv("CI", raising=False)
    return tmp_path


def test_packages_that_are_missing_are_named_with_the_line_that_installs_them(debian: Path) -> None:
    done = called(debian, "packages")
    assert done.returncode == 0
    line = done.stderr.splitlines()[-1].split()
    assert line[:3] == ["apt-get", "install", "--no-install-recommends"]
    assert {"buildah", "openssl"} <= set(line)
    assert "git" not in line
    assert "apt-get" not in (debian / "calls").read_text()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root installs packages")
def test_with_ci_those_that_are_missing_are_installed_and_a_failure_is_told(
    debian: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    done = called(debian, "packages")
    assert done.returncode == 0
    update, install = (debian / "calls").read_text().splitlines()[-2:]
    assert update == "apt-get update"
    assert install.startswith("apt-get install --yes --no-install-recommends ")
    assert "git" not in install.split()
    fake(debian, "apt-get", "echo no network; exit 100")
    done = called(debian, "packages")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-2:] == ["no network", "dev: apt-get update failed (its last words are above)"]


def test_the_packages_are_named_once_each_with_what_they_are_for() -> None:
    lines = [line for line in (ROOT / "tests" / "packages.debian").read_text().splitlines() if not line.startswith("#")]
    names = [line.split()[0] for line in lines]
    assert names == sorted(set(names))
