"""Pods: defaults, what may change, binding once, eviction."""

from __future__ import annotations

import asyncio

import pytest

from tests.contract.api import Answer, Api, Json
from tests.contract.conftest import pod


def binding(name: str, node: str, **metadata: str) -> Json:
    """A binding of a pod to a node."""
    about = {"name": name} | metadata
    return {"apiVersion": "v1", "kind": "Binding", "metadata": about, "target": {"kind": "Node", "name": node}}


async def bind(api: Api, pods: str, name: str, node: str) -> Answer:
    """Bind a pod."""
    return await api.post(f"{pods}/{name}/binding", binding(name, node))


async def test_a_new_pod_is_pending_and_complete(api: Api, pods: str) -> None:
    body = pod("one")
    body["spec"]["containers"][0]["resources"] = {"limits": {"cpu": 2, "memory": "1Gi"}}
    made = await api.created(pods, body)
    assert made["status"]["phase"] == "Pending"
    assert made["status"]["qosClass"] == "Guaranteed"
    assert (made["spec"]["restartPolicy"], made["spec"]["schedulerName"]) == ("Always", "default-scheduler")
    resources = made["spec"]["containers"][0]["resources"]
    assert resources == {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "2", "memory": "1Gi"}}


async def test_a_binding_sets_the_node_and_says_so(api: Api, pods: str) -> None:
    await api.created(pods, pod("one"))
    assert (await bind(api, pods, "one", "node-1")).status == 201
    bound = (await api.get(f"{pods}/one")).body
    assert bound["spec"]["nodeName"] == "node-1"
    scheduled = [entry for entry in bound["status"]["conditions"] if entry["type"] == "PodScheduled"]
    assert [entry["status"] for entry in scheduled] == ["True"]


async def test_a_pod_is_bound_once(api: Api, pods: str) -> None:
    await api.created(pods, pod("one"))
    answers = await asyncio.gather(*(bind(api, pods, "one", f"node-{index}") for index in range(5)))
    assert sorted(answer.status for answer in answers) == [201, 409, 409, 409, 409]
    late = await bind(api, pods, "one", "node-9")
    assert late.reason == "Conflict"
    assert "is already assigned to node" in late.body["message"]


async def test_a_binding_of_another_uid_is_a_conflict(api: Api, pods: str) -> None:
    made = await api.created(pods, pod("one"))
    wrong = binding("one", "node-1", uid="00000000-0000-0000-0000-000000000000")
    assert (await api.post(f"{pods}/one/binding", wrong)).status == 409
    right = binding("one", "node-1", uid=made["metadata"]["uid"])
    assert (await api.post(f"{pods}/one/binding", right)).status == 201


async def test_a_pod_with_scheduling_gates_is_not_bound(api: Api, pods: str) -> None:
    body = pod("one")
    body["spec"]["schedulingGates"] = [{"name": "contract.test/wait"}]
    await api.created(pods, body)
    assert (await bind(api, pods, "one", "node-1")).status == 409
    assert (await api.patch(f"{pods}/one", {"spec": {"schedulingGates": None}})).status == 200
    assert (await bind(api, pods, "one", "node-1")).status == 201


async def test_a_pod_that_is_not_there_is_not_bound(api: Api, pods: str) -> None:
    assert (await bind(api, pods, "one", "node-1")).status == 404


@pytest.mark.parametrize(
    "change",
    [{"nodeName": "node-1"}, {"schedulerName": "another"}, {"nodeSelector": {"a": "b"}}, {"priority": 7}],
)
async def test_what_is_fixed_in_a_pod_stays(api: Api, pods: str, change: Json) -> None:
    await api.created(pods, pod("one"))
    answer = await api.patch(f"{pods}/one", {"spec": change})
    assert (answer.status, answer.reason) == (422, "Invalid")


async def test_the_image_of_a_container_may_change(api: Api, pods: str) -> None:
    made = await api.created(pods, pod("one"))
    made["spec"]["containers"][0]["image"] = "registry.test/main:2"
    assert (await api.put(f"{pods}/one", made)).body["spec"]["containers"][0]["image"].endswith(":2")


async def test_the_status_of_a_pod_has_its_own_path(api: Api, pods: str) -> None:
    made = await api.created(pods, pod("one"))
    written = await api.put(f"{pods}/one/status", made | {"status": {"phase": "Failed", "reason": "Test"}})
    assert written.body["status"]["phase"] == "Failed"
    kept = await api.put(f"{pods}/one", written.body | {"status": {"phase": "Running"}})
    assert kept.body["status"]["phase"] == "Failed"


async def test_an_evicted_pod_is_gone(api: Api, pods: str) -> None:
    made = await api.created(pods, pod("one"))
    eviction: Json = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "one"}}
    right = eviction | {"deleteOptions": {"preconditions": {"uid": made["metadata"]["uid"]}}}
    assert (await api.post(f"{pods}/one/eviction", right)).status == 201
    assert (await api.get(f"{pods}/one")).status == 404


async def test_an_unscheduled_pod_is_deleted_at_once(api: Api, pods: str) -> None:
    made = await api.created(pods, pod("one"))
    answer = await api.delete(f"{pods}/one")
    assert answer.status == 200
    assert answer.body["metadata"]["uid"] == made["metadata"]["uid"]
    assert (await api.get(f"{pods}/one")).status == 404


async def test_quantities_that_are_none_are_refused(api: Api, pods: str) -> None:
    body = pod("one")
    body["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "lots"}}
    assert (await api.post(pods, body)).status == 400


async def test_a_pod_tolerates_failing_nodes_for_a_while(api: Api, pods: str) -> None:
    body = pod("one")
    body["spec"]["tolerations"] = [{"key": "node.kubernetes.io/not-ready", "operator": "Exists"}]
    made = await api.created(pods, body)
    default = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    assert made["spec"]["tolerations"] == [
        {"key": "node.kubernetes.io/not-ready", "operator": "Exists"},
        {"key": "node.kubernetes.io/unreachable"} | default,
    ]


async def test_a_part_of_a_status_is_enough(api: Api) -> None:
    info = {"metadata": {"generateName": "node-"}, "status": {"nodeInfo": {"kubeletVersion": "v1.30.0"}}}
    assert (await api.created("/api/v1/nodes", info))["status"]["nodeInfo"]["kubeletVersion"] == "v1.30.0"


async def test_a_pod_has_the_priority_of_its_class(api: Api, pods: str) -> None:
    urgent = {"metadata": {"generateName": "urgent-"}, "value": 7}
    made = await api.created("/apis/scheduling.k8s.io/v1/priorityclasses", urgent)
    body = pod("one")
    body["spec"]["priorityClassName"] = made["metadata"]["name"]
    assert (await api.created(pods, body))["spec"]["priority"] == 7
    body = pod("two")
    body["spec"]["priorityClassName"] = "nothing"
    assert (await api.post(pods, body)).status == 403


async def test_a_node_keeps_the_status_it_is_created_with(api: Api) -> None:
    status = {"capacity": {"cpu": 8, "nvidia.com/gpu": "4"}, "conditions": [{"type": "Ready", "status": "True"}]}
    made = await api.created("/api/v1/nodes", {"metadata": {"generateName": "node-"}, "status": status})
    assert made["status"]["capacity"] == {"cpu": "8", "nvidia.com/gpu": "4"}
    assert made["status"]["allocatable"] == made["status"]["capacity"]
    kept = await api.put(f"/api/v1/nodes/{made['metadata']['name']}", made | {"status": {}})
    assert kept.body["status"]["capacity"] == made["status"]["capacity"]
