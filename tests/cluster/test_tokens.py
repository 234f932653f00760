"""Tokens that name the node of their pod, as the API server reads them."""

from __future__ import annotations

from tests.cluster.control_plane import ControlPlane
from tests.cluster.tokens import account

NODE = "authentication.kubernetes.io/node-name"


def test_a_token_of_a_pod_names_its_node(control_plane: ControlPlane) -> None:
    agent = account(control_plane, "tokens", "agent")
    control_plane.ask("POST", "/api/v1/nodes", {"metadata": {"name": "node-of-the-token"}})
    claims = agent.claims(agent.token_on("node-of-the-token"))
    assert claims["username"] == agent.user == "system:serviceaccount:tokens:agent"
    assert claims["extra"][NODE] == ["node-of-the-token"]


def test_a_token_without_a_pod_names_no_node(control_plane: ControlPlane) -> None:
    agent = account(control_plane, "tokens", "agent")
    assert NODE not in agent.claims(agent.token())["extra"]


def test_rbac_decides_what_a_token_may(control_plane: ControlPlane) -> None:
    agent = account(control_plane, "tokens", "agent")
    refused = control_plane.ask("GET", "/api/v1/nodes", token=agent.token())
    assert (refused.status, refused.body["reason"]) == (403, "Forbidden")
    assert agent.user in refused.body["message"]


def test_a_token_dies_with_its_pod(control_plane: ControlPlane) -> None:
    """One that was used may live on for the 10 s that kube-apiserver remembers it."""
    agent = account(control_plane, "tokens", "agent")
    token = agent.token_on("node-of-nobody")
    control_plane.ask("DELETE", "/api/v1/namespaces/tokens/pods/agent-node-of-nobody", {"gracePeriodSeconds": 0})
    assert agent.claims(token) == {}
