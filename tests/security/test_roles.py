"""Each account has exactly the rights that its process asks for: none too few, none too many, none too wide."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from cli.processes import controller, scheduler, sweeper
from cli.uninstall import places
from controller.settings import NodeMarks
from kube.access import Right, rights
from kube.types import NODE_REPORTS
from tests.security.granted import Grant, grant_of, granted_to, grants_of, role_of
from tests.security.manifests import NODE, SYSTEM, Json, accounts_and_roles, of_kind

AGENT = rights("get create patch", NODE_REPORTS)
SERVES_METRICS = "hyperscout-metrics-server"


def roles() -> list[Json]:
    """Every Role and ClusterRole."""
    return of_kind("Role", accounts_and_roles()) + of_kind("ClusterRole", accounts_and_roles())


def named(one: Json) -> str:
    """For the name of a test."""
    return f"{one['kind']}-{one['metadata'].get('namespace', '')}-{one['metadata']['name']}"


@pytest.mark.parametrize(
    ("account", "needed"),
    [
        ("hyperscout-agent", AGENT),
        ("hyperscout-sweeper-default", sweeper.needs(NODE, "default").rights),
        ("hyperscout-controller", controller.needs(SYSTEM).rights),
        ("hyperscout-scheduler", scheduler.needs(SYSTEM).rights),
        ("hyperscout-uninstall", places.needs(places.Places(), purge=False)),
    ],
)
def test_an_account_may_do_what_its_process_asks_for_and_nothing_else(account: str, needed: Iterable[Right]) -> None:
    granted, wanted = granted_to(account, without=SERVES_METRICS), {grant_of(right) for right in needed}
    assert sorted(wanted - granted) == [], f"deploy/kustomize/base/rbac/ lacks what {account} needs"
    assert sorted(granted - wanted) == [], f"deploy/kustomize/base/rbac/ gives {account} more than it needs"


def test_labels_and_taints_of_nodes_are_rights_of_their_own_for_the_controller() -> None:
    more = set(controller.needs(SYSTEM, NodeMarks(taint="NoSchedule")).rights) - set(controller.needs(SYSTEM).rights)
    (nodes,) = [role for role in roles() if role["metadata"]["name"] == "hyperscout-controller-nodes"]
    assert set(grants_of(nodes["rules"])) == {grant_of(right) for right in more}


def test_deleting_hyper_nodes_is_a_right_of_its_own_for_the_uninstallation() -> None:
    more = set(places.needs(places.Places(), purge=True)) - set(places.needs(places.Places(), purge=False))
    (purge,) = [role for role in roles() if role["metadata"]["name"] == "hyperscout-uninstall-purge"]
    assert set(grants_of(purge["rules"])) == {grant_of(right) for right in more}


@pytest.mark.parametrize("role", roles(), ids=named)
def test_no_role_is_wide(role: Json) -> None:
    granted = set(grants_of(role["rules"]))
    for grant in granted:
        assert "*" not in f"{grant.verb}{grant.group}{grant.resource}{grant.name}"
        assert grant.resource.split("/")[0] not in ("secrets", "serviceaccounts", "roles", "clusterroles")
        assert grant.resource not in ("pods/exec", "pods/attach", "pods/portforward", "pods/ephemeralcontainers")
        assert grant.resource not in ("nodes/proxy", "services/proxy", "pods/proxy", "certificatesigningrequests")
        assert grant.verb not in ("impersonate", "bind", "escalate", "deletecollection")
    for rule in role["rules"]:
        assert "*" not in "".join(rule.get("nonResourceURLs", ()))


def test_leases_are_got_and_updated_by_their_name_only() -> None:
    for account in ("hyperscout-controller", "hyperscout-scheduler", "hyperscout-sweeper-default"):
        held = {grant for grant in granted_to(account) if grant.resource == "leases" and grant.verb != "create"}
        assert {grant.name for grant in held} == {account}


@pytest.mark.parametrize("account", of_kind("ServiceAccount", accounts_and_roles()), ids=named)
def test_an_account_gives_its_token_only_to_pods_that_ask_for_it(account: Json) -> None:
    assert account["automountServiceAccountToken"] is False


def test_bindings_name_accounts_and_roles_that_there_are_in_the_right_namespace() -> None:
    found = accounts_and_roles()
    known = {(one["metadata"]["namespace"], one["metadata"]["name"]) for one in of_kind("ServiceAccount", found)}
    bound = set()
    for binding in of_kind("ClusterRoleBinding", found) + of_kind("RoleBinding", found):
        assert role_of(binding)["rules"]
        bound |= {(subject["namespace"], subject["name"]) for subject in binding["subjects"]}
        assert {subject["kind"] for subject in binding["subjects"]} == {"ServiceAccount"}
    assert bound == known


def test_who_serves_metrics_to_the_network_may_ask_who_the_reader_is() -> None:
    reviews = {
        Grant("create", "authentication.k8s.io", "tokenreviews"),
        Grant("create", "authorization.k8s.io", "subjectaccessreviews"),
    }
    for account in ("hyperscout-controller", "hyperscout-scheduler", "hyperscout-sweeper-default"):
        assert reviews <= granted_to(account)
    assert not reviews & granted_to("hyperscout-agent")
