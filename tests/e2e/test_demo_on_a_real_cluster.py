"""The demo on a real control plane whose nodes kwok plays: the same story, and nothing of it is left.

The cluster has a node and a HyperNode of others, and a node that a killed demo left. One demo is not told --yes, the
other one is, tells its story, and ends by Ctrl-C.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from kube.crds import crds
from tests.cluster import kwok
from tests.cluster.audit import Request
from tests.cluster.control_plane import ControlPlane, Settings
from tests.cluster.fixtures import require
from tests.e2e.story import assert_told

HYPERSCOUT = Path(sys.executable).parent / "hyperscout"
SECONDS = 120
CONTROLLERS = ("node-lifecycle-controller", "namespace-controller", "serviceaccount-controller")
SETTINGS = Settings(
    controllers=CONTROLLERS,
    controller_manager_flags=(kwok.NEVER_LOST,),
    kwok=True,
    kwok_flags=kwok.ANNOTATED_NODES,
    api_server_flags=(),
)
"""As clusters are: new nodes are tainted until they are ready, and pods need a ServiceAccount."""
OWN_NODE = {"metadata": {"name": "own-1"}, "status": {"allocatable": {"cpu": "64", "nvidia.com/gpu": "4"}}}
LEFT_NODE = {"metadata": {"name": "left-1", "labels": {"hyperscout.io/demo": "true"}}}
OWN_HYPER_NODE = {
    "apiVersion": "topology.volcano.sh/v1alpha1",
    "kind": "HyperNode",
    "metadata": {"name": "theirs"},
    "spec": {"tier": 1, "members": [{"type": "Node", "selector": {"exactMatch": {"name": "own-1"}}}]},
}
HYPER_NODES = "/apis/topology.volcano.sh/v1alpha1/hypernodes"
QUESTIONS = "selfsubjectaccessreviews"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@dataclass(frozen=True, slots=True)
class Played:
    """A demo was refused, and another one has come and gone."""

    plane: ControlPlane
    refused: subprocess.CompletedProcess[str]
    written_when_refused: list[Request]
    printed: str
    code: int


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    require(*SETTINGS.programs)
    folder = tmp_path_factory.mktemp("demo")
    with ControlPlane(folder / "plane", SETTINGS) as plane:
        kubeconfig = folder / "kubeconfig"
        kubeconfig.write_text(plane.kubeconfig())
        _furnish(plane)
        before = plane.audit.size()
        refused = subprocess.run(_command(kubeconfig), capture_output=True, text=True, timeout=SECONDS, check=False)
        written = [one for one in plane.audit.requests(after=before, user="admin") if one.writes]
        printed, code = _play_until("Ctrl-C ends it", signal.SIGINT, kubeconfig, "--keep")
        yield Played(plane, refused, written, printed, code)


def _furnish(plane: ControlPlane) -> None:
    """What others have, and what a demo left that was killed."""
    (definition,) = (body for body in crds() if body["spec"]["names"]["kind"] == "HyperNode")
    plane.ask("POST", DEFINITIONS, definition)
    for node in (OWN_NODE, LEFT_NODE):
        assert plane.ask("POST", "/api/v1/nodes", node).status == 201
    until = time.monotonic() + SECONDS
    while plane.ask("POST", HYPER_NODES, OWN_HYPER_NODE).status != 201:
        assert time.monotonic() < until, "the definition is not established"
        time.sleep(0.05)


def _command(kubeconfig: Path, *arguments: str) -> list[str]:
    return [str(HYPERSCOUT), "demo", "--kubeconfig", str(kubeconfig), *arguments]


def _play_until(word: str, told: signal.Signals, kubeconfig: Path, *arguments: str) -> tuple[str, int]:
    """What the demo printed until it said the word, was told by the signal and ended; and its exit code."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    command = _command(kubeconfig, "--yes", *arguments)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as demo:
        assert demo.stdout is not None
        printed = ""
        for line in demo.stdout:
            printed += line
            if line.startswith(word):
                demo.send_signal(told)
        return printed, demo.wait(SECONDS)


def test_it_says_what_it_would_make_and_makes_nothing_beside_others_unless_told(played: Played) -> None:
    assert played.refused.returncode == 1
    for word in ("118 Nodes", "hyperscout-demo", "9 HyperNodes", "definitions of PodGroup, NodeReport"):
        assert word in played.refused.stdout
    for word in ("1 Node of its own (own-1) and 1 HyperNode of others (theirs)", "lacks the definitions", "--yes"):
        assert word in played.refused.stderr
    assert [one.resource for one in played.written_when_refused if one.resource != QUESTIONS] == []


def test_it_tells_the_same_story_as_on_the_embedded_server(played: Played) -> None:
    assert_told(played.printed)
    assert "kubectl get pods -o wide -n hyperscout-demo" in played.printed


def test_what_a_killed_demo_left_is_removed_first(played: Played) -> None:
    (left,) = (line for line in played.printed.splitlines() if line.startswith("An earlier demo left"))
    assert left == "An earlier demo left 1 Node: removed"


def test_ctrl_c_ends_it_and_nothing_of_it_is_left(played: Played) -> None:
    plane = played.plane
    assert played.code == 128 + signal.SIGINT
    assert [node["metadata"]["name"] for node in plane.ask("GET", "/api/v1/nodes").body["items"]] == ["own-1"]
    assert plane.ask("GET", "/api/v1/namespaces/hyperscout-demo").status == 404
    assert plane.ask("GET", "/api/v1/pods").body["items"] == []
    left = [found["metadata"]["name"] for found in plane.ask("GET", DEFINITIONS).body["items"]]
    assert left == ["hypernodes.topology.volcano.sh"]


def test_what_others_have_is_as_it_was(played: Played) -> None:
    (theirs,) = played.plane.ask("GET", HYPER_NODES).body["items"]
    assert theirs["spec"] == OWN_HYPER_NODE["spec"]
    assert theirs["metadata"]["generation"] == 1
    writes = [
        one for one in played.plane.audit.requests(user="admin") if one.writes and one.name in ("own-1", "theirs")
    ]
    assert [(one.verb, one.agent.startswith("Python-urllib")) for one in writes] == [("create", True)] * 2
