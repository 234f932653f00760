"""An agent's token that is over: expired, of a pod that is gone, for somebody else, or signed by nobody we know."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.cluster.control_plane import ControlPlane
from tests.security.asking import NODE_CLAIM, NODE_REPORTS, NODES, allowed, asking
from tests.security.forging import claims_in, signed_again
from tests.security.installed import account_of
from tests.security.manifests import NODE
from tests.security.test_agents import report

HERE = "stale-node"


@pytest.fixture
def token(guarded: ControlPlane) -> str:
    """A token of the agent on the node, not yet used."""
    guarded.ask("POST", NODES, {"metadata": {"name": HERE}})
    return account_of(guarded, "hyperscout-agent").token_on(HERE)


async def ends_at(guarded: ControlPlane, token: str) -> tuple[int, str]:
    """What the server answers to the agent that writes its own report with this token."""
    async with asking(guarded, token) as api:
        answer = await api.apply(f"{NODE_REPORTS}/{HERE}", report(HERE), "agent")
        return answer.status, answer.reason


def changed(guarded: ControlPlane, token: str, **claims: Any) -> str:  # noqa: ANN401 - any JSON
    """The same token, signed by the server's own key, with other claims."""
    return signed_again(token, guarded.credentials.signing_key, claims_in(token) | claims)


async def test_an_expired_token_is_refused(guarded: ControlPlane, token: str) -> None:
    now = int(time.time())
    still_good = changed(guarded, token, iat=now - 4000, nbf=now - 4000, exp=now + 60)
    assert (await ends_at(guarded, still_good))[0] in (200, 201)
    over = changed(guarded, token, iat=now - 4000, nbf=now - 4000, exp=now - 400)
    assert await ends_at(guarded, over) == (401, "Unauthorized")


async def test_a_token_is_refused_when_its_pod_is_gone(guarded: ControlPlane, token: str) -> None:
    async with asking(guarded, guarded.token) as admin:
        pod = f"/api/v1/namespaces/{NODE}/pods/hyperscout-agent-{HERE}"
        allowed(await admin.delete(pod, {"gracePeriodSeconds": 0}))
    assert await ends_at(guarded, token) == (401, "Unauthorized")


async def test_a_token_whose_claims_were_changed_by_its_owner_is_refused(guarded: ControlPlane, token: str) -> None:
    head, _, signature = token.split(".")
    other = claims_in(token)
    other["kubernetes.io"]["node"]["name"] = "another-node"
    payload = signed_again(token, guarded.credentials.signing_key, other).split(".")[1]
    assert await ends_at(guarded, f"{head}.{payload}.{signature}") == (401, "Unauthorized")


async def test_a_token_for_another_audience_is_refused(guarded: ControlPlane, token: str) -> None:
    assert await ends_at(guarded, changed(guarded, token, aud=["vault"])) == (401, "Unauthorized")


async def test_the_node_is_that_of_the_pod_and_cannot_be_claimed_by_a_header(guarded: ControlPlane, token: str) -> None:
    claim = {f"X-Remote-Extra-{NODE_CLAIM.replace('/', '%2F')}": "another-node", "X-Remote-User": "admin"}
    async with asking(guarded, token, claim) as api:
        answer = await api.apply(f"{NODE_REPORTS}/another-node", report("another-node"), "agent")
        assert f"the agent on node {HERE} may write only" in answer.body["message"]
    impersonation = {"Impersonate-User": "admin", "Impersonate-Group": "system:masters"}
    async with asking(guarded, token, impersonation) as api:
        answer = await api.apply(f"{NODE_REPORTS}/{HERE}", report(HERE), "agent")
        assert "cannot impersonate" in answer.body["message"]
