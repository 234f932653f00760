"""Where kubectl is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.kubectl import find_kubectl, kubernetes_version


def program(folder: Path, executable: bool = True) -> Path:
    """A file called kubectl in a new folder."""
    folder.mkdir(parents=True)
    made = folder / "kubectl"
    made.write_text("#!/bin/sh\n")
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
    assert find_kubectl() is None
    on_path = program(tmp_path / "path")
    assert find_kubectl() == on_path
    cached = program(tmp_path / "cache" / "hyperscout" / "tools" / f"kubernetes-{kubernetes_version()}")
    assert find_kubectl() == cached
    assets = program(tmp_path / "assets")
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(assets.parent))
    assert find_kubectl() == assets


def test_a_file_that_cannot_be_run_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program(tmp_path / "assets", executable=False)
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path / "assets"))
    assert find_kubectl() is None


def test_the_version_is_that_of_the_module() -> None:
    assert kubernetes_version().startswith("v1.")
