"""What the soak of versions runs, and what it leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.soak_versions import LEFT_OUT, files_with_a_control_plane, main, pinned

ROOT = Path(__file__).resolve().parents[2]


def test_the_oldest_supported_kubernetes_is_pinned() -> None:
    assert "1.30" in pinned()


@pytest.fixture(scope="module")
def found() -> list[str]:
    """Takes a second."""
    return files_with_a_control_plane()


def test_tests_that_use_the_control_plane_are_found_by_what_they_read(found: list[str]) -> None:
    by_a_fixture, by_a_conftest = "tests/cluster/test_tokens.py", "tests/contract/test_watching.py"
    by_a_module = "tests/volcano/test_beside_volcano.py"
    assert {by_a_fixture, by_a_conftest, by_a_module} <= set(found)
    assert "tests/cluster/test_programs.py" not in found
    assert not [file for file in found if file.startswith("tests/topology/")]


@pytest.mark.parametrize("test", [test for tests in LEFT_OUT.values() for test in tests])
def test_what_is_left_out_is_a_test_that_would_run(test: str, found: list[str]) -> None:
    file, _, name = test.partition("::")
    assert file in found
    assert f"def {name.partition('[')[0]}(" in (ROOT / file).read_text()


def test_a_version_that_is_not_pinned_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["1.2"]) == 2
    assert "1.30" in capsys.readouterr().out
