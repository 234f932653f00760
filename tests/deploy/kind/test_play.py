"""`deploy/kind/play.py`, with programs that only note how they are called: there is no container engine here.

kwok is the real one, on a real API server.
"""

from __future__ import annotations

import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.architecture.sources import ROOT
from tests.cluster import kwok
from tests.cluster.control_plane import ControlPlane
from tests.cluster.fixtures import require
from tests.cluster.process import Process
from tests.cluster.programs import KWOK
from tests.cluster.test_control_plane import soon

PLAY = ROOT / "deploy" / "kind" / "play.py"
PROGRAMS = ("docker", "kind", "kubectl", "kwok")


def fake(folder: Path, name: str, script: str = "") -> None:
    """A program of that name that notes how it was called."""
    program = folder / name
    program.write_text(f'#!/bin/sh\necho "{name} $*" >> {folder}/calls\n{script}\n')
    program.chmod(0o755)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Programs that do nothing, in a PATH that has little else; kwok goes on until it is ended."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in PROGRAMS:
        fake(folder, name, "exec sh -c 'while sleep 0.1; do :; done' \"$@\"" if name == "kwok" else "")
    for name in ("ps", "sh", "sleep", "env"):
        (folder / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield folder
    play("down")


def play(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(PLAY), *arguments], capture_output=True, text=True, check=False, timeout=60
    )


def commands(*arguments: str) -> list[list[str]]:
    """What a dry run prints, word by word."""
    done = play(*arguments, "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    return [shlex.split(line) for line in done.stdout.splitlines()]


def test_a_dry_run_prints_every_command_and_the_files_that_they_name_exist(machine: Path) -> None:
    printed = commands("up")
    assert [command[0] for command in printed[:4]] == ["docker", "kind", "kind", "kwok"]
    assert printed[-1][:2] == [str(ROOT / "dev"), "demo"]
    assert {command[0] for command in printed[4:-1]} == {"kubectl"}
    words = [word.rpartition("=")[2] for command in printed for word in command]
    assert [word for word in words if word.startswith(str(ROOT)) and not Path(word).exists()] == []
    assert not (machine / "calls").exists()


def test_every_command_on_the_cluster_names_its_kubeconfig(machine: Path, tmp_path: Path) -> None:
    kubeconfig = str(tmp_path / "cache/hyperscout/kind/other/kubeconfig")
    for command in commands("up", "--name", "other")[1:]:
        assert command[:2] == ["kind", "load"] or kubeconfig in " ".join(command)
    assert not (machine / "calls").exists()


def test_the_image_that_is_built_is_the_one_that_the_manifests_run(machine: Path) -> None:
    built = commands("up")[0]
    image = built[built.index("-t") + 1]
    used = re.findall(
        r"image: (\S+)", "".join(path.read_text() for path in (ROOT / "deploy/kustomize/base").glob("*.yaml"))
    )
    assert set(used) == {image}
    assert not (machine / "calls").exists()


@pytest.mark.parametrize("missing", PROGRAMS)
def test_a_program_that_is_missing_is_named_and_nothing_is_done(machine: Path, missing: str) -> None:
    (machine / missing).unlink()
    done = play("up")
    assert (done.returncode, done.stderr) == (1, f"play.py: needs {missing} on PATH; nothing was done\n")
    assert not (machine / "calls").exists()
    fake(machine, missing)


def test_a_docker_without_its_daemon_is_told(machine: Path) -> None:
    fake(machine, "docker", "exit 1")
    done = play("up")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "its daemon does not answer" in done.stderr
    fake(machine, "docker")


def test_a_step_that_fails_ends_it_with_its_command_and_another_try_does_not_make_the_cluster_again(
    machine: Path,
) -> None:
    fake(machine, "kubectl", "exit 3")
    fake(machine, "kind", "[ $1 = get ] && echo hyperscout; true")
    done = play("up")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("play.py: could not install the kinds of hyperscout: kubectl --kubeconfig ")
    assert "ended with 3; up again goes on" in last
    calls = (machine / "calls").read_text()
    assert "kind load docker-image hyperscout:0.1.0" in calls
    assert "kind create" not in calls


def test_down_ends_kwok_and_removes_the_cluster(machine: Path, tmp_path: Path) -> None:
    fake(machine, "kubectl", "exit 3")
    play("up")
    folder = tmp_path / "cache/hyperscout/kind/hyperscout"
    pid = int((folder / "kwok.pid").read_text())
    os.kill(pid, 0)
    assert play("down").returncode == 0
    soon_gone(pid)
    assert "kind delete cluster --name hyperscout" in (machine / "calls").read_text()
    assert not folder.exists()


def soon_gone(pid: int) -> None:
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        subprocess.run(["sleep", "0.05"], check=True)
    raise AssertionError(f"process {pid} goes on")


def test_its_stages_are_those_that_the_tests_play_nodes_with() -> None:
    assert list(yaml.safe_load_all((ROOT / "deploy/kind/stages.yaml").read_text())) == kwok.stages()


def test_kwok_plays_the_nodes_with_its_annotation_and_leaves_others_alone(
    control_plane: ControlPlane, tmp_path: Path
) -> None:
    (program,) = require(KWOK)
    script = runpy.run_path(str(PLAY))
    command = script["kwok"](script["Place"]("test", ""))
    (tmp_path / "kubeconfig").write_text(control_plane.kubeconfig())
    options = [
        f"--kubeconfig={tmp_path}/kubeconfig" if word.startswith("--kubeconfig") else word for word in command[1:]
    ]
    nodes = "/api/v1/nodes"
    played = {"name": "kind-played", "annotations": {"kwok.x-k8s.io/node": "fake"}}
    for metadata in ({"name": "kind-own"}, played):
        assert control_plane.ask("POST", nodes, {"metadata": metadata}).status == 201
    process = Process("kwok", [str(program), *options], tmp_path / "kwok.log", lambda: True)
    process.start()
    try:
        soon(lambda: "conditions" in control_plane.ask("GET", f"{nodes}/kind-played").body["status"], control_plane)
        assert "conditions" not in control_plane.ask("GET", f"{nodes}/kind-own").body["status"]
    finally:
        process.stop()
        for name in ("kind-own", "kind-played"):
            control_plane.ask("DELETE", f"{nodes}/{name}")
