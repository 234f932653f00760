"""Our kinds, accounts, Roles and admission policies, put onto a control plane."""

from __future__ import annotations

import json
import time
from functools import partial

from kube.crds import crds
from tests.cluster.control_plane import Answer, ControlPlane
from tests.cluster.test_control_plane import soon
from tests.cluster.tokens import Account
from tests.security import manifests
from tests.security.manifests import NODE, SYSTEM, Json, rendered

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
COLLECTIONS = {
    "ValidatingAdmissionPolicy": f"{ADMISSION}/validatingadmissionpolicies",
    "ValidatingAdmissionPolicyBinding": f"{ADMISSION}/validatingadmissionpolicybindings",
    "ClusterRole": f"{RBAC}/clusterroles",
    "ClusterRoleBinding": f"{RBAC}/clusterrolebindings",
}
CANARY = "hyperscout-leases"
"""The policy that is made last."""
NAMESPACED = {
    "ServiceAccount": "/api/v1/namespaces/{}/serviceaccounts",
    "Role": RBAC + "/namespaces/{}/roles",
    "RoleBinding": RBAC + "/namespaces/{}/rolebindings",
}


def install(plane: ControlPlane) -> None:
    """Kinds, namespaces, accounts, Roles and policies; it returns when the policies are in force."""
    for definition in crds():
        _made(plane.ask("POST", DEFINITIONS, definition))
    for namespace in (SYSTEM, NODE):
        _made(plane.ask("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}}))
    policies = sorted(rendered(manifests.ADMISSION), key=lambda one: one["metadata"]["name"] == CANARY)
    for one in (*rendered(manifests.RBAC), *policies):
        _made(plane.ask("POST", _collection(one), one))
    for definition in crds():
        soon(partial(_serves, plane, definition), plane)
    soon(partial(_in_force, plane), plane)


def account_of(plane: ControlPlane, name: str) -> Account:
    """One of the accounts that were installed; those of agents and sweepers live in the namespace of the nodes."""
    return Account(plane, NODE if name.startswith(("hyperscout-agent", "hyperscout-sweeper")) else SYSTEM, name)


def add_sweeper(plane: ControlPlane, name: str) -> Account:
    """The account of one more sweeper, with what the manifests give to the one that they know."""
    known, added = "sweeper-default", f"sweeper-{name}"
    for one in rendered(manifests.RBAC):
        if known in one["metadata"]["name"]:
            other = json.loads(json.dumps(one).replace(known, added))
            _made(plane.ask("POST", _collection(other), other))
    made = account_of(plane, f"hyperscout-{added}")
    token, reports = made.token(), "/apis/hyperscout.io/v1alpha1/switchreports"
    soon(lambda: plane.ask("GET", reports, token=token).status == 200, plane)
    return made


def grant(plane: ControlPlane, cluster_role: str, account: Account) -> None:
    """Bind a ClusterRole to an account."""
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": cluster_role}
    subject = {"kind": "ServiceAccount", "namespace": account.namespace, "name": account.name}
    binding = {"metadata": {"name": f"{cluster_role}-{account.name}"}, "roleRef": role, "subjects": [subject]}
    _made(plane.ask("POST", f"{RBAC}/clusterrolebindings", binding))


def _made(answer: Answer) -> None:
    assert answer.status in (201, 409), answer.body


def _collection(one: Json) -> str:
    found = COLLECTIONS.get(one["kind"])
    return found or NAMESPACED[one["kind"]].format(one["metadata"]["namespace"])


def _serves(plane: ControlPlane, definition: Json) -> bool:
    spec = definition["spec"]
    path = f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"
    return plane.ask("GET", path).status == 200


def _in_force(plane: ControlPlane) -> bool:
    """The API server reads policies in the order in which they were made, within about a second: the last refuses."""
    token = account_of(plane, "hyperscout-scheduler").token()
    lease = {"metadata": {"name": f"canary-{time.monotonic_ns()}", "namespace": SYSTEM}}
    path = f"/apis/coordination.k8s.io/v1/namespaces/{SYSTEM}/leases?dryRun=All"
    return CANARY in plane.ask("POST", path, lease, token).body.get("message", "")
