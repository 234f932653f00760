"""Merge patch and JSON patch against the examples of RFC 7396 (appendix A) and RFC 6902 (appendix A)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kube.embedded.merging import json_patch, merge_patch
from kube.embedded.refusals import StatusError

MERGES = [
    ('{"a":"b"}', '{"a":"c"}', '{"a":"c"}'),
    ('{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'),
    ('{"a":"b"}', '{"a":null}', "{}"),
    ('{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'),
    ('{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'),
    ('{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'),
    ('{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'),
    ('{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'),
    ('["a","b"]', '["c","d"]', '["c","d"]'),
    ('{"a":"b"}', '["c"]', '["c"]'),
    ('{"a":"foo"}', "null", "null"),
    ('{"a":"foo"}', '"bar"', '"bar"'),
    ('{"e":null}', '{"a":1}', '{"e":null,"a":1}'),
    ("[1,2]", '{"a":"b","c":null}', '{"a":"b"}'),
    ("{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'),
]
PATCHES = [
    ('{"foo":"bar"}', '[{"op":"add","path":"/baz","value":"qux"}]', '{"baz":"qux","foo":"bar"}'),
    ('{"foo":["bar","baz"]}', '[{"op":"add","path":"/foo/1","value":"qux"}]', '{"foo":["bar","qux","baz"]}'),
    ('{"baz":"qux","foo":"bar"}', '[{"op":"remove","path":"/baz"}]', '{"foo":"bar"}'),
    ('{"foo":["bar","qux","baz"]}', '[{"op":"remove","path":"/foo/1"}]', '{"foo":["bar","baz"]}'),
    ('{"baz":"qux"}', '[{"op":"replace","path":"/baz","value":"boo"}]', '{"baz":"boo"}'),
    ('{"a":{"x":1},"b":{}}', '[{"op":"move","from":"/a/x","path":"/b/y"}]', '{"a":{},"b":{"y":1}}'),
    ('{"foo":["a","b","c","d"]}', '[{"op":"move","from":"/foo/1","path":"/foo/3"}]', '{"foo":["a","c","d","b"]}'),
    ('{"a":{"x":1}}', '[{"op":"copy","from":"/a","path":"/b"}]', '{"a":{"x":1},"b":{"x":1}}'),
    ('{"baz":"qux"}', '[{"op":"test","path":"/baz","value":"qux"}]', '{"baz":"qux"}'),
    ('{"foo":"bar"}', '[{"op":"add","path":"/child","value":{"g":{}}}]', '{"foo":"bar","child":{"g":{}}}'),
    ('{"/":9,"~1":10}', '[{"op":"test","path":"/~01","value":10}]', '{"/":9,"~1":10}'),
    ('{"foo":["bar"]}', '[{"op":"add","path":"/foo/-","value":["abc"]}]', '{"foo":["bar",["abc"]]}'),
    ('{"a":1}', '[{"op":"replace","path":"","value":{"b":2}}]', '{"b":2}'),
]
REFUSED = [
    ('{"baz":"qux"}', '[{"op":"test","path":"/baz","value":"bar"}]', 422),
    ('{"foo":"bar"}', '[{"op":"add","path":"/baz/bat","value":"qux"}]', 422),
    ('{"foo":"bar"}', '[{"op":"remove","path":"/baz"}]', 422),
    ('{"foo":["a"]}', '[{"op":"add","path":"/foo/7","value":1}]', 422),
    ('{"foo":["a"]}', '[{"op":"add","path":"/foo/-1","value":1}]', 422),
    ('{"foo":"bar"}', '[{"op":"twist","path":"/foo"}]', 422),
    ('{"foo":"bar"}', '{"op":"add"}', 400),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@pytest.mark.parametrize(("value", "patch", "expected"), MERGES)
def test_merge_patches(value: str, patch: str, expected: str) -> None:
    assert merge_patch(json.loads(value), json.loads(patch)) == json.loads(expected)


@pytest.mark.parametrize(("value", "patch", "expected"), PATCHES)
def test_json_patches(value: str, patch: str, expected: str) -> None:
    assert json_patch(json.loads(value), json.loads(patch)) == json.loads(expected)


@pytest.mark.parametrize(("value", "patch", "code"), REFUSED)
def test_json_patches_that_cannot_be_done(value: str, patch: str, code: int) -> None:
    before = json.loads(value)
    with pytest.raises(StatusError) as refused:
        json_patch(before, json.loads(patch))
    assert refused.value.code == code
    assert before == json.loads(value)


@given(JSON, JSON)
def test_a_merge_patch_changes_nothing_in_place_and_holds_when_repeated(value: object, patch: object) -> None:
    before = json.dumps([value, patch])
    once = merge_patch(value, patch)
    assert json.dumps([value, patch]) == before
    assert merge_patch(once, patch) == once
