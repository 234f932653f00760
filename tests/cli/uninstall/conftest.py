"""A real control plane with the controllers that end pods, and a site on it as the processes leave it behind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kube.access import Right
from kube.crds import crds
from tests.cluster.control_plane import ControlPlane, Settings
from tests.cluster.fixtures import require
from tests.cluster.test_control_plane import soon
from tests.cluster.tokens import account

ENDING_PODS = Settings(
    controllers=(
        "deployment-controller",
        "replicaset-controller",
        "daemonset-controller",
        "garbage-collector-controller",
    )
)
SYSTEM, ON_NODES = "hyperscout-system", "hyperscout-node"
APPS = "/apis/apps/v1/namespaces"
Object = dict[str, Any]
EVERY_TAINT = [{"operator": "Exists"}]


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane of this folder's own, for the removal looks at all Nodes."""
    require(*ENDING_PODS.programs)
    with ControlPlane(tmp_path_factory.mktemp("uninstall"), ENDING_PODS) as plane:
        define(plane)
        for namespace in (SYSTEM, ON_NODES):
            account(plane, namespace, "default")
        yield plane


def define(plane: ControlPlane) -> None:
    """Our kinds, served."""
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    for definition in crds():
        assert plane.ask("POST", path, definition).status == 201
    for definition in crds():
        group, plural = definition["spec"]["group"], definition["spec"]["names"]["plural"]
        version = definition["spec"]["versions"][0]["name"]
        soon(partial(serves, plane, f"/apis/{group}/{version}/{plural}"), plane)


def serves(plane: ControlPlane, path: str) -> bool:
    return plane.ask("GET", path).status == 200


def kubeconfig_of(plane: ControlPlane, folder: Path, name: str, rights: Sequence[Right]) -> str:
    """A kubeconfig of an account that may do exactly this."""
    made = account(plane, SYSTEM, name)
    for namespace in dict.fromkeys(right.namespace for right in rights):
        kind, inside = ("Role", f"namespaces/{namespace}/") if namespace else ("ClusterRole", "")
        metadata = {"name": name}
        rules = [_rule(right) for right in rights if right.namespace == namespace]
        path = f"/apis/rbac.authorization.k8s.io/v1/{inside}{kind.lower()}"
        assert plane.ask("POST", f"{path}s", {"metadata": metadata, "rules": rules}).status == 201
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name}
        subject = {"kind": "ServiceAccount", "namespace": SYSTEM, "name": name}
        binding = {"metadata": metadata, "roleRef": role, "subjects": [subject]}
        assert plane.ask("POST", f"{path}bindings", binding).status == 201
    file = folder / f"{name}.kubeconfig"
    file.write_text(plane.kubeconfig(made.token()))
    return str(file)


def _rule(right: Right) -> Object:
    resource = "/".join(filter(None, (right.resource.plural, right.subresource)))
    names = {"resourceNames": [right.name]} if right.name else {}
    return {"apiGroups": [right.resource.group], "resources": [resource], "verbs": [right.verb], **names}


@dataclass(frozen=True, slots=True)
class Api:
    """Makes and reads objects as the administrator."""

    plane: ControlPlane

    def make(self, path: str, body: Object) -> Object:
        """The object as the server has it."""
        answer = self.plane.ask("POST", path, body)
        assert answer.status == 201, answer.body
        return answer.body

    def get(self, path: str) -> Object:
        """One object."""
        answer = self.plane.ask("GET", path)
        assert answer.status == 200, answer.body
        return answer.body

    def put(self, path: str, body: Object) -> Object:
        """Written whole."""
        answer = self.plane.ask("PUT", path, body)
        assert answer.status == 200, answer.body
        return answer.body

    def names(self, path: str) -> list[str]:
        """Of all objects below the path."""
        return sorted(item["metadata"]["name"] for item in self.get(path)["items"])


@pytest.fixture(scope="module")
def api(plane: ControlPlane) -> Api:
    return Api(plane)


def workload(name: str, replicas: int | None = None) -> Object:
    """A Deployment, or without replicas a DaemonSet, of a pod that nobody runs."""
    labels = {"app": name}
    pod = {"containers": [{"name": "main", "image": "registry.test/main:1"}], "tolerations": EVERY_TAINT}
    template = {"metadata": {"labels": labels}, "spec": pod}
    spec: Object = {"selector": {"matchLabels": labels}, "template": template}
    return {"metadata": {"name": name}, "spec": spec | ({} if replicas is None else {"replicas": replicas})}


def lease(name: str, holder: str, seconds: int = 15) -> Object:
    """A Lease that somebody holds, or nobody ("")."""
    return {"metadata": {"name": name}, "spec": {"holderIdentity": holder, "leaseDurationSeconds": seconds}}


def hyper_node(name: str, tier: int, members: Sequence[str], kind: str, *, ours: bool) -> Object:
    """As the controller writes it, or another's."""
    label = {"volcano.sh/network-topology-source": "hyperscout" if ours else "hand"}
    listed = [{"type": kind, "selector": {"exactMatch": {"name": member}}} for member in members]
    return {
        "apiVersion": "topology.volcano.sh/v1alpha1",
        "kind": "HyperNode",
        "metadata": {"name": name, "labels": label},
        "spec": {"tier": tier, "members": listed},
    }
