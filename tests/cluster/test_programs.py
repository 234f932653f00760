"""Where the real programs are looked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cluster.build import main
from tests.cluster.programs import CHOICE, KUBECTL, PROGRAMS, VOLCANO_SCHEDULER, Program, find, how_to_get, is_whole

BUILT = {program: program.cached for program in PROGRAMS}
"""Where the real ones are, if they are: asked before the tests look into an empty cache."""


def program(folder: Path, executable: bool = True, version: str = KUBECTL.version) -> Path:
    """A file called kubectl in a new folder, which says a version."""
    folder.mkdir(parents=True)
    made = folder / "kubectl"
    made.write_text(f"#!/bin/sh\necho Client Version: {version}\n")
    made.chmod(0o755 if executable else 0o644)
    return made


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No assets, an empty cache, an empty PATH."""
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))


def test_the_assets_come_before_the_cache_and_the_cache_before_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert find(KUBECTL) is None
    on_path = program(tmp_path / "path")
    assert find(KUBECTL) == on_path
    cached = program(tmp_path / "cache" / "hyperscout" / "tools" / f"kubernetes-{KUBECTL.version}")
    assert find(KUBECTL) == cached
    assets = program(tmp_path / "assets")
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(assets.parent))
    assert find(KUBECTL) == assets


@pytest.mark.parametrize("wanted", PROGRAMS, ids=lambda wanted: wanted.name)
def test_what_a_real_program_says_of_its_version_is_understood(
    wanted: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not BUILT[wanted].exists():
        pytest.skip(how_to_get(wanted))
    link = tmp_path / "path" / wanted.name
    link.parent.mkdir()
    link.symlink_to(BUILT[wanted])
    assert find(wanted) == link
    monkeypatch.setattr(Program, "version", "v9.9.9")
    assert find(wanted) is None


@pytest.mark.parametrize(
    "version",
    [
        "none",
        "v1.32.4",
        f"{KUBECTL.version}1",
        f"v1{KUBECTL.version[1:]}",
        f"{KUBECTL.version}-rc.1",
        f"v1.32.4, made by go{KUBECTL.version[1:]}",
    ],
)
def test_another_version_on_path_is_passed_over(tmp_path: Path, version: str) -> None:
    program(tmp_path / "path", version=version)
    assert find(KUBECTL) is None


def test_a_file_that_cannot_be_run_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program(tmp_path / "assets", executable=False)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path / "assets"))
    assert find(KUBECTL) is None


def test_every_program_is_pinned_as_a_tool_of_its_module() -> None:
    for wanted in PROGRAMS:
        tools = (wanted.folder / "go.mod").read_text().partition("\ntool ")[2] or (wanted.folder / "go.mod").read_text()
        assert wanted.package in tools
        assert wanted.version.startswith("v")


def test_what_is_missing_is_told_with_the_command_that_builds_it() -> None:
    assert "python -m tests.cluster.build kubectl" in how_to_get(KUBECTL)


def test_a_name_that_is_none_of_them_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kubeclt"]) == 2
    assert "kubectl" in capsys.readouterr().err


def test_volcano_without_its_definitions_is_not_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    (tmp_path / "vc-scheduler").symlink_to("/bin/true")
    assert find(VOLCANO_SCHEDULER) is not None
    assert not is_whole(VOLCANO_SCHEDULER)
    VOLCANO_SCHEDULER.cached_definitions.mkdir(parents=True)
    assert is_whole(VOLCANO_SCHEDULER)


def test_another_kubernetes_is_chosen_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "from tests.cluster.programs import API_SERVER, KUBECTL;"
        "print(API_SERVER.version, KUBECTL.version, API_SERVER.cached.parent.name)"
    )
    monkeypatch.setenv(CHOICE, "1.30")
    chosen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert chosen[0].startswith("v1.30.")
    assert chosen[1] == KUBECTL.version
    assert chosen[2] == f"kubernetes-{chosen[0]}"
    monkeypatch.setenv(CHOICE, "1.2")
    refused = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "1.2 is not pinned; leave it away, or choose one of: 1.30" in refused.stderr
