"""Paths in a folder that the user may not search: one sentence and the documented exit code, whatever the command."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from discovery.recording.layout import EXPECTED, MANIFEST
from tests.cli.dumps import write_dump
from tests.cli.running import Answer, run
from tests.nobody import as_nobody, closed
from tests.sites.__main__ import FIXTURES

LIVE = (
    "doctor",
    "changes",
    "whatif --gang 1x8gpu --soft",
    "explain node n",
    "agent",
    "controller",
    "scheduler",
    "sweeper",
    "uninstall --dry-run",
)
REASON = "cannot be read: Permission denied; name one that can be"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, which everybody may search; nothing names a cluster."""
    tmp_path.chmod(0o777)
    monkeypatch.chdir(tmp_path)
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "nowhere")
    closed(tmp_path)
    return tmp_path


def run_as_nobody(capsys: pytest.CaptureFixture[str], *arguments: str) -> Answer:
    """Once as we are, for what is imported late, and then as nobody."""
    run(capsys, *arguments)
    with as_nobody():
        return run(capsys, *arguments)


def is_a_sentence(answer: Answer, code: int, words: str) -> None:
    assert (answer.code, answer.out) == (code, ""), answer.err
    assert words in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", LIVE)
def test_a_kubeconfig_that_is_given(capsys: pytest.CaptureFixture[str], command: str) -> None:
    answer = run_as_nobody(capsys, *command.split(), "--kubeconfig", "closed/config")
    is_a_sentence(answer, 3, f"the kubeconfig closed/config {REASON}")


@pytest.mark.usefixtures("folder")
def test_the_kubeconfig_of_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    answer = run_as_nobody(capsys, "demo", "--kubeconfig", "closed/config")
    assert answer.code == 3
    assert answer.err.count("\n") == 1
    assert f"the kubeconfig closed/config {REASON}" in answer.err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", LIVE)
@pytest.mark.parametrize(
    ("variable", "value", "named"),
    [("KUBECONFIG", "closed/config", "closed/config"), ("HOME", "closed", "closed/.kube/config")],
)
def test_a_kubeconfig_of_the_environment(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    variable: str,
    value: str,
    named: str,
) -> None:
    monkeypatch.setenv(variable, value)
    is_a_sentence(run_as_nobody(capsys, *command.split()), 3, f"the kubeconfig {named} {REASON}")


@pytest.mark.usefixtures("folder")
def test_a_recording(capsys: pytest.CaptureFixture[str]) -> None:
    call = ("record", "closed/recording", "--sysfs-root", "none", "--proc-root", "none", "--listen", "0")
    answer = run_as_nobody(capsys, *call)
    is_a_sentence(answer, 2, "closed/recording: Permission denied; give a folder that can be written to")


@pytest.mark.parametrize("moment", ["closed/moment", "closed"])
def test_a_recording_with_a_moment_in_it(capsys: pytest.CaptureFixture[str], folder: Path, moment: str) -> None:
    recording = folder / "recording"
    recording.mkdir()
    (recording / MANIFEST).write_bytes((FIXTURES / "clean" / MANIFEST).read_bytes())
    (recording / "0").symlink_to(folder / moment)
    answer = run_as_nobody(capsys, "replay", "recording")
    is_a_sentence(answer, 2, "Permission denied; give a folder that can be read")


def test_the_expected_results_of_a_recording(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    shutil.copytree(FIXTURES / "clean", folder / "recording")
    expected = folder / "recording" / EXPECTED
    expected.unlink()
    expected.symlink_to(folder / "closed" / "results")
    answer = run_as_nobody(capsys, "replay", "recording")
    assert (answer.code, answer.err.count("\n")) == (2, 1), answer.err
    assert "Permission denied; give a file that can be read" in answer.err


def test_node_names(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    dump = Path(write_dump(folder)).name
    answer = run_as_nobody(capsys, "map", dump, "--nodes", "closed/names")
    is_a_sentence(
        answer,
        2,
        "--nodes 'closed/names': as a file it cannot be looked at (Permission denied), and as a regular expression it "
        "matches no host",
    )


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("credentials", "words"),
    [
        ("none", "the folder none cannot be read: mount a Secret there"),
        ("/none/there", "the folder /none/there cannot be read: mount a Secret there"),
        ("closed/secret", "closed/secret: Permission denied; give a folder that can be read"),
    ],
)
def test_credentials_are_named_as_they_were_given(
    capsys: pytest.CaptureFixture[str], credentials: str, words: str
) -> None:
    call = ("record", "q", "--switch", "192.0.2.1", "--credentials", credentials, "--no-host")
    is_a_sentence(run_as_nobody(capsys, *call), 2, words)
