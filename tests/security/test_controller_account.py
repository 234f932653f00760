"""What the controller's token may do on a real API server: write what is ours in HyperNodes, Nodes and NodeReports."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from controller.hyper_nodes.recreating import OWN_CONFIG_MAPS
from tests.cluster.control_plane import ControlPlane
from tests.contract.api import STRATEGIC, Answer, Api, Json
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
from tests.security.manifests import SYSTEM

SOURCE = "volcano.sh/network-topology-source"
OURS, FOREIGN = f"{HYPER_NODES}/controller-ours", f"{HYPER_NODES}/controller-foreign"
NODE = f"{NODES}/controller-node"
REPORT = f"{NODE_REPORTS}/controller-node"
TAINT = {"key": "hyperscout.io/fabric-unhealthy", "effect": "NoSchedule"}
THEIRS = {"key": "example.com/busy", "value": "yes", "effect": "NoExecute"}
READY = {"type": "Ready", "status": "True", "reason": "Played", "message": "by the test"}


@dataclass(frozen=True, slots=True)
class Writers:
    """The controller by its own token, the same as if it were granted everything, and an administrator."""

    controller: Api
    more: Api
    admin: Api


@pytest.fixture
async def writers(guarded: ControlPlane) -> AsyncIterator[Writers]:
    """A Node with marks of others, its report, and a HyperNode of others."""
    account = account_of(guarded, "hyperscout-controller")
    async with (
        asking(guarded, account.token()) as controller,
        allowed_all(guarded, account) as more,
        asking(guarded, guarded.token) as admin,
    ):
        for path in (NODE, OURS, FOREIGN, REPORT):
            await admin.delete(path)
        metadata = {"name": "controller-node", "labels": {"zone": "a"}, "annotations": {"note": "kept"}}
        allowed(await admin.post(NODES, {"metadata": metadata, "spec": {"taints": [THEIRS], "podCIDR": "10.1.0.0/24"}}))
        status = {"conditions": [READY], "capacity": {"cpu": "8"}, "allocatable": {"cpu": "7"}, "images": images()}
        allowed(await admin.patch(f"{NODE}/status", {"status": status}, STRATEGIC))
        report = {"apiVersion": "hyperscout.io/v1alpha1", "kind": "NodeReport", "metadata": {"name": "controller-node"}}
        allowed(await admin.post(NODE_REPORTS, report | {"spec": {"bootId": "one"}}))
        allowed(await admin.post(HYPER_NODES, hyper_node("controller-foreign", "label")))
        yield Writers(controller, more, admin)


def images() -> list[Json]:
    """As many as a kubelet tells, so that the policy is tried on a Node of real size."""
    return [{"names": [f"registry.test/{n}@sha256:{n:064}", f"registry.test/{n}:1"], "sizeBytes": n} for n in range(50)]


def hyper_node(name: str, source: str = "hyperscout") -> Json:
    """A HyperNode, by its source."""
    head = {"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode"}
    members = [{"type": "Node", "selector": {"exactMatch": {"name": "controller-node"}}}]
    labels = {"labels": {SOURCE: source}} if source else {}
    return head | {"metadata": {"name": name, **labels}, "spec": {"tier": 1, "members": members}}


async def test_it_keeps_hyper_nodes_of_its_own(writers: Writers) -> None:
    allowed(await writers.controller.post(HYPER_NODES, hyper_node("controller-ours")))
    allowed(await writers.controller.apply(OURS, hyper_node("controller-ours"), "hyperscout"))
    allowed(await writers.controller.patch(f"{OURS}/status", {"status": {"nodeCount": 1}}))
    allowed(await writers.controller.delete(OURS))


async def test_hyper_nodes_of_others_are_left_alone_unless_they_are_taken_over(writers: Writers) -> None:
    said = f"only HyperNodes with the label {SOURCE}: hyperscout"
    for source in ("", "ufm"):
        refused_by_policy(await writers.controller.post(HYPER_NODES, hyper_node("controller-new", source)), said)
        forged = hyper_node("controller-foreign", source)
        refused_by_policy(await writers.controller.apply(FOREIGN, forged, "hyperscout", force="true"), said)
    refused_by_policy(await writers.controller.patch(FOREIGN, {"spec": {"tier": 2}}), said)
    refused_by_policy(await writers.controller.patch(f"{FOREIGN}/status", {"status": {"nodeCount": 9}}), said)
    refused_by_policy(await writers.controller.delete(FOREIGN), said)
    adopted = hyper_node("controller-foreign")
    allowed(await writers.controller.apply(FOREIGN, adopted, "hyperscout", force="true"))
    allowed(await writers.controller.delete(FOREIGN))


@pytest.mark.parametrize(
    "held",
    [
        {"finalizers": ["hyperscout.io/hold"]},
        {"ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "controller-node", "uid": "one"}]},
    ],
)
async def test_it_gives_a_hyper_node_no_finalizers_and_owners_and_takes_none_off(writers: Writers, held: Json) -> None:
    said = "hyperscout sets and changes no finalizers and owner references of a HyperNode"
    forged = hyper_node("controller-ours")
    forged["metadata"] |= held
    refused_by_policy(await writers.controller.post(HYPER_NODES, forged), said)
    allowed(await writers.controller.post(HYPER_NODES, hyper_node("controller-ours")))
    refused_by_policy(await writers.controller.patch(OURS, {"metadata": held}), said)
    if "finalizers" not in held:  # with one it would never go
        allowed(await writers.admin.patch(OURS, {"metadata": held}))
        refused_by_policy(await writers.controller.patch(OURS, {"metadata": dict.fromkeys(held)}), said)
        allowed(await writers.controller.patch(OURS, {"spec": {"tier": 2}}))


async def node_status(api: Api, **status: object) -> Answer:
    """A strategic patch of the Node's status."""
    return await api.patch(f"{NODE}/status", {"status": status}, STRATEGIC)


async def test_of_a_nodes_status_it_writes_its_own_condition_only(writers: Writers) -> None:
    said = "hyperscout changes nothing in the status of a Node but the condition FabricHealthy"
    fabric = READY | {"type": "FabricHealthy"}
    for status in ("True", "False"):
        allowed(await node_status(writers.controller, conditions=[fabric | {"status": status}]))
    refused_by_policy(await node_status(writers.controller, conditions=[READY | {"status": "False"}]), said)
    refused_by_policy(await node_status(writers.controller, conditions=[{"type": "Ready", "$patch": "delete"}]), said)
    refused_by_policy(await node_status(writers.controller, conditions=[READY | {"type": "FabricSick"}]), said)
    refused_by_policy(await node_status(writers.controller, allocatable={"cpu": "1"}), said)
    refused_by_policy(await node_status(writers.controller, images=[]), said)
    refused_by_policy(await node_status(writers.controller, phase="Terminated"), said)
    allowed(await node_status(writers.controller, conditions=[{"type": "FabricHealthy", "$patch": "delete"}]))
    found = (await writers.admin.get(NODE)).body["status"]
    assert [condition["type"] for condition in found["conditions"]] == ["Ready"]


async def test_labels_through_the_status_are_held_to_the_same(writers: Writers) -> None:
    forged = {"metadata": {"labels": {"zone": "b"}}}
    refused_by_policy(
        await writers.controller.patch(f"{NODE}/status", forged, STRATEGIC), "changes only labels of a Node"
    )


@pytest.mark.parametrize("key", ["hyperscout.io/leaf", "network.topology.nvidia.com/leaf"])
async def test_our_labels_on_nodes_are_its_own(writers: Writers, key: str) -> None:
    for value in ("a", "b", None):
        allowed(await writers.more.patch(NODE, {"metadata": {"labels": {key: value}}}))
    assert (await writers.admin.get(NODE)).body["metadata"]["labels"] == {"zone": "a"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"metadata": {"labels": {"zone": "b"}}},
            "labels of a Node that begin with hyperscout.io/ or network",
        ),
        (
            {"metadata": {"labels": {"zone": None}}},
            "labels of a Node that begin with hyperscout.io/ or network",
        ),
        ({"metadata": {"labels": {"node-role.kubernetes.io/control-plane": ""}}}, "changes only labels of a Node"),
        ({"metadata": {"annotations": {"note": "forged"}}}, "changes only the annotations hyperscout.io/*"),
        ({"metadata": {"annotations": {"note": None}}}, "changes only the annotations hyperscout.io/*"),
        ({"metadata": {"finalizers": ["hyperscout.io/hold"]}}, "no finalizers and owner references"),
        ({"spec": {"unschedulable": True}}, "nothing in the spec of a Node but the taint"),
        ({"spec": {"providerID": "forged://x"}}, "nothing in the spec of a Node but the taint"),
        ({"spec": {"taints": []}}, "changes no taint of a Node but"),
        ({"spec": {"taints": [THEIRS | {"value": "no"}, TAINT]}}, "changes no taint of a Node but"),
        ({"spec": {"taints": [THEIRS, TAINT, {"key": "other", "effect": "NoSchedule"}]}}, "changes no taint"),
        ({"spec": {"taints": [THEIRS, TAINT | {"effect": "NoExecute"}]}}, "never NoExecute"),
    ],
    ids=str,
)
async def test_what_others_keep_on_a_node_is_refused(writers: Writers, change: Json, said: str) -> None:
    refused_by_policy(await writers.more.patch(NODE, change), said)


@pytest.mark.parametrize("effect", ["NoSchedule", "PreferNoSchedule"])
async def test_our_taint_comes_and_goes_beside_those_of_others(writers: Writers, effect: str) -> None:
    allowed(await writers.more.patch(NODE, {"spec": {"taints": [THEIRS, TAINT | {"effect": effect}]}}))
    allowed(await writers.more.patch(NODE, {"spec": {"taints": [THEIRS]}}))


async def test_a_taint_of_ours_that_somebody_made_worse_hinders_no_other_write(writers: Writers) -> None:
    allowed(await writers.admin.patch(NODE, {"spec": {"taints": [THEIRS, TAINT | {"effect": "NoExecute"}]}}))
    allowed(await node_status(writers.controller, conditions=[READY | {"type": "FabricHealthy"}]))
    allowed(await writers.more.patch(NODE, {"spec": {"taints": [THEIRS, TAINT]}}))


async def test_nodes_are_neither_made_nor_deleted(writers: Writers) -> None:
    refused_by_rights(await writers.controller.delete(NODE), "delete")
    refused_by_rights(await writers.controller.post(NODES, {"metadata": {"name": "controller-new"}}), "create")
    refused_by_policy(await writers.more.delete(NODE), "makes and deletes no Nodes")
    refused_by_policy(await writers.more.post(NODES, {"metadata": {"name": "controller-new"}}), "makes and deletes no")


async def test_of_node_reports_it_writes_status_and_the_owner_only(writers: Writers) -> None:
    allowed(await writers.controller.patch(f"{REPORT}/status", {"status": {"hyperNode": "controller-ours"}}))
    uid = (await writers.admin.get(NODE)).body["metadata"]["uid"]
    owner = {"apiVersion": "v1", "kind": "Node", "name": "controller-node", "uid": uid}
    allowed(await writers.more.patch(REPORT, {"metadata": {"ownerReferences": [owner]}}))
    said = "the Node of the same name owner of a NodeReport and nobody else"
    for forged in (owner | {"name": "other"}, owner | {"kind": "Pod"}, owner | {"blockOwnerDeletion": True}):
        refused_by_policy(await writers.more.patch(REPORT, {"metadata": {"ownerReferences": [forged]}}), said)
    theirs = {"apiVersion": "v1", "kind": "ConfigMap", "name": "theirs", "uid": "two"}
    allowed(await writers.admin.patch(REPORT, {"metadata": {"ownerReferences": [theirs, owner | {"uid": "three"}]}}))
    dropped = {"metadata": {"ownerReferences": [owner]}}
    refused_by_policy(await writers.more.patch(REPORT, dropped), "takes no owner of others off a NodeReport")
    allowed(await writers.more.patch(REPORT, {"metadata": {"ownerReferences": [theirs, owner]}}))
    refused_by_policy(await writers.more.patch(REPORT, {"spec": {"bootId": "two"}}), "evidence is what agents say")
    refused_by_policy(await writers.more.patch(REPORT, {"metadata": {"labels": {"a": "b"}}}), "changes no labels")
    refused_by_policy(await writers.more.delete(REPORT), "makes and deletes no NodeReports")


async def test_evidence_workloads_and_secrets_are_beyond_its_rights(writers: Writers) -> None:
    controller = writers.controller
    refused_by_rights(await controller.post(NODE_REPORTS, {}), "create")
    refused_by_rights(await controller.delete(REPORT), "delete")
    refused_by_rights(await controller.patch(f"{SWITCH_REPORTS}/x", {}), "patch")
    refused_by_rights(await controller.get("/api/v1/pods"), "list")
    refused_by_rights(await controller.get(f"/api/v1/namespaces/{SYSTEM}/secrets"), "list")
    leases = f"/apis/coordination.k8s.io/v1/namespaces/{SYSTEM}/leases"
    taken = {"metadata": {"name": "hyperscout-scheduler", "namespace": SYSTEM}}
    refused_by_policy(await controller.post(leases, taken), "may make only the Lease hyperscout-controller")
    refused_by_rights(await controller.get(f"{leases}/hyperscout-scheduler"), "get")


async def test_of_config_maps_it_makes_its_own_only(writers: Writers) -> None:
    config_maps = f"/api/v1/namespaces/{SYSTEM}/configmaps"
    for name in ("hyperscout-scheduler-settings", "hyperscout-changes-x", "x-hyperscout-changes-0"):
        answer = await writers.controller.post(config_maps, {"metadata": {"name": name}})
        refused_by_policy(answer, "its own ConfigMaps, hyperscout-changes-* and hyperscout-recreating")
    for name in OWN_CONFIG_MAPS:
        await writers.admin.delete(f"{config_maps}/{name}")
        allowed(await writers.controller.post(config_maps, {"metadata": {"name": name}}))
        allowed(await writers.controller.patch(f"{config_maps}/{name}", {"data": {"1": "x"}}))
    refused_by_rights(await writers.controller.get(config_maps), "list")
    refused_by_rights(await writers.controller.delete(f"{config_maps}/{OWN_CONFIG_MAPS[0]}"), "delete")
