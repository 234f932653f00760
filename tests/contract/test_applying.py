"""Server-side apply: who states a field owns it."""

from __future__ import annotations

from tests.contract.api import Api, Json
from tests.contract.conftest import pod, widget


def managers(value: Json) -> set[tuple[str, str]]:
    """Who owns fields of an object, and how they wrote."""
    return {(entry["manager"], entry["operation"]) for entry in value["metadata"]["managedFields"]}


async def test_apply_creates_what_is_not_there(api: Api, widgets: str) -> None:
    answer = await api.apply(f"{widgets}/one", widget("one", size=2), "first")
    assert answer.status == 201
    assert answer.body["spec"] == {"size": 2, "colour": "red"}
    assert managers(answer.body) == {("first", "Apply")}
    again = await api.apply(f"{widgets}/one", widget("one", size=2), "first")
    assert again.status == 200
    assert again.body["metadata"]["resourceVersion"] == answer.body["metadata"]["resourceVersion"]


async def test_what_a_manager_states_no_longer_is_removed(api: Api, widgets: str) -> None:
    await api.apply(f"{widgets}/one", widget("one", code="abc", notes={"a": "1", "b": "2"}), "first")
    answer = await api.apply(f"{widgets}/one", widget("one", notes={"b": "2"}), "first")
    assert answer.body["spec"] == {"size": 1, "colour": "red", "notes": {"b": "2"}}


async def test_two_managers_own_different_fields(api: Api, widgets: str) -> None:
    await api.apply(f"{widgets}/one", widget("one", notes={"a": "1"}), "first")
    both = (await api.apply(f"{widgets}/one", widget("one", notes={"b": "2"}), "second")).body
    assert both["spec"]["notes"] == {"a": "1", "b": "2"}
    less = (await api.apply(f"{widgets}/one", widget("one"), "second")).body
    assert less["spec"]["notes"] == {"a": "1"}


async def test_a_field_of_another_manager_is_a_conflict_that_names_both(api: Api, widgets: str) -> None:
    await api.apply(f"{widgets}/one", widget("one", size=1), "first")
    answer = await api.apply(f"{widgets}/one", widget("one", size=2), "second")
    assert (answer.status, answer.reason) == (409, "Conflict")
    cause = answer.body["details"]["causes"][0]
    assert (cause["reason"], cause["field"]) == ("FieldManagerConflict", ".spec.size")
    assert 'conflict with "first"' in cause["message"]
    assert (await api.get(f"{widgets}/one")).body["spec"]["size"] == 1


async def test_all_conflicts_are_told_with_who_wrote_how(api: Api, widgets: str) -> None:
    await api.apply(f"{widgets}/one", widget("one", size=1, code="abc"), "first")
    await api.patch(f"{widgets}/one", {"spec": {"colour": "green"}}, fieldManager="editor")
    answer = await api.apply(f"{widgets}/one", widget("one", size=2, code="xyz", colour="red"), "second")
    assert answer.body["message"].splitlines() == [
        'Apply failed with 3 conflicts: conflicts with "editor" using contract.hyperscout.test/v1:',
        "- .spec.colour",
        'conflicts with "first":',
        "- .spec.code",
        "- .spec.size",
    ]
    causes = [(cause["field"], cause["message"]) for cause in answer.body["details"]["causes"]]
    assert sorted(causes)[0] == (".spec.code", 'conflict with "first"')
    one = await api.apply(f"{widgets}/one", widget("one", size=2), "second")
    assert one.body["message"] == 'Apply failed with 1 conflict: conflict with "first": .spec.size'
    assert one.body["details"].keys() == {"causes"}


async def test_a_conflict_names_the_subresource_that_was_written_through(api: Api, widgets: str) -> None:
    made = (await api.apply(f"{widgets}/one", widget("one"), "first")).body
    await api.patch(f"{widgets}/one/status", {"status": {"used": 1}}, fieldManager="reporter")
    body = {key: made[key] for key in ("apiVersion", "kind")} | {"metadata": {"name": "one"}, "status": {"used": 2}}
    answer = await api.apply(f"{widgets}/one/status", body, "other")
    assert answer.status == 409
    reporter = '"reporter" with subresource "status" using contract.hyperscout.test/v1'
    assert answer.body["message"] == f"Apply failed with 1 conflict: conflict with {reporter}: .status.used"


async def test_force_takes_a_field_over(api: Api, widgets: str) -> None:
    await api.apply(f"{widgets}/one", widget("one", size=1), "first")
    taken = await api.apply(f"{widgets}/one", widget("one", size=2), "second", force="true")
    assert (taken.status, taken.body["spec"]["size"]) == (200, 2)
    back = await api.apply(f"{widgets}/one", widget("one", size=1), "first")
    assert back.status == 409


async def test_the_same_value_may_be_owned_by_both(api: Api, widgets: str) -> None:
    await api.apply(f"{widgets}/one", widget("one", size=1), "first")
    shared = await api.apply(f"{widgets}/one", widget("one", size=1), "second")
    assert shared.status == 200
    assert managers(shared.body) == {("first", "Apply"), ("second", "Apply")}


async def test_a_plain_write_owns_what_it_changes(api: Api, widgets: str) -> None:
    await api.apply(f"{widgets}/one", widget("one", size=1), "first")
    await api.patch(f"{widgets}/one", {"spec": {"size": 5}}, fieldManager="editor")
    answer = await api.apply(f"{widgets}/one", widget("one", size=1), "first")
    assert answer.status == 409
    assert 'conflict with "editor"' in answer.body["message"]


async def test_a_manager_that_created_by_post_is_another_when_it_applies(api: Api, widgets: str) -> None:
    assert (await api.post(widgets, widget("one", size=1), fieldManager="same")).status == 201
    answer = await api.apply(f"{widgets}/one", widget("one", size=2), "same")
    assert answer.status == 409
    assert (await api.apply(f"{widgets}/one", widget("one", size=2), "same", force="true")).status == 200


async def test_items_of_a_keyed_list_have_owners_of_their_own(api: Api, widgets: str) -> None:
    await api.apply(f"{widgets}/one", widget("one", parts=[{"name": "a", "count": 1}]), "first")
    both = (await api.apply(f"{widgets}/one", widget("one", parts=[{"name": "b", "count": 2}]), "second")).body
    assert both["spec"]["parts"] == [{"name": "a", "count": 1}, {"name": "b", "count": 2}]
    left = (await api.apply(f"{widgets}/one", widget("one"), "first")).body
    assert left["spec"]["parts"] == [{"name": "b", "count": 2}]


async def test_a_list_without_keys_is_owned_whole(api: Api, widgets: str) -> None:
    await api.apply(f"{widgets}/one", widget("one", tags=["a"]), "first")
    answer = await api.apply(f"{widgets}/one", widget("one", tags=["a", "b"]), "second")
    assert answer.status == 409
    assert answer.body["details"]["causes"][0]["field"] == ".spec.tags"


async def test_apply_keeps_to_the_uid_and_revision_it_names(api: Api, widgets: str) -> None:
    made = (await api.apply(f"{widgets}/one", widget("one"), "first")).body
    body = widget("one", size=2)
    body["metadata"] |= {"uid": "00000000-0000-0000-0000-000000000000"}
    another = await api.apply(f"{widgets}/one", body, "first")
    assert (another.status, another.body["details"]["causes"][0]["field"]) == (422, "metadata.uid")
    body["metadata"]["resourceVersion"] = "1"
    assert (await api.apply(f"{widgets}/one", body, "first")).status == 409, "the revision is looked at first"
    body["metadata"] |= {"uid": made["metadata"]["uid"], "resourceVersion": made["metadata"]["resourceVersion"]}
    assert (await api.apply(f"{widgets}/one", body, "first")).status == 200
    assert (await api.apply(f"{widgets}/one", body | {"spec": {"size": 3}}, "first")).status == 409
    gone = widget("two")
    gone["metadata"]["uid"] = made["metadata"]["uid"]
    assert (await api.apply(f"{widgets}/two", gone, "first")).status == 409


async def test_apply_without_a_manager_is_invalid(api: Api, widgets: str) -> None:
    answer = await api.apply(f"{widgets}/one", widget("one"), "")
    assert (answer.status, answer.body["details"]["causes"][0]["field"]) == (422, "fieldManager")


async def test_the_status_is_applied_through_its_own_path(api: Api, widgets: str) -> None:
    await api.apply(f"{widgets}/one", widget("one", size=1), "first")
    body = widget("one") | {"status": {"used": 3}}
    del body["spec"]
    applied = (await api.apply(f"{widgets}/one/status", body, "reporter")).body
    assert (applied["spec"]["size"], applied["status"]) == (1, {"used": 3})
    entry = next(entry for entry in applied["metadata"]["managedFields"] if entry["manager"] == "reporter")
    assert (entry["subresource"], entry["fieldsV1"]) == ("status", {"f:status": {"f:used": {}}})


async def test_containers_of_a_pod_are_applied_by_name(api: Api, pods: str) -> None:
    body = pod("one", app="x")
    assert (await api.apply(f"{pods}/one", body, "first")).status == 201
    labelled = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one", "labels": {"extra": "y"}}}
    applied = (await api.apply(f"{pods}/one", labelled, "second")).body
    assert applied["metadata"]["labels"] == {"app": "x", "extra": "y"}
    assert [container["name"] for container in applied["spec"]["containers"]] == ["main"]
    body["spec"]["containers"][0]["image"] = "registry.test/main:2"
    assert (await api.apply(f"{pods}/one", body, "first")).body["spec"]["containers"][0]["image"].endswith(":2")


async def test_applied_managed_fields_are_refused(api: Api, widgets: str) -> None:
    made = (await api.apply(f"{widgets}/one", widget("one"), "first")).body
    answer = await api.apply(f"{widgets}/one", made, "first")
    assert (answer.status, answer.reason) == (400, "BadRequest")
