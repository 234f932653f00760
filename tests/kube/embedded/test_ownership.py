"""Field sets: cut by the schema, written as fieldsV1 and read back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kube.embedded.models import model_schema
from kube.embedded.ownership import Manager, leaves_of, read_owners, record_update, text_of, write_owners

POD = model_schema("V1Pod")
NAMES = st.sampled_from("abcd")
VALUES = st.recursive(
    st.integers() | st.text(max_size=2) | st.lists(st.integers(), max_size=2),
    lambda inner: st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


def test_a_pod_is_cut_by_the_keys_of_its_lists() -> None:
    containers = [{"name": "main", "image": "x", "ports": [{"containerPort": 80}]}]
    pod = {"spec": {"containers": containers, "nodeSelector": {"a": "b"}, "tolerations": [{"key": "k"}]}}
    assert {text_of(path) for path in leaves_of(POD, pod)} == {
        '.spec.containers[name="main"]',
        '.spec.containers[name="main"].name',
        '.spec.containers[name="main"].image',
        '.spec.containers[name="main"].ports[containerPort=80,protocol="TCP"]',
        '.spec.containers[name="main"].ports[containerPort=80,protocol="TCP"].containerPort',
        ".spec.nodeSelector",
        ".spec.tolerations",
    }


def test_a_set_is_written_as_kubernetes_writes_it() -> None:
    pod = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "main"}]}}
    owners = {Manager("me", "Apply"): frozenset(leaves_of(POD, pod))}
    (entry,) = write_owners("v1", owners, {Manager("me", "Apply"): "2024-01-01T00:00:00Z"})
    assert entry == {
        "manager": "me",
        "operation": "Apply",
        "apiVersion": "v1",
        "time": "2024-01-01T00:00:00Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": {
            "f:metadata": {"f:labels": {"f:a": {}}},
            "f:spec": {"f:containers": {'k:{"name":"main"}': {".": {}, "f:name": {}}}},
        },
    }


@given(VALUES)
def test_what_is_written_is_read_back(value: object) -> None:
    me = Manager("me", "Update", "status")
    owners = {me: frozenset(leaves_of({}, {"spec": value}))}
    entries = write_owners("v1", owners, {me: "t"})
    assert read_owners({"managedFields": entries}) == (owners, {me: "t"})


@given(VALUES, VALUES)
def test_after_a_plain_write_every_changed_field_has_one_owner(before: object, after: object) -> None:
    first, second = Manager("first", "Update"), Manager("second", "Update")
    old, new = leaves_of({}, {"spec": before}), leaves_of({}, {"spec": after})
    owners = record_update(record_update({}, first, {}, old), second, old, new)
    assert owners[first] | owners[second] == new.keys()
    assert not owners[first] & owners[second]
    assert all(old[path] == new[path] for path in owners[first])
