"""Create, read, replace and delete, with the refusals that clients count on."""

from __future__ import annotations

from tests.contract.api import Api
from tests.contract.conftest import pod, widget


async def test_a_created_object_has_what_the_server_gives_it(api: Api, widgets: str) -> None:
    made = await api.created(widgets, widget("one"))
    assert made["metadata"]["uid"]
    assert made["metadata"]["creationTimestamp"].endswith("Z")
    assert made["metadata"]["generation"] == 1
    assert int(made["metadata"]["resourceVersion"]) > 0
    assert made["spec"] == {"size": 1, "colour": "red"}, "defaults of the schema are filled in"
    assert (await api.get(f"{widgets}/one")).body == made


async def test_generated_names_differ(api: Api, widgets: str) -> None:
    names = {(await api.created(widgets, widget()))["metadata"]["name"] for _ in range(5)}
    assert len(names) == 5
    assert all(name.startswith("widget-") and len(name) == len("widget-") + 5 for name in names)


async def test_a_taken_name_is_already_exists(api: Api, widgets: str) -> None:
    await api.created(widgets, widget("one"))
    again = await api.post(widgets, widget("one"))
    assert (again.status, again.reason) == (409, "AlreadyExists")
    assert again.body["details"] == {"name": "one", "group": "contract.hyperscout.test", "kind": "widgets"}


async def test_a_namespace_that_does_not_exist_is_not_found(api: Api) -> None:
    answer = await api.post("/api/v1/namespaces/nowhere/configmaps", {"metadata": {"name": "one"}})
    assert (answer.status, answer.reason) == (404, "NotFound")
    assert answer.body["message"] == 'namespaces "nowhere" not found'


async def test_the_generation_counts_changes_of_the_spec_alone(api: Api, widgets: str) -> None:
    made = await api.created(widgets, widget("one"))
    made["metadata"]["labels"] = {"a": "b"}
    labelled = (await api.put(f"{widgets}/one", made)).body
    assert labelled["metadata"]["generation"] == 1
    labelled["spec"]["size"] = 2
    changed = (await api.put(f"{widgets}/one", labelled)).body
    assert changed["metadata"]["generation"] == 2


async def test_a_stale_revision_is_a_conflict(api: Api, widgets: str) -> None:
    made = await api.created(widgets, widget("one"))
    newer = (await api.put(f"{widgets}/one", made | {"spec": {"size": 2}})).body
    late = await api.put(f"{widgets}/one", made | {"spec": {"size": 3}})
    assert (late.status, late.reason) == (409, "Conflict")
    assert "the object has been modified" in late.body["message"]
    assert (await api.get(f"{widgets}/one")).body == newer


async def test_a_write_that_changes_nothing_keeps_the_revision(api: Api, widgets: str) -> None:
    made = await api.created(widgets, widget("one"))
    assert (await api.put(f"{widgets}/one", made)).body == made


async def test_a_custom_object_is_not_replaced_without_a_revision(api: Api, widgets: str) -> None:
    await api.created(widgets, widget("one"))
    answer = await api.put(f"{widgets}/one", widget("one", size=2))
    assert (answer.status, answer.reason) == (422, "Invalid")
    assert answer.body["details"]["causes"][0]["field"] == "metadata.resourceVersion"


async def test_status_and_spec_are_written_through_their_own_paths(api: Api, widgets: str) -> None:
    made = await api.created(widgets, widget("one") | {"status": {"used": 7}})
    assert "status" not in made
    written = (await api.put(f"{widgets}/one/status", made | {"spec": {"size": 9}, "status": {"used": 3}})).body
    assert (written["spec"]["size"], written["status"]) == (1, {"used": 3})
    assert written["metadata"]["generation"] == 1
    changed = (await api.put(f"{widgets}/one", written | {"spec": {"size": 9}, "status": {"used": 4}})).body
    assert (changed["spec"]["size"], changed["status"]) == (9, {"used": 3})


async def test_a_deletion_keeps_to_its_preconditions(api: Api, widgets: str) -> None:
    made = await api.created(widgets, widget("one"))
    for wrong in ({"uid": "another"}, {"resourceVersion": "1"}):
        refused = await api.delete(f"{widgets}/one", {"preconditions": wrong})
        assert (refused.status, refused.reason) == (409, "Conflict")
    right = {"uid": made["metadata"]["uid"], "resourceVersion": made["metadata"]["resourceVersion"]}
    done = await api.delete(f"{widgets}/one", {"preconditions": right})
    assert (done.status, done.body["status"]) == (200, "Success")
    assert done.body["details"]["uid"] == made["metadata"]["uid"]
    assert (await api.get(f"{widgets}/one")).status == 404


async def test_a_selection_is_deleted_and_the_rest_stays(api: Api, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    for name, label in (("a", "x"), ("b", "y"), ("c", "x")):
        await api.created(path, {"metadata": {"name": name, "labels": {"set": label}}})
    assert (await api.delete(path, labelSelector="set=x")).status == 200
    left = (await api.get(path, labelSelector="set")).body["items"]
    assert [item["metadata"]["name"] for item in left] == ["b"]


async def test_a_dry_run_answers_and_stores_nothing(api: Api, widgets: str) -> None:
    answer = await api.post(widgets, widget("one"), dryRun="All")
    assert (answer.status, answer.body["spec"]["colour"]) == (201, "red")
    assert (await api.get(f"{widgets}/one")).status == 404


async def test_another_uid_in_a_replacement_is_a_conflict(api: Api, pods: str) -> None:
    made = await api.created(pods, pod("one"))
    made["metadata"]["uid"] = "00000000-0000-0000-0000-000000000000"
    answer = await api.put(f"{pods}/one", made)
    assert (answer.status, answer.reason) == (409, "Conflict")


async def test_a_body_for_another_name_is_a_bad_request(api: Api, widgets: str) -> None:
    made = await api.created(widgets, widget("one"))
    made["metadata"]["name"] = "two"
    answer = await api.put(f"{widgets}/one", made)
    assert (answer.status, answer.reason) == (400, "BadRequest")


async def test_paths_and_methods_that_do_not_exist_are_refused_as_status_objects(api: Api) -> None:
    unknown = await api.get("/api/v1/things")
    assert (unknown.status, unknown.reason, unknown.body["kind"]) == (404, "NotFound", "Status")
    assert (await api.get("/apis/nothing.test/v1/things")).status == 404
    method = await api.put("/api/v1/nodes", {})
    assert (method.status, method.reason) == (405, "MethodNotAllowed")
    for everywhere in (await api.post("/api/v1/pods", {}), await api.delete("/api/v1/pods")):
        assert (everywhere.status, everywhere.reason) == (405, "MethodNotAllowed")
    garbled = await api.patch("/api/v1/namespaces/default", None, "text/plain")
    assert (garbled.status, garbled.reason) == (415, "UnsupportedMediaType")
