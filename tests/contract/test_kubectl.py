"""Plain kubectl against the server: what an operator types."""

from __future__ import annotations

import asyncio

from tests.contract.api import Api, Json
from tests.contract.conftest import pod, widget
from tests.contract.kubectl import Kubectl


async def test_get_prints_the_printer_columns(kubectl: Kubectl, api: Api, widgets: str) -> None:
    made = await api.created(widgets, widget("one", size=3))
    conditions = {"conditions": [{"type": "Ready", "status": "True"}]}
    await api.put(f"{widgets}/one/status", made | {"status": conditions})
    rows = (await kubectl.must("get", "wd")).rows
    assert rows[0] == ["NAME", "SIZE", "READY", "AGE"]
    assert rows[1][:3] == ["one", "3", "True"]


async def test_get_pods_wide_names_the_node(kubectl: Kubectl, api: Api, pods: str) -> None:
    await api.created(pods, pod("one", app="x"))
    target = {"kind": "Node", "name": "node-7"}
    bound = await api.post(f"{pods}/one/binding", {"metadata": {"name": "one"}, "target": target})
    assert bound.status == 201
    rows = (await kubectl.must("get", "pods", "-o", "wide", "-l", "app=x")).rows
    assert rows[0][:7] == ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE"]
    assert rows[1][:4] + rows[1][5:] == ["one", "0/1", "Pending", "0", "<none>", "node-7", "<none>", "<none>"]
    assert (await kubectl.must("get", "pods", "-o", "name")).out.split() == ["pod/one"]


async def test_apply_creates_changes_and_leaves_alone(kubectl: Kubectl, widgets: str) -> None:
    manifest = widget("one", size=1, notes={"a": "1"})
    assert (await kubectl.must("apply", "-f", "-", manifest=manifest)).out.strip().endswith("created")
    assert (await kubectl.must("apply", "-f", "-", manifest=manifest)).out.strip().endswith("unchanged")
    changed = widget("one", size=2)
    assert (await kubectl.must("apply", "-f", "-", manifest=changed)).out.strip().endswith("configured")
    assert (await kubectl.must("get", "wd", "one", "-o", "jsonpath={.spec}")).out == '{"colour":"red","size":2}'


async def test_apply_of_a_changed_pod_merges_its_containers(kubectl: Kubectl, pods: str) -> None:
    manifest = pod("one", app="x")
    manifest["spec"]["containers"].append({"name": "second", "image": "registry.test/second:1"})
    await kubectl.must("apply", "-f", "-", manifest=manifest)
    manifest["spec"]["containers"][1]["image"] = "registry.test/second:2"
    manifest["metadata"]["labels"] = {"app": "y"}
    assert (await kubectl.must("apply", "-f", "-", manifest=manifest)).out == "pod/one configured\n"
    wanted = "{.metadata.labels.app} {.spec.containers[*].image}"
    shown = await kubectl.must("get", "pod", "one", "-o", f"jsonpath={wanted}")
    assert shown.out == "y registry.test/main:1 registry.test/second:2"


async def test_apply_refuses_a_field_that_does_not_exist(kubectl: Kubectl, widgets: str) -> None:
    ran = await kubectl("apply", "-f", "-", manifest=widget("one", shape="round"))
    assert ran.code == 1
    assert 'unknown field "spec.shape"' in ran.err


async def test_apply_server_side_and_its_conflict(kubectl: Kubectl, api: Api, widgets: str) -> None:
    await kubectl.must("apply", "--server-side", "-f", "-", manifest=widget("one", size=1))
    ran = await kubectl.must("apply", "--server-side", "-f", "-", manifest=widget("one", size=2))
    assert ran.out.strip().endswith("serverside-applied")
    await api.patch(f"{widgets}/one", {"spec": {"size": 3}}, fieldManager="editor")
    refused = await kubectl("apply", "--server-side", "-f", "-", manifest=widget("one", size=4))
    assert refused.code == 1
    assert 'conflict with "editor"' in refused.err
    await kubectl.must("apply", "--server-side", "--force-conflicts", "-f", "-", manifest=widget("one", size=4))


async def test_describe_shows_an_object_with_its_events(kubectl: Kubectl, api: Api, widgets: str) -> None:
    made = await api.created(widgets, widget("one"))
    involved = {field: made["metadata"][field] for field in ("name", "namespace", "uid")}
    involved |= {"kind": "Widget", "apiVersion": made["apiVersion"]}
    event: Json = {"metadata": {"generateName": "one."}, "involvedObject": involved}
    event |= {"reason": "Grown", "type": "Normal", "message": "it has grown", "count": 1}
    event |= {"source": {"component": "contract"}}
    event |= {"firstTimestamp": "2024-01-01T00:00:00Z", "lastTimestamp": "2024-01-01T00:00:00Z"}
    await api.created(f"/api/v1/namespaces/{kubectl.namespace}/events", event)
    out = (await kubectl.must("describe", "widget", "one")).out
    assert "Kind:         Widget" in out
    assert "it has grown" in out
    rows = (await kubectl.must("get", "events")).rows
    assert rows[0] == ["LAST", "SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    assert rows[1][1:] == ["Normal", "Grown", "widget/one", "it", "has", "grown"]


async def test_describe_pods_and_nodes(kubectl: Kubectl, api: Api, pods: str) -> None:
    status = {"capacity": {"cpu": "8"}, "conditions": [{"type": "Ready", "status": "True", "reason": "Up"}]}
    node = (await api.created("/api/v1/nodes", {"metadata": {"generateName": "node-"}, "status": status}))["metadata"]
    await api.created(pods, pod("one"))
    target = {"kind": "Node", "name": node["name"]}
    await api.post(f"{pods}/one/binding", {"metadata": {"name": "one"}, "target": target})
    assert ["Node:", f"{node['name']}/"] in (await kubectl.must("describe", "pod", "one")).rows
    described = (await kubectl.must("describe", "node", node["name"])).out
    assert "Non-terminated Pods:          (1 in total)" in described
    rows = (await kubectl.must("get", "node", node["name"])).rows
    assert rows[1][:3] == [node["name"], "Ready", "<none>"]


async def test_wait_returns_once_the_condition_holds(kubectl: Kubectl, api: Api, widgets: str) -> None:
    made = [await api.created(widgets, widget(name)) for name in ("one", "two")]
    waiting = asyncio.create_task(kubectl.must("wait", "--for=condition=Ready", "wd", "--all", "--timeout=20s"))
    for value in made:
        await asyncio.sleep(0.1)
        path = f"{widgets}/{value['metadata']['name']}/status"
        await api.patch(path, {"status": {"conditions": [{"type": "Ready", "status": "True"}]}})
    assert (await waiting).out.count("condition met") == 2
    deleting = asyncio.create_task(kubectl.must("wait", "--for=delete", "wd/one", "--timeout=20s"))
    await asyncio.sleep(0.1)
    await api.delete(f"{widgets}/one")
    await deleting


async def test_get_w_follows_changes(kubectl: Kubectl, api: Api, widgets: str) -> None:
    await api.created(widgets, widget("one"))
    async with kubectl.following("get", "wd", "-w") as lines, asyncio.timeout(20):
        assert (await lines.readline()).split()[:2] == [b"NAME", b"SIZE"]
        assert (await lines.readline()).split()[:2] == [b"one", b"1"]
        await api.patch(f"{widgets}/one", {"spec": {"size": 2}})
        assert (await lines.readline()).split()[:2] == [b"one", b"2"]


async def test_delete_waits_until_the_object_is_gone(kubectl: Kubectl, api: Api, widgets: str, pods: str) -> None:
    await api.created(widgets, widget("one"))
    await api.created(pods, pod("one"))
    await kubectl.must("delete", "wd/one", "pod/one", "--timeout=20s")
    assert (await kubectl("get", "wd", "one")).err.startswith("Error from server (NotFound)")


async def test_explain_prints_types_and_descriptions(kubectl: Kubectl, widgets: str) -> None:
    out = (await kubectl.must("explain", "widget.spec")).out
    assert "size\t<integer> -required-" in out
    assert "parts\t<[]Object>" in out
    assert "image\t<string>" in (await kubectl.must("explain", "pod.spec.containers")).out


async def test_small_verbs_of_every_day(kubectl: Kubectl, api: Api, widgets: str) -> None:
    await api.created(widgets, widget("one"))
    await kubectl.must("label", "wd/one", "a=b")
    await kubectl.must("annotate", "wd/one", "c=d")
    await kubectl.must("patch", "wd/one", "--type=merge", "-p", '{"spec":{"size":5}}')
    shown = await kubectl.must("get", "wd", "one", "-o", "jsonpath={.metadata.labels.a} {.spec.size}")
    assert shown.out == "b 5"
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "made"}, "data": {"x": "y"}}
    await kubectl.must("create", "-f", "-", manifest=made)
    await kubectl.must("replace", "-f", "-", manifest=made | {"data": {"x": "z"}})
    names = {row[0] for row in (await kubectl.must("api-resources", "--no-headers")).rows}
    assert {"pods", "nodes", "widgets", "leases", "customresourcedefinitions"} <= names
    node = (await api.created("/api/v1/nodes", {"metadata": {"generateName": "node-"}}))["metadata"]["name"]
    await kubectl.must("cordon", node)
    await kubectl.must("taint", "node", node, "k=v:NoSchedule")
    shown = await kubectl.must("get", "node", node, "-o", "jsonpath={.spec}")
    assert '"unschedulable":true' in shown.out
    assert '"key":"k"' in shown.out
