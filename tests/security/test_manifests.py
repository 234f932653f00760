"""How the manifests of the admission policies and of the accounts are written; what they do is tried on a server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.security.manifests import ADMISSION, RBAC, Json, accounts_and_roles, of_kind, policies, read, rendered

NEWER_THAN_1_30 = re.compile(r"\bformat\.|\bisSemver\(|\bsemver\(|\.transform|\blists\.|\b(all|exists)\(\w+, \w+,")
"""What the CEL of the oldest server does not know: named formats, versions, comprehensions over two variables."""
POLICIES = of_kind("ValidatingAdmissionPolicy", policies())


def named(policy: Json) -> str:
    """For the name of a test."""
    return str(policy["metadata"]["name"])


@pytest.mark.parametrize("policy", POLICIES, ids=named)
def test_a_policy_fails_closed_is_bound_and_denies(policy: Json) -> None:
    assert policy["spec"]["failurePolicy"] == "Fail"
    bindings = [
        binding["spec"]
        for binding in of_kind("ValidatingAdmissionPolicyBinding", policies())
        if binding["spec"]["policyName"] == named(policy)
    ]
    assert bindings == [{"policyName": named(policy), "validationActions": ["Deny"]}]


@pytest.mark.parametrize("policy", POLICIES, ids=named)
def test_a_policy_looks_only_at_accounts_of_ours(policy: Json) -> None:
    (condition,) = policy["spec"]["matchConditions"]
    users = set(re.findall(r"'(system:serviceaccount:[^']+)'", condition["expression"]))
    known = {
        f"system:serviceaccount:{one['metadata']['namespace']}:{one['metadata']['name']}"
        for one in of_kind("ServiceAccount", accounts_and_roles())
    }
    sweepers = "system:serviceaccount:hyperscout-node:hyperscout-sweeper-"
    assert users
    assert users <= known | {sweepers}


@pytest.mark.parametrize("policy", POLICIES, ids=named)
def test_a_refusal_says_a_sentence_and_is_forbidden(policy: Json) -> None:
    for validation in policy["spec"]["validations"]:
        said = validation.get("message") or validation["messageExpression"]
        assert len(said.split()) > 3
        assert validation["reason"] == "Forbidden"


@pytest.mark.parametrize("policy", POLICIES, ids=named)
def test_a_policy_uses_nothing_that_is_newer_than_the_oldest_server(policy: Json) -> None:
    for part in (*policy["spec"].get("variables", ()), *policy["spec"]["validations"]):
        assert not NEWER_THAN_1_30.search(part["expression"]), part


@pytest.mark.parametrize("folder", [RBAC, ADMISSION], ids=["rbac", "admission"])
def test_kubectl_renders_exactly_what_is_written(folder: Path) -> None:
    def key(one: Json) -> str:
        return str((one["kind"], sorted(one["metadata"].items())))

    assert sorted(rendered(folder), key=key) == sorted(read(folder), key=key)
