"""NVLink domains over leaf domains."""

from __future__ import annotations

from topology.nvlink import MAX_ALONE, settle_nvlink

RACK = "7b968a6d-c8aa-45e1-9e07-e1e51be99c31.1"


def test_no_level_where_no_domain_spans_two_nodes() -> None:
    found = settle_nvlink({"a": 0, "b": 0}, {"a": "u.1", "b": "v.1"}, None)
    assert not found.domains


def test_the_clique_belongs_to_the_identity() -> None:
    found = settle_nvlink(dict.fromkeys("abcd", 0), {"a": "u.1", "b": "u.1", "c": "u.2", "d": "u.2"}, None)
    assert dict(found.domains) == {"u.1": ("a", "b"), "u.2": ("c", "d")}


def test_a_domain_over_two_leaves_stands_whole_under_the_one_with_most_nodes() -> None:
    nvlink = {"a": RACK, "b": RACK, "c": RACK, "d": "v.1", "e": "v.1", "f": "w.1", "g": "w.1"}
    found = settle_nvlink({"a": 0, "b": 0, "c": 1, "d": 0, "e": 0, "f": 1, "g": 1}, nvlink, None)
    assert found.leaf_of_node["c"] == 0
    assert [(anomaly.kind, anomaly.where[0].name) for anomaly in found.anomalies] == [("nvlink-across-leaves", "c")]


def test_where_most_domains_span_leaves_those_leaves_become_one() -> None:
    nvlink = {"a": "u.1", "b": "u.1", "c": "v.1", "d": "v.1"}
    found = settle_nvlink({"a": 0, "b": 1, "c": 2, "d": 3}, nvlink, None)
    assert found.leaf_of_node == {"a": 0, "b": 0, "c": 2, "d": 2}
    assert not found.anomalies


def test_too_many_nodes_alone_leave_the_level_out_until_an_operator_decides() -> None:
    leaves = {f"n{number}": 0 for number in range(MAX_ALONE + 3)}
    nvlink = {"n0": RACK, "n1": RACK}
    assert [anomaly.kind for anomaly in settle_nvlink(leaves, nvlink, None).anomalies] == ["nvlink-left-out"]
    assert settle_nvlink(leaves, nvlink, True).domains
    assert not settle_nvlink({"n0": 0, "n1": 0}, nvlink, False).domains


def test_leaf_domains_of_two_fabrics_never_become_one_and_the_larger_part_has_the_domain() -> None:
    nvlink = dict.fromkeys("abcd", "u.1") | dict.fromkeys("ef", "v.1")
    leaves = {"a": 0, "b": 1, "c": 1, "d": 7, "e": 7, "f": 0}
    found = settle_nvlink(leaves, nvlink, None, {0: 0, 1: 0, 7: 1})
    assert found.leaf_of_node == {"a": 0, "b": 0, "c": 0, "d": 0, "e": 0, "f": 0}
    assert dict(found.joined) == {1: 0}
    assert [anomaly.where[0].name for anomaly in found.anomalies] == ["d", "e"]
