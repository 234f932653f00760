"""Owner references: what goes when its owner goes. A real server does it a moment after the deletion."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.contract.api import Api, Json
from tests.contract.conftest import gone


@pytest.fixture
def configs(namespace: str) -> str:
    """The path of the config maps of a fresh namespace."""
    return f"/api/v1/namespaces/{namespace}/configmaps"


def reference(owner: Json, **more: object) -> Json:
    """A reference to a config map."""
    metadata = owner["metadata"]
    return {"apiVersion": "v1", "kind": "ConfigMap", "name": metadata["name"], "uid": metadata["uid"]} | more


async def make(api: Api, configs: str, name: str, owners: Sequence[Json] = (), **metadata: object) -> Json:
    """A config map with owners."""
    return await api.created(configs, {"metadata": {"name": name, "ownerReferences": list(owners)} | metadata})


async def test_dependents_go_after_their_owner(api: Api, configs: str) -> None:
    owner = await make(api, configs, "owner")
    child = await make(api, configs, "child", [reference(owner)])
    await make(api, configs, "grandchild", [reference(child)])
    answer = await api.delete(f"{configs}/owner")
    assert (answer.status, answer.body["kind"], answer.body["status"]) == (200, "Status", "Success")
    await gone(api, f"{configs}/child")
    await gone(api, f"{configs}/grandchild")


async def test_a_dependent_stays_with_another_owner(api: Api, configs: str) -> None:
    first, second = await make(api, configs, "first"), await make(api, configs, "second")
    await make(api, configs, "child", [reference(first), reference(second)])
    async with api.watch(configs, fieldSelector="metadata.name=child") as stream:
        await stream.next()
        await api.delete(f"{configs}/first")
        changed = await stream.next(20)
        assert changed["object"]["metadata"]["ownerReferences"] == [reference(second)]
        await api.delete(f"{configs}/second")
        assert (await stream.next(20))["type"] == "DELETED"


async def test_orphans_stay_without_their_owner(api: Api, configs: str) -> None:
    owner = await make(api, configs, "owner")
    await make(api, configs, "child", [reference(owner)])
    answer = await api.delete(f"{configs}/owner", {"propagationPolicy": "Orphan"})
    assert answer.body["metadata"]["finalizers"] == ["orphan"]
    await gone(api, f"{configs}/owner")
    assert "ownerReferences" not in (await api.get(f"{configs}/child")).body["metadata"]


async def test_in_the_foreground_the_owner_waits_for_dependents_that_block_it(api: Api, configs: str) -> None:
    owner = await make(api, configs, "owner")
    held = ["contract.test/hold"]
    await make(api, configs, "child", [reference(owner, blockOwnerDeletion=True)], finalizers=held)
    answer = await api.delete(f"{configs}/owner", propagationPolicy="Foreground")
    assert answer.body["metadata"]["finalizers"] == ["foregroundDeletion"]
    async with api.watch(configs, fieldSelector="metadata.name=child") as stream:
        while "deletionTimestamp" not in (await stream.next(20))["object"]["metadata"]:
            pass
    assert (await api.get(f"{configs}/owner")).status == 200
    await api.patch(f"{configs}/child", {"metadata": {"finalizers": None}})
    await gone(api, f"{configs}/owner")


async def test_a_dependent_of_nobody_goes(api: Api, configs: str) -> None:
    owner = await make(api, configs, "owner")
    owner["metadata"]["uid"] = "00000000-0000-0000-0000-000000000000"
    await make(api, configs, "child", [reference(owner)])
    await gone(api, f"{configs}/child")
    assert (await api.get(f"{configs}/owner")).status == 200


async def test_an_owner_of_an_unknown_kind_costs_nothing(api: Api, configs: str) -> None:
    owner = {"apiVersion": "nowhere.test/v1", "kind": "Thing", "name": "one", "uid": "u"}
    await make(api, configs, "child", [owner])
    await make(api, configs, "other", [reference(await make(api, configs, "owner"))])
    await api.delete(f"{configs}/owner")
    await gone(api, f"{configs}/other")
    assert (await api.get(f"{configs}/child")).status == 200


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"uid": ""}, "metadata.ownerReferences[0].uid"),
        ({"name": ""}, "metadata.ownerReferences[0].name"),
        ({"kind": ""}, "metadata.ownerReferences[0].kind"),
        ({"apiVersion": ""}, "metadata.ownerReferences[0].apiVersion"),
        ({"apiVersion": "a/b/c"}, "metadata.ownerReferences[0].apiVersion"),
        ({"kind": "Event"}, "metadata.ownerReferences[0]"),
    ],
)
async def test_a_reference_that_names_nobody_is_invalid(api: Api, configs: str, change: Json, field: str) -> None:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "u"} | change
    answer = await api.post(configs, {"metadata": {"name": "child", "ownerReferences": [owner]}})
    assert (answer.status, answer.reason) == (422, "Invalid")
    assert [cause["field"] for cause in answer.body["details"]["causes"]] == [field]


async def test_one_controller_is_enough(api: Api, configs: str) -> None:
    owners = [reference(await make(api, configs, name), controller=True) for name in ("first", "second")]
    answer = await api.post(configs, {"metadata": {"name": "child", "ownerReferences": owners}})
    assert answer.status == 422
    assert "Only one reference can have Controller set to true" in answer.body["message"]


@pytest.mark.parametrize(
    "options", [{"propagationPolicy": "Nope"}, {"propagationPolicy": "Orphan", "orphanDependents": True}]
)
async def test_a_deletion_that_cannot_be_is_invalid(api: Api, configs: str, options: Json) -> None:
    await make(api, configs, "owner")
    answer = await api.delete(f"{configs}/owner", options)
    assert (answer.status, answer.reason) == (422, "Invalid")
    assert answer.body["details"]["causes"][0]["field"] == "propagationPolicy"
    assert (await api.get(f"{configs}/owner")).status == 200
