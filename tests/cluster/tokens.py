"""ServiceAccounts of a control plane and their tokens, also such as a kubelet gives to the pods on its node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.cluster.control_plane import Answer, ControlPlane


@dataclass(frozen=True, slots=True)
class Account:
    """A ServiceAccount that exists."""

    plane: ControlPlane
    namespace: str
    name: str

    @property
    def user(self) -> str:
        """What the API server calls it."""
        return f"system:serviceaccount:{self.namespace}:{self.name}"

    def token(self, seconds: int = 3600) -> str:
        """A token that is bound to no pod, so it claims no node."""
        return self._token({"expirationSeconds": seconds})

    def token_on(self, node: str, seconds: int = 3600) -> str:
        """A token of a pod on the node, which is made for it: `authentication.kubernetes.io/node-name` names the node.

        Where the node exists its uid is claimed too. With the pod the token dies.
        """
        bound = {"apiVersion": "v1", "kind": "Pod", "name": f"{self.name}-{node}"}
        self.plane.ask("POST", f"/api/v1/namespaces/{self.namespace}/pods", self._pod(bound["name"], node))
        pod = _body(self.plane.ask("GET", f"/api/v1/namespaces/{self.namespace}/pods/{bound['name']}"))
        bound["uid"] = pod["metadata"]["uid"]
        return self._token({"expirationSeconds": seconds, "boundObjectRef": bound})

    def claims(self, token: str) -> dict[str, Any]:
        """What the API server makes of a token: its userInfo."""
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}
        answer = _body(self.plane.ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review))
        return dict(answer["status"].get("user", {}))

    def _pod(self, name: str, node: str) -> dict[str, Any]:
        containers = [{"name": "main", "image": "registry.test/main:1"}]
        spec = {"serviceAccountName": self.name, "nodeName": node, "containers": containers}
        return {"metadata": {"name": name}, "spec": spec}

    def _token(self, spec: dict[str, Any]) -> str:
        path = f"/api/v1/namespaces/{self.namespace}/serviceaccounts/{self.name}/token"
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
        return str(_body(self.plane.ask("POST", path, request))["status"]["token"])


def account(plane: ControlPlane, namespace: str, name: str) -> Account:
    """The ServiceAccount, made with its namespace where they are not there."""
    plane.ask("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    plane.ask("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": name}})
    _body(plane.ask("GET", f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}"))
    return Account(plane, namespace, name)


def _body(answer: Answer) -> dict[str, Any]:
    if answer.status >= 300:
        raise RuntimeError(f"the API server answers {answer.status}: {answer.body.get('message', answer.body)}")
    return answer.body
