"""A real cluster to install on: real controllers make the pods, kwok runs them, Pod Security is enforced."""

from __future__ import annotations

import json
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cluster.control_plane import ControlPlane, Settings
from tests.deploy.rendering import Ended, command

SETTINGS = Settings(
    controllers=(
        "daemonset-controller",
        "deployment-controller",
        "garbage-collector-controller",
        "job-controller",
        "namespace-controller",
        "replicaset-controller",
        "root-ca-certificate-publisher-controller",
        "serviceaccount-controller",
    ),
    scheduler=True,
    kwok=True,
    api_server_flags=("--disable-admission-plugins=TaintNodesByCondition", "--allow-privileged=true"),
)
"""As clusters are that kubeadm makes; without the controller that would miss the heartbeats of kwok's nodes."""

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
NAMESPACES = ("hyperscout-system", "hyperscout-node")
FLOW = "X-Kubernetes-PF-FlowSchema-UID"
PATIENCE = 120.0
_PASSING = ("events", "events.events.k8s.io", "leases.coordination.k8s.io", "componentstatuses")


@dataclass(frozen=True, slots=True)
class Cluster:
    """The control plane, and the programs that an operator has."""

    plane: ControlPlane
    home: Path
    helm_path: Path
    kubectl_path: Path

    @property
    def kubeconfig(self) -> Path:
        """An administrator's."""
        file = self.home / "kubeconfig"
        file.write_text(self.plane.kubeconfig())
        return file

    def helm(self, *arguments: object) -> Ended:
        """How a helm command ends."""
        return command(self.helm_path, *arguments, home=self.home, kubeconfig=self.kubeconfig)

    def kubectl(self, *arguments: object, text: str = "") -> Ended:
        """How a kubectl command ends; the text is its standard input."""
        return command(self.kubectl_path, *arguments, home=self.home, kubeconfig=self.kubeconfig, text=text)

    def starts_helm(self, *arguments: str) -> subprocess.Popen[str]:
        """A helm command that goes on beside the test."""
        environment = {"HOME": str(self.home), "KUBECONFIG": str(self.kubeconfig)}
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [str(self.helm_path), *arguments], env=environment, stdout=pipe, stderr=subprocess.STDOUT, text=True
        )

    def apply(self, *objects: dict[str, Any]) -> None:
        """Bring the objects, in their order."""
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        must(self.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", text=text))

    def contents(self) -> set[tuple[str, ...]]:
        """Everything that is there, by apiVersion, kind, namespace and name; without what comes and goes by itself."""
        names = must(self.kubectl("api-resources", "--verbs=list", "--output=name")).out.split()
        wanted = ",".join(name for name in names if name not in _PASSING)
        columns = "V:.apiVersion,K:.kind,S:.metadata.namespace,N:.metadata.name"
        listed = must(self.kubectl("get", wanted, "-A", "--no-headers", "-o", f"custom-columns={columns}"))
        return {tuple(line.split()) for line in listed.out.splitlines()}

    def flow_of(self, path: str, token: str) -> str:
        """The uid of the FlowSchema that the API server puts a request into, whatever else it answers."""
        request = urllib.request.Request(f"{self.plane.url}{path}", headers={"Authorization": f"Bearer {token}"})
        trusting = urllib.request.HTTPSHandler(context=self.plane.tls())
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), trusting)
        try:
            with opener.open(request, timeout=30) as answer:
                return str(answer.headers[FLOW])
        except urllib.error.HTTPError as refused:
            with refused:
                return str(refused.headers[FLOW])

    def definition(self, name: str) -> dict[str, Any]:
        """A CustomResourceDefinition with everything that changes when anybody writes it."""
        answer = self.plane.ask("GET", f"{DEFINITIONS}/{name}")
        assert answer.status == 200, answer.body
        return answer.body

    def delete_definitions(self, *names: str) -> None:
        """Delete some, or all of them, and wait until they are gone.

        Asked again and again: kube-apiserver forgets one now and then, when its own parts write it at the same time.
        """
        deadline = time.monotonic() + PATIENCE
        while self.kubectl("delete", "crd", *(names or ("--all",)), "--ignore-not-found", "--timeout=5s").code:
            assert time.monotonic() < deadline, self.plane.last_words()

    def knows(self, name: str) -> bool:
        """Whether a definition is there and its kind is served."""
        answer = self.plane.ask("GET", f"{DEFINITIONS}/{name}")
        conditions = (answer.body["status"].get("conditions") or []) if answer.status == 200 else []
        return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)

    def until(self, holds: Callable[[], Any], what: str) -> Any:  # noqa: ANN401 - whatever the question answers
        """The first answer that is true; with the state of the cluster where none comes."""
        deadline = time.monotonic() + PATIENCE
        while not (answer := holds()):
            if time.monotonic() > deadline:
                state = self.kubectl("get", "pods,deployments,daemonsets,jobs", "-A", "-o", "wide").out
                raise AssertionError(f"never: {what}\n{state}\n{self.plane.last_words()}")
            time.sleep(0.2)
        return answer


def must(ended: Ended) -> Ended:
    """A command that has to succeed."""
    assert ended.code == 0, ended.out + ended.err
    return ended


def node(name: str, *taints: dict[str, str]) -> dict[str, Any]:
    """A Node for kwok to play."""
    labels = {"kubernetes.io/os": "linux", "kubernetes.io/hostname": name}
    metadata = {"name": name, "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {"taints": list(taints)}}
