"""What RBAC grants to one account, as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kube.access import Right
from tests.security.manifests import Json, accounts_and_roles, of_kind


@dataclass(frozen=True, slots=True, order=True)
class Grant:
    """One verb on one resource (`nodes/status`) of a group; in one namespace or everywhere, on one name or all."""

    verb: str
    group: str
    resource: str
    namespace: str = ""
    name: str = ""


def grant_of(right: Right) -> Grant:
    """What RBAC has to grant for a right."""
    resource = "/".join(filter(None, (right.resource.plural, right.subresource)))
    return Grant(right.verb, right.resource.group, resource, right.namespace, right.name)


def grants_of(rules: Iterable[Json], namespace: str = "") -> Iterator[Grant]:
    """Each single grant of some rules."""
    for rule in rules:
        for group in rule.get("apiGroups", ()):
            for resource in rule["resources"]:
                for verb in rule["verbs"]:
                    for name in rule.get("resourceNames", [""]):
                        yield Grant(verb, group, resource, namespace, name)


def granted_to(account: str, *, without: str = "") -> set[Grant]:
    """All that the bindings of the manifests give to a ServiceAccount, but for one ClusterRole."""
    found = accounts_and_roles()
    bindings = of_kind("ClusterRoleBinding", found) + of_kind("RoleBinding", found)
    granted: set[Grant] = set()
    for binding in bindings:
        if account in [subject["name"] for subject in binding["subjects"]] and binding["roleRef"]["name"] != without:
            granted |= set(grants_of(role_of(binding)["rules"], binding["metadata"].get("namespace", "")))
    return granted


def role_of(binding: Json) -> Json:
    """The Role or ClusterRole that a binding names."""
    wanted = binding["roleRef"]
    namespace = binding["metadata"].get("namespace") if wanted["kind"] == "Role" else None
    (role,) = [
        role
        for role in of_kind(wanted["kind"], accounts_and_roles())
        if (role["metadata"]["name"], role["metadata"].get("namespace")) == (wanted["name"], namespace)
    ]
    return role
