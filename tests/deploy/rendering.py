"""What the real kubectl and helm make of the files in deploy/."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.fixtures import require
from tests.cluster.go import SHORT_LIVED
from tests.cluster.programs import HELM, KUBECTL

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
KUSTOMIZE = DEPLOY / "kustomize"
CHART = DEPLOY / "helm" / "hyperscout"
CRD_CHART = DEPLOY / "helm" / "hyperscout-crds"
OVERLAYS = ("standalone", "with-volcano", "demo")

Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


def command(*arguments: object, home: Path, kubeconfig: Path | None = None, text: str = "") -> Ended:
    """Run a program to its end, away from the caches and settings of whoever runs the tests."""
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(home), "KUBECONFIG": str(kubeconfig or os.devnull)}
    environment |= SHORT_LIVED
    words = [str(argument) for argument in arguments]
    done = subprocess.run(words, input=text, capture_output=True, text=True, env=environment, check=False, timeout=120)
    return Ended(done.returncode, done.stdout, done.stderr)


def documents(text: str) -> list[Object]:
    """The objects of a YAML stream."""
    return [document for document in yaml.load_all(text, _Loader) if document]


def identity(thing: Object) -> tuple[str, str, str]:
    """Kind, namespace and name."""
    metadata = thing["metadata"]
    return thing["kind"], metadata.get("namespace", ""), metadata["name"]


def built(folder: Path) -> list[Object]:
    """What `kubectl kustomize` makes of a folder."""
    return documents(build(folder))


@cache
def build(folder: Path) -> str:
    """The text that `kubectl kustomize` makes of a folder."""
    (kubectl,) = require(KUBECTL)
    ended = command(kubectl, "kustomize", folder, home=_home())
    assert ended.code == 0, ended.err
    return ended.out


@cache
def template(chart: Path, *arguments: str) -> Ended:
    """How `helm template` of a chart ends."""
    (helm,) = require(HELM)
    return command(helm, "template", "hyperscout", chart, *arguments, home=_home())


def rendered(chart: Path, *arguments: str) -> list[Object]:
    """What `helm template` makes of a chart."""
    ended = template(chart, *arguments)
    assert ended.code == 0, ended.err
    return documents(ended.out)


@cache
def _home() -> Path:
    """For the caches of programs that only render; it goes when the test run ends."""
    folder = tempfile.mkdtemp(prefix="hyperscout-deploy-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


_Loader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
