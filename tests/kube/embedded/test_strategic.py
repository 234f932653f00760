"""Strategic merge patch: lists by key, and its directives (examples of the Kubernetes API conventions)."""

from __future__ import annotations

import pytest

from kube.embedded.models import model_schema
from kube.embedded.refusals import StatusError
from kube.embedded.strategic import strategic_patch

SPEC = model_schema("V1PodSpec")
TWO = {"containers": [{"name": "a", "image": "1"}, {"name": "b", "image": "1"}]}


def test_items_are_joined_by_key_and_new_ones_added() -> None:
    patch = {"containers": [{"name": "b", "image": "2"}, {"name": "c", "image": "3"}]}
    images = [(item["name"], item["image"]) for item in strategic_patch(SPEC, TWO, patch)["containers"]]
    assert images == [("a", "1"), ("b", "2"), ("c", "3")]


def test_an_item_is_deleted_by_directive() -> None:
    patch = {"containers": [{"$patch": "delete", "name": "a"}]}
    assert strategic_patch(SPEC, TWO, patch) == {"containers": [{"name": "b", "image": "1"}]}


def test_a_list_is_replaced_by_directive() -> None:
    patch = {"containers": [{"$patch": "replace"}, {"name": "c", "image": "3"}]}
    assert strategic_patch(SPEC, TWO, patch) == {"containers": [{"name": "c", "image": "3"}]}


def test_an_object_is_replaced_or_deleted_by_directive() -> None:
    value = {"securityContext": {"runAsUser": 1, "fsGroup": 2}}
    replaced = strategic_patch(SPEC, value, {"securityContext": {"$patch": "replace", "fsGroup": 3}})
    assert replaced == {"securityContext": {"fsGroup": 3}}
    assert strategic_patch(SPEC, value, {"securityContext": {"$patch": "delete"}}) == {}


def test_the_order_follows_the_patch() -> None:
    patch = {
        "$setElementOrder/containers": [{"name": "c"}, {"name": "b"}, {"name": "a"}],
        "containers": [{"name": "c", "image": "3"}],
    }
    assert [item["name"] for item in strategic_patch(SPEC, TWO, patch)["containers"]] == ["c", "b", "a"]


def test_plain_values_are_joined_and_deleted_from_sets() -> None:
    spec = model_schema("V1NodeSpec")
    value = {"podCIDRs": ["10.0.0.0/24", "10.0.1.0/24"]}
    patch = {"$deleteFromPrimitiveList/podCIDRs": ["10.0.0.0/24"], "podCIDRs": ["10.0.2.0/24"]}
    assert strategic_patch(spec, value, patch) == {"podCIDRs": ["10.0.1.0/24", "10.0.2.0/24"]}


def test_kept_keys_drop_the_others() -> None:
    value = {"volumes": [{"name": "v", "emptyDir": {}}]}
    patch = {"volumes": [{"name": "v", "hostPath": {"path": "/x"}, "$retainKeys": ["name", "hostPath"]}]}
    assert strategic_patch(SPEC, value, patch) == {"volumes": [{"name": "v", "hostPath": {"path": "/x"}}]}


def test_an_atomic_list_is_replaced() -> None:
    value = {"tolerations": [{"key": "a"}]}
    assert strategic_patch(SPEC, value, {"tolerations": [{"key": "b"}]}) == {"tolerations": [{"key": "b"}]}


@pytest.mark.parametrize("patch", [{"$patch": "twist"}, {"containers": [{"image": "no name"}]}])
def test_what_is_not_understood_is_refused(patch: dict[str, object]) -> None:
    with pytest.raises(StatusError) as refused:
        strategic_patch(SPEC, TWO, patch)
    assert refused.value.code == 400
