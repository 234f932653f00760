"""What the token of the uninstallation may do on a real API server: take away what is ours, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from tests.cluster.control_plane import ControlPlane
from tests.contract.api import STRATEGIC, Api, Json
from tests.security.asking import (
    HYPER_NODES,
    NODE_REPORTS,
    NODES,
    allowed,
    allowed_all,
    asking,
    refused_by_policy,
    refused_by_rights,
)
from tests.security.installed import account_of
from tests.security.manifests import NODE, SYSTEM
from tests.security.test_controller_account import READY, TAINT, THEIRS, hyper_node

HERE = f"{NODES}/uninstall-node"
DEPLOYMENTS = f"/apis/apps/v1/namespaces/{SYSTEM}/deployments"
LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{NODE}/leases"


@dataclass(frozen=True, slots=True)
class Writers:
    """The uninstallation by its token, the same with --purge granted, and an administrator."""

    uninstall: Api
    more: Api
    admin: Api


@pytest.fixture
async def writers(guarded: ControlPlane) -> AsyncIterator[Writers]:
    """A Node with our marks and those of others."""
    account = account_of(guarded, "hyperscout-uninstall")
    async with (
        asking(guarded, account.token()) as uninstall,
        allowed_all(guarded, account) as more,
        asking(guarded, guarded.token) as admin,
    ):
        await admin.delete(HERE)
        metadata = {"name": "uninstall-node", "labels": {"zone": "a", "hyperscout.io/leaf": "one"}}
        allowed(await admin.post(NODES, {"metadata": metadata, "spec": {"taints": [THEIRS, TAINT]}}))
        status = {"conditions": [READY, READY | {"type": "FabricHealthy"}]}
        allowed(await admin.patch(f"{HERE}/status", {"status": status}, STRATEGIC))
        yield Writers(uninstall, more, admin)


def deployment(name: str) -> Json:
    """A Deployment of two."""
    labels = {"app": name}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "registry.test/main:1"}]}}
    return {"metadata": {"name": name}, "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": pod}}


async def test_it_takes_our_marks_off_nodes_and_leaves_others(writers: Writers) -> None:
    uninstall = writers.uninstall
    allowed(await uninstall.patch(HERE, {"metadata": {"labels": {"hyperscout.io/leaf": None}}}))
    allowed(await uninstall.patch(HERE, {"spec": {"taints": [THEIRS]}}))
    gone = {"status": {"conditions": [{"type": "FabricHealthy", "$patch": "delete"}]}}
    allowed(await uninstall.patch(f"{HERE}/status", gone, STRATEGIC))
    refused_by_policy(await uninstall.patch(HERE, {"metadata": {"labels": {"zone": None}}}), "changes only labels")
    refused_by_policy(await uninstall.patch(HERE, {"spec": {"taints": []}}), "changes no taint of a Node but")
    forged = {"status": {"conditions": [{"type": "Ready", "$patch": "delete"}]}}
    refused_by_policy(await uninstall.patch(f"{HERE}/status", forged, STRATEGIC), "but the condition FabricHealthy")


async def test_it_scales_our_deployments_to_nothing_and_touches_no_other(writers: Writers) -> None:
    for name in ("hyperscout-uninstall-test", "another"):
        allowed(await writers.admin.post(DEPLOYMENTS, deployment(name)))
    ours, another = f"{DEPLOYMENTS}/hyperscout-uninstall-test", f"{DEPLOYMENTS}/another"
    allowed(await writers.uninstall.patch(f"{ours}/scale", {"spec": {"replicas": 0}}))
    said = "the uninstallation deletes, and scales Deployments to 0; it changes nothing else"
    refused_by_policy(await writers.uninstall.patch(f"{ours}/scale", {"spec": {"replicas": 5}}), said)
    refused_by_policy(await writers.uninstall.patch(f"{another}/scale", {"spec": {"replicas": 0}}), "hyperscout-*")
    refused_by_policy(await writers.more.patch(ours, {"spec": {"replicas": 0}}), said)
    refused_by_rights(await writers.uninstall.patch(ours, {"spec": {"replicas": 0}}), "patch")
    refused_by_rights(await writers.uninstall.delete(ours), "delete")


async def test_it_deletes_leases_and_config_maps_of_ours_only(writers: Writers) -> None:
    for name in ("hyperscout-sweeper-gone", "another"):
        allowed(await writers.admin.post(LEASES, {"metadata": {"name": name}}))
    allowed(await writers.uninstall.delete(f"{LEASES}/hyperscout-sweeper-gone"))
    refused_by_policy(await writers.uninstall.delete(f"{LEASES}/another"), "touches only what is called hyperscout-*")
    refused_by_rights(await writers.uninstall.delete(f"/api/v1/namespaces/{SYSTEM}/configmaps/another"), "delete")


async def test_hyper_nodes_stay_unless_that_is_granted_and_then_ours_go_only(writers: Writers) -> None:
    for name, source in (("uninstall-ours", "hyperscout"), ("uninstall-foreign", "ufm")):
        allowed(await writers.admin.post(HYPER_NODES, hyper_node(name, source)))
    refused_by_rights(await writers.uninstall.delete(f"{HYPER_NODES}/uninstall-ours"), "delete")
    refused_by_policy(
        await writers.more.delete(f"{HYPER_NODES}/uninstall-foreign"), "writes and deletes only HyperNodes"
    )
    allowed(await writers.more.delete(f"{HYPER_NODES}/uninstall-ours"))
    allowed(await writers.admin.delete(f"{HYPER_NODES}/uninstall-foreign"))


async def test_definitions_secrets_and_nodes_are_beyond_its_rights(writers: Writers) -> None:
    uninstall = writers.uninstall
    refused_by_rights(await uninstall.delete(HERE), "delete")
    refused_by_rights(await uninstall.get(f"/api/v1/namespaces/{SYSTEM}/secrets"), "list")
    definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodereports.hyperscout.io"
    refused_by_rights(await uninstall.delete(definition), "delete")
    refused_by_rights(await uninstall.post(NODE_REPORTS, {}), "create")
