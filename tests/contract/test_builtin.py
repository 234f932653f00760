"""The built-in kinds beside pods: events, leases, nodes, namespaces."""

from __future__ import annotations

from tests.contract.api import Api, Json

LEASES = "/apis/coordination.k8s.io/v1"


def event(**involved: str) -> Json:
    """An event about an object."""
    subject = {"kind": "Widget", "name": "one"} | involved
    return {"metadata": {"generateName": "one."}, "involvedObject": subject, "reason": "R", "message": "m"}


async def test_an_event_stands_in_the_namespace_of_its_object(api: Api, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/events"
    assert (await api.post(path, event(namespace=namespace))).status == 201
    elsewhere = await api.post(path, event(namespace="default"))
    assert elsewhere.status == 422
    assert elsewhere.body["details"]["causes"][0]["field"] == "involvedObject.namespace"


async def test_an_event_about_a_cluster_scoped_object_stands_in_default(api: Api, namespace: str) -> None:
    assert (await api.post(f"/api/v1/namespaces/{namespace}/events", event())).status == 422
    assert (await api.post("/api/v1/namespaces/default/events", event())).status == 201


async def test_an_event_with_a_precise_time_says_who_did_what(api: Api, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/events"
    body = event(namespace=namespace) | {"eventTime": "2024-01-01T00:00:00.000000Z"}
    bare = await api.post(path, body)
    assert bare.status == 422
    full = {"reportingComponent": "a.test/b", "reportingInstance": "i", "action": "Bind", "type": "Normal"}
    assert (await api.post(path, body | full)).status == 201


async def test_events_are_found_by_their_object(api: Api, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/events"
    for name in ("one", "two"):
        assert (await api.post(path, event(namespace=namespace, name=name))).status == 201
    found = (await api.get(path, fieldSelector="involvedObject.name=two,involvedObject.kind=Widget")).body["items"]
    assert [item["involvedObject"]["name"] for item in found] == ["two"]


async def test_a_lease_is_taken_by_one(api: Api, namespace: str) -> None:
    path = f"{LEASES}/namespaces/{namespace}/leases"
    lease = {"metadata": {"name": "leader"}, "spec": {"holderIdentity": "a", "leaseDurationSeconds": 15}}
    made = await api.created(path, lease)
    assert (await api.post(path, lease)).reason == "AlreadyExists"
    first = await api.put(f"{path}/leader", made | {"spec": made["spec"] | {"holderIdentity": "b"}})
    second = await api.put(f"{path}/leader", made | {"spec": made["spec"] | {"holderIdentity": "c"}})
    assert (first.status, second.status, second.reason) == (200, 409, "Conflict")


async def test_a_lease_is_not_replaced_without_a_revision(api: Api, namespace: str) -> None:
    path = f"{LEASES}/namespaces/{namespace}/leases"
    await api.created(path, {"metadata": {"name": "leader"}, "spec": {"holderIdentity": "a"}})
    answer = await api.put(f"{path}/leader", {"metadata": {"name": "leader"}, "spec": {"holderIdentity": "b"}})
    assert answer.status == 422


async def test_one_condition_of_a_node_is_applied_beside_those_of_others(api: Api) -> None:
    made = await api.created("/api/v1/nodes", {"metadata": {"generateName": "node-"}})
    name = made["metadata"]["name"]
    path = f"/api/v1/nodes/{name}/status"
    ready = {"conditions": [{"type": "Ready", "status": "True"}]}
    assert (await api.put(path, made | {"status": ready}, fieldManager="kubelet")).status == 200
    healthy = {"type": "FabricHealthy", "status": "True", "reason": "AllLinksUp"}
    body: Json = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {"conditions": [healthy]}}
    applied = (await api.apply(path, body, "hyperscout")).body
    assert {entry["type"]: entry["status"] for entry in applied["status"]["conditions"]} == {
        "Ready": "True",
        "FabricHealthy": "True",
    }
    body["status"] = {}
    left = (await api.apply(path, body, "hyperscout")).body
    assert [entry["type"] for entry in left["status"]["conditions"]] == ["Ready"]


async def test_a_namespace_is_active_and_labelled_with_its_name(api: Api, namespace: str) -> None:
    found = (await api.get(f"/api/v1/namespaces/{namespace}")).body
    assert found["status"]["phase"] == "Active"
    assert found["metadata"]["labels"]["kubernetes.io/metadata.name"] == namespace


async def test_a_node_is_cordoned_by_a_patch(api: Api) -> None:
    name = (await api.created("/api/v1/nodes", {"metadata": {"generateName": "node-"}}))["metadata"]["name"]
    assert (await api.patch(f"/api/v1/nodes/{name}", {"spec": {"unschedulable": True}})).status == 200
    found = (await api.get("/api/v1/nodes", fieldSelector="spec.unschedulable=true")).body["items"]
    assert name in [item["metadata"]["name"] for item in found]
