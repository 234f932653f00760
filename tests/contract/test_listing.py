"""Lists: pages of one moment, selectors, revisions, and the forms that clients ask for."""

from __future__ import annotations

import pytest

from tests.contract.api import Api, Json
from tests.contract.conftest import pod, widget

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"


def names(listed: Json) -> list[str]:
    """The names in a list, in its order."""
    return [item["metadata"]["name"] for item in listed["items"]]


@pytest.fixture
async def configs(api: Api, namespace: str) -> str:
    """Five config maps a..e, labelled by tier and by parity."""
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    for index, name in enumerate("abcde"):
        labels = {"tier": str(index), "parity": "even" if index % 2 == 0 else "odd"}
        await api.created(path, {"metadata": {"name": name, "labels": labels}})
    return path


async def test_a_list_names_its_kind_and_revision(api: Api, configs: str) -> None:
    listed = (await api.get(configs)).body
    assert (listed["kind"], listed["apiVersion"]) == ("ConfigMapList", "v1")
    newest = max(int(item["metadata"]["resourceVersion"]) for item in listed["items"])
    assert int(listed["metadata"]["resourceVersion"]) >= newest
    assert names(listed) == list("abcde")


async def test_pages_show_the_moment_of_the_first(api: Api, configs: str) -> None:
    first = (await api.get(configs, limit="2")).body
    assert names(first) == ["a", "b"]
    assert first["metadata"]["remainingItemCount"] == 3
    await api.created(configs, {"metadata": {"name": "bb"}})
    await api.delete(f"{configs}/d")
    second = (await api.get(configs, limit="2", continue_=first["metadata"]["continue"])).body
    third = (await api.get(configs, limit="2", continue_=second["metadata"]["continue"])).body
    assert names(second) + names(third) == ["c", "d", "e"]
    assert "continue" not in third["metadata"]
    revisions = {page["metadata"]["resourceVersion"] for page in (first, second, third)}
    assert len(revisions) == 1


async def test_pages_of_a_selection_hold_what_is_selected(api: Api, configs: str) -> None:
    query = {"limit": "2", "labelSelector": "parity=even"}
    first = (await api.get(configs, **query)).body
    rest = (await api.get(configs, continue_=first["metadata"]["continue"], **query)).body
    assert names(first) + names(rest) == ["a", "c", "e"]


async def test_a_made_up_continue_token_is_a_bad_request(api: Api, configs: str) -> None:
    answer = await api.get(configs, limit="2", continue_="bm90IGEgdG9rZW4")
    assert (answer.status, answer.reason) == (400, "BadRequest")


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("parity=odd", "bd"),
        ("parity==odd,tier!=3", "b"),
        ("tier in (0, 4)", "ae"),
        ("tier notin (0,1,2)", "de"),
        ("parity", "abcde"),
        ("!parity", ""),
        ("missing!=x,tier>2", "de"),
        ("tier<1", "a"),
    ],
)
async def test_label_selectors_select(api: Api, configs: str, selector: str, expected: str) -> None:
    assert "".join(names((await api.get(configs, labelSelector=selector)).body)) == expected


@pytest.mark.parametrize("selector", ["tier in (1", "=x", "a=b=c", "tier===1"])
async def test_a_broken_label_selector_is_a_bad_request(api: Api, configs: str, selector: str) -> None:
    answer = await api.get(configs, labelSelector=selector)
    assert (answer.status, answer.reason) == (400, "BadRequest")


async def test_field_selectors_select_pods(api: Api, pods: str) -> None:
    for name in ("a", "b", "c"):
        await api.created(pods, pod(name))
    body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "b"}, "target": {"kind": "Node", "name": "n1"}}
    assert (await api.post(f"{pods}/b/binding", body)).status == 201
    assert names((await api.get(pods, fieldSelector="spec.nodeName=n1")).body) == ["b"]
    assert names((await api.get(pods, fieldSelector="spec.nodeName!=n1,metadata.name!=c")).body) == ["a"]
    assert names((await api.get(pods, fieldSelector="status.phase=Pending,spec.nodeName=")).body) == ["a", "c"]
    everywhere = (await api.get("/api/v1/pods", fieldSelector="spec.nodeName=n1")).body["items"]
    assert pods.split("/")[4] in {item["metadata"]["namespace"] for item in everywhere}


async def test_a_field_that_cannot_be_selected_by_is_a_bad_request(api: Api, pods: str) -> None:
    answer = await api.get(pods, fieldSelector="spec.colour=red")
    assert answer.status == 400
    assert "field label not supported" in answer.body["message"]


async def test_a_revision_from_the_future_is_refused_as_a_timeout(api: Api, configs: str) -> None:
    answer = await api.get(configs, resourceVersion="99999999999", resourceVersionMatch="NotOlderThan")
    assert (answer.status, answer.reason) == (504, "Timeout")
    assert answer.body["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge"


async def test_any_revision_that_has_been_is_good_for_not_older_than(api: Api, configs: str) -> None:
    revision = (await api.get(configs)).body["metadata"]["resourceVersion"]
    for wanted in ("0", revision):
        answer = await api.get(configs, resourceVersion=wanted, resourceVersionMatch="NotOlderThan")
        assert names(answer.body) == list("abcde")


async def test_a_table_has_the_printer_columns_of_its_kind(api: Api, widgets: str) -> None:
    made = await api.created(widgets, widget("one", size=3))
    ready = {"conditions": [{"type": "Other", "status": "False"}, {"type": "Ready", "status": "True"}]}
    assert (await api.put(f"{widgets}/one/status", made | {"status": ready})).status == 200
    await api.created(widgets, widget("two"))
    table = (await api.get(widgets, accept=TABLE)).body
    assert (table["kind"], table["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", "Size", "Ready", "Age"]
    rows = [row["cells"] for row in table["rows"]]
    assert [cells[:2] for cells in rows] == [["one", 3], ["two", 1]]
    assert rows[0][2] == "True"
    assert rows[1][2] in (None, "")
    assert all(cells[3].endswith("s") for cells in rows)
    assert table["rows"][0]["object"]["kind"] == "PartialObjectMetadata"


async def test_metadata_alone_can_be_listed(api: Api, configs: str) -> None:
    listed = (await api.get(configs, accept=METADATA)).body
    assert listed["kind"] == "PartialObjectMetadataList"
    assert names(listed) == list("abcde")
    assert all(set(item) <= {"kind", "apiVersion", "metadata"} for item in listed["items"])


async def test_a_form_that_is_not_spoken_is_not_acceptable(api: Api, configs: str) -> None:
    assert (await api.get(configs, accept="text/html")).status == 406


async def test_an_object_may_be_read_as_the_cache_has_it(api: Api, configs: str) -> None:
    newest = (await api.get(f"{configs}/e")).body
    for version in (newest["metadata"]["resourceVersion"], "0"):  # the first waits until the cache has it
        assert (await api.get(f"{configs}/e", resourceVersion=version)).body == newest
    assert (await api.get(f"{configs}/f", resourceVersion="0")).status == 404
