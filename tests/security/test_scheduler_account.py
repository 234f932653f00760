"""What the scheduler's token may do on a real API server: bind pods, tell them why they wait, keep a gang's status."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from tests.cluster.control_plane import ControlPlane
from tests.contract.api import STRATEGIC, Answer, Api, Json
from tests.security.asking import (
    HYPER_NODES,
    NODES,
    allowed,
    allowed_all,
    asking,
    refused_by_policy,
    refused_by_rights,
)
from tests.security.installed import account_of

PODS = "/api/v1/namespaces/default/pods"
POD = f"{PODS}/scheduled"
POD_GROUPS = "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups"
GANG = f"{POD_GROUPS}/scheduled"
WAITS = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no room"}


@dataclass(frozen=True, slots=True)
class Writers:
    """The scheduler by its own token, the same as if it were granted everything, an administrator; a pod's UID."""

    scheduler: Api
    more: Api
    admin: Api
    uid: str


@pytest.fixture
async def writers(guarded: ControlPlane) -> AsyncIterator[Writers]:
    """A pod that waits, and its gang."""
    account = account_of(guarded, "hyperscout-scheduler")
    async with (
        asking(guarded, account.token()) as scheduler,
        allowed_all(guarded, account) as more,
        asking(guarded, guarded.token) as admin,
    ):
        await admin.delete(POD, {"gracePeriodSeconds": 0})
        await admin.delete(GANG)
        await admin.post(NODES, {"metadata": {"name": "scheduler-node"}})
        metadata = {"name": "scheduled", "labels": {"app": "a"}, "annotations": {"note": "kept"}}
        spec = {"schedulerName": "hyperscout", "containers": [{"name": "main", "image": "registry.test/main:1"}]}
        made = await admin.post(PODS, {"metadata": metadata, "spec": spec})
        allowed(made)
        head = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"name": "scheduled"}}
        allowed(await admin.post(POD_GROUPS, head | {"spec": {"minMember": 2}}))
        yield Writers(scheduler, more, admin, made.body["metadata"]["uid"])


def binding(uid: str, kind: str = "Node", **metadata: object) -> Json:
    """The pod, bound to the node."""
    target = {"apiVersion": "v1", "kind": kind, "name": "scheduler-node"}
    pod = {"name": "scheduled", "namespace": "default"} | ({"uid": uid} if uid else {}) | metadata
    return {"apiVersion": "v1", "kind": "Binding", "metadata": pod, "target": target}


async def status(api: Api, **fields: object) -> Answer:
    """A strategic patch of the pod's status."""
    return await api.patch(f"{POD}/status", {"status": fields}, STRATEGIC)


async def test_it_binds_a_pod_and_evicts_it_by_its_uid(writers: Writers) -> None:
    allowed(await writers.scheduler.post(f"{POD}/binding", binding(writers.uid)))
    assert (await writers.admin.get(POD)).body["spec"]["nodeName"] == "scheduler-node"
    head = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "scheduled", "namespace": "default"}}
    at_once = {"preconditions": {"uid": writers.uid}, "gracePeriodSeconds": 0}
    for options in ({}, {"deleteOptions": {"dryRun": ["All"]}}, {"deleteOptions": at_once}):
        refused_by_policy(await writers.scheduler.post(f"{POD}/eviction", head | options), "evicts a pod by its UID")
    by_uid = {"deleteOptions": {"preconditions": {"uid": writers.uid}}}
    allowed(await writers.scheduler.post(f"{POD}/eviction", head | by_uid))


async def test_a_binding_carries_nothing_else_into_the_pod(writers: Writers) -> None:
    said = "the scheduler binds a pod by its UID to a Node, and gives it no labels and annotations with it"
    for forged in (
        binding(""),
        binding(writers.uid, annotations={"note": "forged"}),
        binding(writers.uid, labels={"app": "b"}),
    ):
        refused_by_policy(await writers.scheduler.post(f"{POD}/binding", forged), said)
    found = (await writers.admin.get(POD)).body
    assert (found["spec"].get("nodeName"), found["metadata"]["annotations"]) == (None, {"note": "kept"})


async def test_of_a_pods_status_it_writes_why_it_waits_only(writers: Writers) -> None:
    said = "nothing in the status of a pod but the condition PodScheduled"
    allowed(await status(writers.scheduler, conditions=[WAITS]))
    allowed(await status(writers.scheduler, conditions=[WAITS | {"message": "still no room"}]))
    refused_by_policy(await status(writers.scheduler, conditions=[WAITS | {"type": "Ready", "status": "True"}]), said)
    refused_by_policy(await status(writers.scheduler, phase="Failed"), said)
    refused_by_policy(await status(writers.scheduler, nominatedNodeName="scheduler-node"), said)
    refused_by_policy(await status(writers.scheduler, podIP="10.0.0.1"), said)


@pytest.mark.parametrize(
    "metadata",
    [{"labels": {"app": "b"}}, {"annotations": {"note": None}}, {"finalizers": ["hyperscout.io/hold"]}],
    ids=str,
)
async def test_metadata_through_the_status_is_refused(writers: Writers, metadata: Json) -> None:
    answer = await writers.scheduler.patch(f"{POD}/status", {"metadata": metadata}, STRATEGIC)
    refused_by_policy(answer, "the scheduler changes no metadata of a pod")


async def test_of_a_pod_group_it_writes_status_and_annotations_only(writers: Writers) -> None:
    group = (await writers.scheduler.get(GANG)).body
    told = group | {"status": {"phase": "Inqueue"}}
    told["metadata"] = group["metadata"] | {"annotations": {"hyperscout.io/why": "no room"}}
    answer = await writers.scheduler.put(GANG, told)
    allowed(answer)
    group = answer.body
    said = "the scheduler changes nothing in the spec of a PodGroup, only its status"
    refused_by_policy(await writers.scheduler.put(GANG, group | {"spec": {"minMember": 1}}), said)
    for metadata in ({"labels": {"a": "b"}}, {"finalizers": ["hyperscout.io/hold"]}):
        forged = group | {"metadata": group["metadata"] | metadata}
        refused_by_policy(
            await writers.scheduler.put(GANG, forged), "changes no labels, finalizers and owner references"
        )
    refused_by_policy(await writers.more.delete(GANG), "the scheduler makes and deletes no PodGroups")


async def test_pods_nodes_the_tree_and_secrets_are_beyond_its_rights(writers: Writers) -> None:
    scheduler = writers.scheduler
    refused_by_rights(await scheduler.delete(POD), "delete")
    refused_by_rights(await scheduler.patch(POD, {"metadata": {"labels": {"a": "b"}}}), "patch")
    refused_by_rights(await scheduler.post(PODS, {}), "create")
    refused_by_rights(await scheduler.post(f"{POD}/exec", {}), "create")
    refused_by_rights(await scheduler.patch(f"{NODES}/scheduler-node", {}), "patch")
    refused_by_rights(await scheduler.post(HYPER_NODES, {}), "create")
    refused_by_rights(await scheduler.get("/api/v1/secrets"), "list")
    refused_by_policy(await writers.more.patch(POD, {"metadata": {"labels": {"a": "b"}}}), "changes no pod; it binds")


async def test_what_has_no_policy_of_its_own_stays_with_others(writers: Writers) -> None:
    allowed(await status(writers.admin, phase="Running"))
