"""What an agent's token may do on a real API server: keep the report of its own node, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.cluster.control_plane import ControlPlane
from tests.contract.api import STRATEGIC, Api, Json
from tests.security.asking import (
    HYPER_NODES,
    NODE_REPORTS,
    NODES,
    SWITCH_REPORTS,
    allowed,
    allowed_all,
    asking,
    refused_by_policy,
    refused_by_rights,
)
from tests.security.installed import account_of

OWN, OTHER = "agents-own", "agents-other"
OWNER = {"apiVersion": "v1", "kind": "Node", "name": OWN, "uid": "3b0f6d8e-0000-4000-8000-000000000001"}


@dataclass(frozen=True, slots=True)
class Agents:
    """Two agents on their nodes, and an administrator."""

    own: Api
    other: Api
    admin: Api


@pytest.fixture
async def agents(guarded: ControlPlane) -> AsyncIterator[Agents]:
    """Both have written their reports, and the controller's part is there."""
    account = account_of(guarded, "hyperscout-agent")
    for node in (OWN, OTHER):
        guarded.ask("POST", NODES, {"metadata": {"name": node}})
    async with (
        asking(guarded, account.token_on(OWN)) as own,
        asking(guarded, account.token_on(OTHER)) as other,
        asking(guarded, guarded.token) as admin,
    ):
        allowed(await own.apply(f"{NODE_REPORTS}/{OWN}", report(OWN), "agent"))
        allowed(await other.apply(f"{NODE_REPORTS}/{OTHER}", report(OTHER), "agent"))
        mark = {"ownerReferences": [OWNER], "labels": {"site": "one"}, "annotations": {"note": "kept"}}
        allowed(await admin.patch(f"{NODE_REPORTS}/{OWN}", {"metadata": mark}))
        yield Agents(own, other, admin)


def report(node: str, boot: str = "one", **metadata: object) -> Json:
    """The NodeReport of a node."""
    head = {"apiVersion": "hyperscout.io/v1alpha1", "kind": "NodeReport"}
    return head | {"metadata": {"name": node, **metadata}, "spec": {"bootId": boot}}


async def test_an_agent_keeps_the_report_of_its_own_node_and_leaves_what_others_set(agents: Agents) -> None:
    for boot in ("two", "three"):
        allowed(await agents.own.apply(f"{NODE_REPORTS}/{OWN}", report(OWN, boot), "agent"))
    found = (await agents.own.get(f"{NODE_REPORTS}/{OWN}")).body
    assert found["spec"]["bootId"] == "three"
    assert (found["metadata"]["ownerReferences"], found["metadata"]["labels"]) == ([OWNER], {"site": "one"})


async def test_a_report_that_is_gone_is_written_again(agents: Agents) -> None:
    allowed(await agents.admin.delete(f"{NODE_REPORTS}/{OWN}"))
    answer = await agents.own.apply(f"{NODE_REPORTS}/{OWN}", report(OWN), "agent")
    assert answer.status == 201


async def test_the_report_of_another_node_is_refused_however_it_is_written(agents: Agents) -> None:
    said = f"the agent on node {OWN} may write only the NodeReport {OWN}"
    own = agents.own
    refused_by_policy(await own.apply(f"{NODE_REPORTS}/{OTHER}", report(OTHER, "forged"), "agent"), said)
    refused_by_policy(await own.patch(f"{NODE_REPORTS}/{OTHER}", {"spec": {"bootId": "forged"}}), said)
    refused_by_policy(await own.apply(f"{NODE_REPORTS}/agents-new", report("agents-new"), "agent"), said)
    refused_by_policy(await own.post(NODE_REPORTS, report("agents-new")), said)
    assert (await agents.admin.get(f"{NODE_REPORTS}/{OTHER}")).body["spec"]["bootId"] == "one"
    assert (await agents.admin.get(f"{NODE_REPORTS}/agents-new")).status == 404


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("labels", {"site": "two"}),
        ("labels", {"hyperscout.io/sweeper": "default"}),
        ("labels", None),
        ("annotations", {"note": "forged"}),
        ("annotations", None),
        ("finalizers", ["hyperscout.io/hold"]),
        ("ownerReferences", [OWNER | {"name": OTHER}]),
        ("ownerReferences", None),
    ],
)
async def test_metadata_of_its_report_is_not_the_agents_to_change(agents: Agents, field: str, value: object) -> None:
    word = "owner references" if field == "ownerReferences" else field
    answer = await agents.own.patch(f"{NODE_REPORTS}/{OWN}", {"metadata": {field: value}})
    refused_by_policy(answer, f"agents may not set or change {word} of a NodeReport, only its spec")


@pytest.mark.parametrize(
    "metadata",
    [
        {"labels": {"site": "two"}},
        {"annotations": {"note": "forged"}},
        {"finalizers": ["hyperscout.io/hold"]},
        {"ownerReferences": [OWNER | {"name": OTHER}]},
    ],
    ids=str,
)
async def test_nor_may_it_come_with_a_new_report_or_an_apply(agents: Agents, metadata: Json) -> None:
    said = "agents may not set or change "
    path, forged = f"{NODE_REPORTS}/{OWN}", report(OWN, **metadata)
    refused_by_policy(await agents.own.apply(path, forged, "agent", force="true"), said)
    allowed(await agents.admin.delete(path))
    refused_by_policy(await agents.own.apply(path, forged, "agent"), said)
    refused_by_policy(await agents.own.post(NODE_REPORTS, forged), said)


async def test_a_status_that_comes_with_the_report_is_left_out(agents: Agents) -> None:
    forged = report(OWN) | {"status": {"hyperNode": "mine"}}
    allowed(await agents.own.apply(f"{NODE_REPORTS}/{OWN}", forged, "agent"))
    assert "status" not in (await agents.admin.get(f"{NODE_REPORTS}/{OWN}")).body


@pytest.mark.parametrize("name", [OWN, OTHER])
async def test_statuses_deletions_lists_and_watches_are_beyond_its_rights(agents: Agents, name: str) -> None:
    path, own = f"{NODE_REPORTS}/{name}", agents.own
    refused_by_rights(await own.patch(f"{path}/status", {"status": {"hyperNode": "mine"}}), "patch")
    refused_by_rights(await own.apply(f"{path}/status", report(name), "agent"), "patch")
    refused_by_rights(await own.put(f"{path}/status", report(name)), "update")
    refused_by_rights(await own.put(path, report(name)), "update")
    refused_by_rights(await own.delete(path), "delete")
    refused_by_rights(await own.delete(NODE_REPORTS), "deletecollection")
    refused_by_rights(await own.get(NODE_REPORTS), "list")
    refused_by_rights(await own.get(NODE_REPORTS, watch="true"), "watch")


async def test_other_kinds_are_beyond_its_rights(agents: Agents) -> None:
    own, node = agents.own, f"{NODES}/{OWN}"
    tree = {"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "metadata": {"name": "forged"}}
    refused_by_rights(await own.post(HYPER_NODES, tree), "create")
    refused_by_rights(await own.apply(f"{HYPER_NODES}/forged", tree, "agent"), "patch")
    refused_by_rights(await own.delete(f"{HYPER_NODES}/forged"), "delete")
    refused_by_rights(await own.patch(node, {"metadata": {"labels": {"a": "b"}}}), "patch")
    refused_by_rights(await own.patch(f"{node}/status", {"status": {"phase": "x"}}, STRATEGIC), "patch")
    refused_by_rights(await own.delete(node), "delete")
    refused_by_rights(await own.get(node), "get")
    refused_by_rights(await own.post(SWITCH_REPORTS, {}), "create")
    refused_by_rights(await own.get("/api/v1/secrets"), "list")
    refused_by_rights(await own.get("/api/v1/pods"), "list")


async def test_a_token_without_a_node_writes_nothing(guarded: ControlPlane, agents: Agents) -> None:
    said = "the token names no node (authentication.kubernetes.io/node-name), so it may write no NodeReport"
    async with asking(guarded, account_of(guarded, "hyperscout-agent").token()) as bare:
        refused_by_policy(await bare.apply(f"{NODE_REPORTS}/{OWN}", report(OWN), "agent"), said)
        refused_by_policy(await bare.patch(f"{NODE_REPORTS}/{OWN}", {"spec": {"bootId": "forged"}}), said)
        refused_by_policy(await bare.post(NODE_REPORTS, report("agents-new")), said)
    assert (await agents.admin.get(f"{NODE_REPORTS}/{OWN}")).body["spec"]["bootId"] == "one"


async def test_the_policy_holds_even_where_an_agent_is_granted_more(guarded: ControlPlane, agents: Agents) -> None:
    async with allowed_all(guarded, account_of(guarded, "hyperscout-agent"), OWN) as more:
        allowed(await more.put(f"{NODE_REPORTS}/{OWN}", await as_it_stands(agents, OWN)))
        status = {"status": {"hyperNode": "mine"}}
        refused_by_policy(await more.patch(f"{NODE_REPORTS}/{OWN}/status", status), "its status is the controller's")
        only = f"may write only the NodeReport {OWN}"
        refused_by_policy(await more.patch(f"{NODE_REPORTS}/{OTHER}/status", status), only)
        refused_by_policy(await more.delete(f"{NODE_REPORTS}/{OTHER}"), only)
        refused_by_policy(await more.delete(f"{NODE_REPORTS}/{OWN}"), "agents delete no NodeReport")
        refused_by_policy(await more.delete(NODE_REPORTS), "NodeReport")
    async with allowed_all(guarded, account_of(guarded, "hyperscout-agent")) as bare:
        refused_by_policy(await bare.delete(f"{NODE_REPORTS}/{OWN}"), "the token names no node")
    assert [(await agents.admin.get(f"{NODE_REPORTS}/{name}")).status for name in (OWN, OTHER)] == [200, 200]


async def as_it_stands(agents: Agents, name: str) -> dict[str, Any]:
    """The report as it is read, for a replacement that changes nothing."""
    return (await agents.admin.get(f"{NODE_REPORTS}/{name}")).body


async def test_administrators_are_not_held_by_it(agents: Agents) -> None:
    allowed(await agents.admin.patch(f"{NODE_REPORTS}/{OTHER}", {"metadata": {"labels": {"kept": "by-hand"}}}))
    allowed(await agents.admin.patch(f"{NODE_REPORTS}/{OTHER}", {"metadata": {"labels": None}}))
