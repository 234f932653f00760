"""The server as a whole: start and stop, limits, what it does beside the verbs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import aiohttp
import pytest
import yaml
from kubernetes.config import kube_config

from kube.crds import crds
from kube.embedded.routes import Routes
from kube.embedded.server import EmbeddedServer
from tests.contract.api import Api, Json
from tests.contract.conftest import WIDGETS, pod, widget

PODS = "/api/v1/namespaces/default/pods"
CONFIGS = "/api/v1/namespaces/default/configmaps"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WIDGETS_PATH = "/apis/contract.hyperscout.test/v1/namespaces/default/widgets"


async def test_it_has_an_address_only_while_it_runs() -> None:
    server = EmbeddedServer(token="secret")
    with pytest.raises(RuntimeError, match="not started"):
        _ = server.url
    async with server:
        assert server.url.startswith("http://127.0.0.1:")
        assert server.token == "secret"


async def test_the_kubeconfig_is_read_by_the_official_loader(server: EmbeddedServer, tmp_path: Path) -> None:
    (tmp_path / "kubeconfig").write_text(server.kubeconfig())
    config: Json = yaml.safe_load(server.kubeconfig())
    read = kube_config.list_kube_config_contexts
    _, active = read(str(tmp_path / "kubeconfig"))  # type: ignore[no-untyped-call]  # that package states no types
    assert active["name"] == "hyperscout-embedded"
    address = config["clusters"][0]["cluster"]["server"]
    async with aiohttp.ClientSession() as session, session.get(f"{address}/api/v1/namespaces/default") as response:
        assert response.status == 200, "the token in the address is enough"


async def test_every_definition_of_ours_is_accepted_in_its_form_without_cel(api: Api) -> None:
    for definition in crds(cel=False):
        answer = await api.post(DEFINITIONS, definition)
        assert answer.status == 201, answer.body
        assert (await api.put(f"{DEFINITIONS}/{definition['metadata']['name']}", answer.body)).status == 200


async def test_stopping_ends_open_watches() -> None:
    token = {"Authorization": "Bearer secret"}
    async with (
        EmbeddedServer(token="secret") as server,
        aiohttp.ClientSession(headers=token) as session,
        Api(session, server.url).watch("/api/v1/nodes") as stream,
    ):
        await server.stop()
        with pytest.raises(StopAsyncIteration):
            await stream.next()


async def test_a_watch_from_the_future_is_told_so(api: Api) -> None:
    async with api.watch("/api/v1/nodes", resourceVersion="2000000000") as stream:
        assert (await stream.next())["object"]["reason"] == "Timeout"


async def test_a_handler_that_crashes_is_a_500_and_the_server_goes_on(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(Routes, "_carry_out", crash)
        answer = await api.get("/api/v1/nodes")
    assert (answer.status, answer.reason, answer.body["kind"]) == (500, "InternalError", "Status")
    assert (await api.get("/api/v1/nodes")).status == 200


async def test_a_bound_pod_comes_to_run(api: Api) -> None:
    start = (await api.get(PODS)).body["metadata"]["resourceVersion"]
    async with api.watch(PODS, resourceVersion=start) as stream:
        await api.created(PODS, pod("one"))
        target = {"kind": "Node", "name": "node-1"}
        await api.post(f"{PODS}/one/binding", {"metadata": {"name": "one"}, "target": target})
        seen = [await stream.next() for _ in range(3)]
    phases = [(event["object"]["spec"].get("nodeName"), event["object"]["status"]["phase"]) for event in seen]
    assert phases == [(None, "Pending"), ("node-1", "Pending"), ("node-1", "Running")]
    status = seen[-1]["object"]["status"]
    conditions = {entry["type"]: entry["status"] for entry in status["conditions"]}
    assert conditions["Ready"] == conditions["PodScheduled"] == "True"
    assert [entry["ready"] for entry in status["containerStatuses"]] == [True]


async def test_a_watch_that_falls_behind_the_history_gets_410(api: Api) -> None:
    start = (await api.get(CONFIGS)).body["metadata"]["resourceVersion"]
    for index in range(30):
        await api.created(CONFIGS, {"metadata": {"name": f"c{index}"}})
    async with api.watch(CONFIGS, resourceVersion=start) as stream:
        event = await stream.next()
        assert (event["type"], event["object"]["code"]) == ("ERROR", 410)
        assert "too old resource version" in event["object"]["message"]


async def test_bookmarks_come_to_those_who_allow_them(api: Api) -> None:
    start = (await api.get(CONFIGS)).body["metadata"]["resourceVersion"]
    await api.created(PODS, pod("elsewhere"))
    async with api.watch(CONFIGS, resourceVersion=start, allowWatchBookmarks="true") as stream:
        mark = await stream.next()
    assert mark["type"] == "BOOKMARK"
    assert (mark["object"]["kind"], mark["object"]["apiVersion"]) == ("ConfigMap", "v1")
    assert int(mark["object"]["metadata"]["resourceVersion"]) > int(start)
    async with api.watch(CONFIGS, resourceVersion=start, timeoutSeconds="1") as stream:
        with pytest.raises(StopAsyncIteration):
            await stream.next()


async def test_a_page_after_too_many_other_lists_is_expired(api: Api) -> None:
    for index in range(3):
        await api.created(CONFIGS, {"metadata": {"name": f"c{index}"}})
    first = (await api.get(CONFIGS, limit="1")).body["metadata"]["continue"]
    for index in range(70):
        await api.patch(f"{CONFIGS}/c0", {"data": {"x": str(index)}})
        await api.get(CONFIGS, limit="1")
    answer = await api.get(CONFIGS, limit="1", continue_=first)
    assert (answer.status, answer.reason) == (410, "Expired")


async def test_a_deleted_namespace_takes_its_objects_along(api: Api) -> None:
    await api.created("/api/v1/namespaces", {"metadata": {"name": "short"}})
    await api.created("/api/v1/namespaces/short/configmaps", {"metadata": {"name": "one"}})
    await api.created(CONFIGS, {"metadata": {"name": "one"}})
    assert (await api.delete("/api/v1/namespaces/short")).status == 200
    left = (await api.get("/api/v1/configmaps")).body["items"]
    assert [item["metadata"]["namespace"] for item in left] == ["default"]


async def test_a_deleted_definition_takes_its_objects_and_paths_along(api: Api) -> None:
    await api.created(DEFINITIONS, WIDGETS)
    await api.created(WIDGETS_PATH, widget("one"))
    async with api.watch(WIDGETS_PATH) as stream:
        assert (await stream.next())["type"] == "ADDED"
        assert (await api.delete(f"{DEFINITIONS}/{WIDGETS['metadata']['name']}")).status == 200
        assert (await stream.next())["type"] == "DELETED"
        with pytest.raises(StopAsyncIteration):
            await stream.next()
    assert (await api.get(WIDGETS_PATH)).status == 404
    await api.created(DEFINITIONS, WIDGETS)
    assert (await api.get(WIDGETS_PATH)).body["items"] == []


async def test_a_changed_definition_is_in_force_at_once(api: Api) -> None:
    made = await api.created(DEFINITIONS, WIDGETS)
    spec = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["size"]["maximum"] = 5
    assert (await api.put(f"{DEFINITIONS}/{WIDGETS['metadata']['name']}", made)).status == 200
    assert (await api.post(WIDGETS_PATH, widget("one", size=6))).status == 422


async def test_without_a_status_subresource_the_status_is_written_with_the_object(api: Api) -> None:
    (pod_groups,) = [one for one in crds(cel=False) if one["spec"]["names"]["kind"] == "PodGroup"]
    await api.created(DEFINITIONS, pod_groups)
    path = "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups"
    group = {"metadata": {"name": "one"}, "spec": {"minMember": 2}, "status": {"phase": "Pending"}}
    made = await api.created(path, group)
    assert made["status"] == {"phase": "Pending"}
    changed = await api.put(f"{path}/one", made | {"status": {"phase": "Running"}})
    assert (changed.body["status"], changed.body["metadata"]["generation"]) == ({"phase": "Running"}, 2)
    assert (await api.put(f"{path}/one/status", changed.body)).status == 404


async def test_two_definitions_of_one_kind_are_refused(api: Api) -> None:
    await api.created(DEFINITIONS, WIDGETS)
    names = WIDGETS["spec"]["names"] | {"plural": "gadgets", "singular": "gadget"}
    other = {"metadata": {"name": "gadgets.contract.hyperscout.test"}, "spec": WIDGETS["spec"] | {"names": names}}
    answer = await api.post(DEFINITIONS, other)
    assert answer.status == 422
    assert "already served as widgets.contract.hyperscout.test" in answer.body["message"]


async def test_a_namespace_goes_once_the_last_held_object_is_released(api: Api) -> None:
    """A real one tries again up to 15 s later."""
    await api.created("/api/v1/namespaces", {"metadata": {"name": "full"}})
    configs = "/api/v1/namespaces/full/configmaps"
    await api.created(configs, {"metadata": {"name": "held", "finalizers": ["x.test/y"]}})
    await api.delete("/api/v1/namespaces/full")
    assert (await api.get("/api/v1/namespaces/full")).body["status"]["phase"] == "Terminating"
    await api.patch(f"{configs}/held", {"metadata": {"finalizers": None}})
    assert (await api.get("/api/v1/namespaces/full")).status == 404
    assert (await api.get(f"{configs}/held")).status == 404


async def test_owners_in_a_circle_go_together(api: Api) -> None:
    """Two that own each other, deleted in the foreground, and what hangs on one of them."""
    first = await api.created(CONFIGS, {"metadata": {"name": "first"}})
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "blockOwnerDeletion": True}
    by_first = owner | {"name": "first", "uid": first["metadata"]["uid"]}
    second = await api.created(CONFIGS, {"metadata": {"name": "second", "ownerReferences": [by_first]}})
    by_second = owner | {"name": "second", "uid": second["metadata"]["uid"]}
    await api.patch(f"{CONFIGS}/first", {"metadata": {"ownerReferences": [by_second]}})
    for index in range(50):
        await api.created(CONFIGS, {"metadata": {"name": f"leaf-{index}", "ownerReferences": [by_second]}})
    await api.delete(f"{CONFIGS}/first", propagationPolicy="Foreground")
    assert (await api.get(CONFIGS)).body["items"] == []


async def test_an_eviction_of_another_pod_of_that_name_is_refused(api: Api) -> None:
    """A real server answers the same, after it has tried for 10 s."""
    await api.created(PODS, pod("one"))
    eviction = {"metadata": {"name": "one"}, "deleteOptions": {"preconditions": {"uid": "of-an-earlier-one"}}}
    assert (await api.post(f"{PODS}/one/eviction", eviction)).status == 409
    assert (await api.get(f"{PODS}/one")).status == 200


async def test_a_client_that_goes_away_ends_its_watch(api: Api) -> None:
    before = len(asyncio.all_tasks())
    for _ in range(5):
        async with api.watch(CONFIGS, resourceVersion="1010") as stream:
            stream.response.close()
    for _ in range(500):  # the end of a request in the server has no event that a test could await
        if len(asyncio.all_tasks()) <= before + 1:
            return
        await asyncio.sleep(0.01)
    pytest.fail("watches whose clients have gone away go on")
