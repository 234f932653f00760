#!/usr/bin/env python3
"""A kind cluster in which hyperscout is installed and its demo plays, on GPU nodes that kwok plays.

    deploy/kind/play.py up      make the cluster, build and load the image, install, play the demo
    deploy/kind/play.py down    remove the cluster again, and end kwok

    --name NAME         of the cluster (hyperscout)
    --node-image IMAGE  for kind, to have another Kubernetes than its own
    --dry-run           print the commands, and run none

It needs docker, kind, kubectl and kwok (go install sigs.k8s.io/kwok/cmd/kwok@v0.8.0). `up` again goes on where it was
cut short. Standard library only.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
IMAGE = "hyperscout:0.1.0"
"""As the manifests in deploy/kustomize call it."""
SYSTEM = "hyperscout-system"
PROCESSES = ("deployment/hyperscout-controller", "deployment/hyperscout-scheduler")


@dataclass(frozen=True)
class Place:
    """One cluster, and where its kubeconfig and kwok's log are kept."""

    name: str
    node_image: str

    @property
    def folder(self) -> Path:
        """Outside the tree."""
        cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        return Path(cache) / "hyperscout" / "kind" / self.name

    @property
    def kubeconfig(self) -> str:
        """Of its administrator."""
        return str(self.folder / "kubeconfig")

    @property
    def pid_file(self) -> Path:
        """Of kwok."""
        return self.folder / "kwok.pid"

    def kubectl(self, *arguments: str) -> list[str]:
        """A command on this cluster and no other."""
        return ["kubectl", "--kubeconfig", self.kubeconfig, *arguments]


def say(text: str) -> None:
    """Progress."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def give_up(sentence: str) -> NoReturn:
    """One sentence, and the end."""
    say("play.py: " + sentence)
    raise SystemExit(1)


def making(place: Place) -> Iterator[tuple[str, list[str]]]:
    """The commands before kwok, each with what it does."""
    image = ["--image", place.node_image] if place.node_image else []
    config = ["--config", str(ROOT / "deploy/kind/cluster.yaml"), "--kubeconfig", place.kubeconfig]
    yield "build the image", ["docker", "build", "-f", str(ROOT / "deploy/Dockerfile"), "-t", IMAGE, str(ROOT)]
    yield "make the cluster", ["kind", "create", "cluster", "--name", place.name, "--wait", "120s", *config, *image]
    yield "load the image", ["kind", "load", "docker-image", IMAGE, "--name", place.name]


def playing(place: Place) -> Iterator[tuple[str, list[str]]]:
    """The commands beside kwok."""
    for brought in ("hyperscout", "volcano"):
        folder = str(ROOT / "deploy/helm/hyperscout-crds/definitions" / brought)
        yield f"install the kinds of {brought}", place.kubectl("apply", "--server-side", "-k", folder)
    yield "wait for the kinds", place.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
    overlay = str(ROOT / "deploy/kustomize/overlays/demo")
    yield "install", place.kubectl("apply", "--server-side", "-k", overlay)
    here = ("-n", SYSTEM)
    yield "run controller and scheduler from the image", place.kubectl(*here, "scale", "--replicas=1", *PROCESSES)
    for one in PROCESSES:
        yield "see that it comes up", place.kubectl(*here, "rollout", "status", one, "--timeout=180s")
    yield "stop them, for the demo plays both", place.kubectl(*here, "scale", "--replicas=0", *PROCESSES)
    pods = ("pod", "-l", "app.kubernetes.io/name=hyperscout", "--timeout=60s")
    yield "see that they are gone", place.kubectl(*here, "wait", "--for=delete", *pods)
    yield "play the demo", [str(ROOT / "dev"), "demo", "--kubeconfig", place.kubeconfig, "--yes"]


def kwok(place: Place) -> list[str]:
    """Plays nodes that bear its annotation, and leaves kind's own alone."""
    return [
        "kwok",
        f"--kubeconfig={place.kubeconfig}",
        f"--config={ROOT / 'deploy/kind/stages.yaml'}",
        "--manage-all-nodes=false",
        "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
    ]


def removing(place: Place) -> list[str]:
    """The last command."""
    return ["kind", "delete", "cluster", "--name", place.name, "--kubeconfig", place.kubeconfig]


def require(*programs: str) -> None:
    """End with a sentence where one is missing, or where docker has no daemon."""
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        give_up(f"needs {', '.join(missing)} on PATH; nothing was done")
    if subprocess.run(["docker", "info"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
        give_up("docker is there, but its daemon does not answer (docker info); start it and try again")


def run(sentence: str, command: Sequence[str]) -> None:
    """One command to its end; its failure is the end of all."""
    say(f"{sentence} ...")
    code = subprocess.call(command, cwd=ROOT)
    if code:
        give_up(f"could not {sentence}: {shlex.join(command)} ended with {code}; up again goes on, down removes all")


def start_kwok(place: Place) -> None:
    """Beside us, until `down`."""
    if running_kwok(place) is not None:
        return
    with (place.folder / "kwok.log").open("ab") as log:
        started = subprocess.Popen(
            kwok(place), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    place.pid_file.write_text(str(started.pid))


def running_kwok(place: Place) -> int | None:
    """Its process id, if it is kwok that has it still."""
    with suppress(OSError, ValueError):
        pid = int(place.pid_file.read_text())
        command = subprocess.run(
            ["ps", "-ww", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=False
        ).stdout
        if f"--kubeconfig={place.kubeconfig}" in command:
            return pid
    return None


def has_cluster(place: Place) -> bool:
    """Whether kind knows it already."""
    listed = subprocess.run(["kind", "get", "clusters"], stdout=subprocess.PIPE, text=True, check=False)
    return place.name in listed.stdout.split()


def up(place: Place) -> None:
    """Everything, in its order."""
    require("docker", "kind", "kubectl", "kwok")
    place.folder.mkdir(parents=True, exist_ok=True)
    there = has_cluster(place)
    for sentence, command in making(place):
        if not (there and command[:2] == ["kind", "create"]):
            run(sentence, command)
    start_kwok(place)
    for sentence, command in playing(place):
        run(sentence, command)
    say(f"It stays up: export KUBECONFIG={place.kubeconfig}; {Path(__file__).name} down removes it.")


def down(place: Place) -> None:
    """The cluster, kwok and the files of both."""
    require("docker", "kind")
    pid = running_kwok(place)
    if pid is not None:
        os.kill(pid, signal.SIGTERM)
    run("remove the cluster", removing(place))
    shutil.rmtree(place.folder, ignore_errors=True)


def show(place: Place, verb: str) -> None:
    """The commands of a verb, as a shell would take them."""
    if verb == "down":
        commands = [["kill", f"$(cat {shlex.quote(str(place.pid_file))})"], removing(place)]
    else:
        commands = [*(one for _, one in making(place)), [*kwok(place), "&"], *(one for _, one in playing(place))]
    for command in commands:
        plain = [part if part == "&" or part.startswith("$(") else shlex.quote(part) for part in command]
        sys.stdout.write(" ".join(plain) + "\n")


def main() -> None:
    """Read the command line."""
    usage = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        description=usage[0], epilog=usage[2], formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=("up", "down"))
    parser.add_argument("--name", default="hyperscout")
    parser.add_argument("--node-image", default="")
    parser.add_argument("--dry-run", action="store_true")
    given = parser.parse_args()
    place = Place(given.name, given.node_image)
    if given.dry_run:
        show(place, given.verb)
    else:
        {"up": up, "down": down}[given.verb](place)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
