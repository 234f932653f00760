"""Where the real programs are looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.build import main
from tests.cluster.programs import KUBECTL, PROGRAMS, find, how_to_get


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


@pytest.mark.parametrize("version", ["v1.32.4", f"{KUBECTL.version}1", f"v1{KUBECTL.version[1:]}", "none"])
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
