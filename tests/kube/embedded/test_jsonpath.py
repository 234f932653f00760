"""The JSONPath of printer columns."""

from __future__ import annotations

import pytest

from kube.embedded.jsonpath import check_path, find

VALUE = {
    "spec": {"tier": 2, "tags": ["a", "b"], "on": True},
    "metadata": {"annotations": {"a.b/c": "dotted"}},
    "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Placed", "status": "False"}]},
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".spec.tier", [2]),
        ("spec.tier", [2]),
        ("{.spec.tier}", [2]),
        (".spec.missing.deeper", []),
        (".spec.tags[0]", ["a"]),
        (".spec.tags[-1]", ["b"]),
        (".spec.tags[5]", []),
        (".spec.tags[*]", ["a", "b"]),
        ('.status.conditions[?(@.type=="Ready")].status', ["True"]),
        (".status.conditions[?(@.type=='Placed')].status", ["False"]),
        ('.status.conditions[?(@.type != "Ready")].type', ["Placed"]),
        ('.status.conditions[?(@.missing=="Ready")].status', []),
        (".metadata.annotations.a\\.b/c", ["dotted"]),
        (".metadata.annotations['a.b/c']", ["dotted"]),
    ],
)
def test_a_path_finds_what_is_there(path: str, expected: list[object]) -> None:
    assert find(path, VALUE) == expected


@pytest.mark.parametrize("path", [".a[?(@.b>1)]", "..deep", ".a[1:2]", ".a[", ".a[?(length(@)==1)]"])
def test_a_path_that_is_not_understood_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="is not understood"):
        check_path(path)
