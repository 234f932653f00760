"""`whatif PATH`: placement and refusal on a fabric of 3 units of 6 nodes, 8 GPUs each (48 GPUs a unit)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.cli.dumps import write_dump
from tests.cli.running import Answer, run


@pytest.fixture
def dump(tmp_path: Path) -> str:
    return write_dump(tmp_path)


def asked(capsys: pytest.CaptureFixture[str], dump: str, *arguments: str, code: int = 0) -> dict[str, Any]:
    answer = run(capsys, "whatif", dump, "-o", "json", *arguments)
    assert answer.code == code, answer.err
    document: dict[str, Any] = json.loads(answer.out)
    return document


def leaf_of(capsys: pytest.CaptureFixture[str], dump: str) -> dict[str, str]:
    """Node to the leaf HyperNode that `map` shows it in."""
    document = json.loads(run(capsys, "map", dump, "-o", "json").out)
    return {node: one["name"] for one in document["hyperNodes"] if one["tierName"] == "leaf" for node in one["nodes"]}


def test_a_gang_that_fills_a_unit_stands_in_one(capsys: pytest.CaptureFixture[str], dump: str) -> None:
    document = asked(capsys, dump, "--gang", "6x8gpu", "--hard", "leaf")
    (assigned,) = document["assignments"]
    assert (document["fits"], document["complete"], document["tier"]) == (True, True, 2)
    assert len(assigned["nodes"]) == len(set(assigned["nodes"])) == 6
    assert {leaf_of(capsys, dump)[node] for node in assigned["nodes"]} == {document["domain"]}


@pytest.mark.parametrize("tier", ["2", "leaf"])
def test_one_pod_more_is_refused_with_what_the_best_unit_takes(
    capsys: pytest.CaptureFixture[str], dump: str, tier: str
) -> None:
    document = asked(capsys, dump, "--gang", "7x8gpu", "--hard", tier, code=1)
    assert (document["fits"], document["assignments"], document["reason"]) == (False, [], "DoesNotFit")
    (report,) = document["tiers"]
    assert (report["tier"], report["domains"], report["fitting"], report["fits"]) == (2, 3, 0, 6)
    (shortage,) = report["shortages"]
    assert (shortage["resource"], shortage["free"], shortage["needed"]) == ("nvidia.com/gpu", 48, 56)


def test_the_keys_are_those_that_are_promised(capsys: pytest.CaptureFixture[str], dump: str) -> None:
    document = asked(capsys, dump, "--gang", "7x8gpu", "--hard", "leaf", code=1)
    assert set(document) == {
        "fits", "domain", "tier", "complete", "unhealthyLinks", "links", "assignments", "reason", "detail", "tiers",
        "tolerate", "assumed",
    }  # fmt: skip
    (report,) = document["tiers"]
    assert set(report) == {
        "tier", "label", "domains", "fitting", "best", "fits", "nodes", "shortages", "exclusions",
    }  # fmt: skip
    assert set(report["shortages"][0]) == {"podClass", "resource", "free", "needed", "fits", "largest"}
    (assigned,) = asked(capsys, dump, "--gang", "1x8gpu", "--soft")["assignments"]
    assert set(assigned) == {"name", "requests", "nodes"}


def test_soft_widens_where_hard_is_refused(capsys: pytest.CaptureFixture[str], dump: str) -> None:
    document = asked(capsys, dump, "--gang", "7x8gpu", "--soft")
    homes = leaf_of(capsys, dump)
    spread = Counter(homes[node] for node in document["assignments"][0]["nodes"])
    assert (document["tier"], sorted(spread.values())) == (3, [1, 6])


def test_classes_are_placed_together_in_the_order_of_the_question(
    capsys: pytest.CaptureFixture[str], dump: str
) -> None:
    document = asked(capsys, dump, "--gang", "6x8gpu,12x2cpu", "--hard", "leaf")
    assert [(one["name"], one["requests"], len(one["nodes"])) for one in document["assignments"]] == [
        ("6x8gpu", {"nvidia.com/gpu": 8}, 6),
        ("12x2cpu", {"cpu": 2000}, 12),
    ]
    homes = leaf_of(capsys, dump)
    assert len({homes[node] for one in document["assignments"] for node in one["nodes"]}) == 1


def test_a_drained_hyper_node_and_a_node_left_out_are_not_used(capsys: pytest.CaptureFixture[str], dump: str) -> None:
    homes = leaf_of(capsys, dump)
    drained = homes["node-00000"]
    document = asked(capsys, dump, "--gang", "12x8gpu", "--hard", "spine", "--drain", drained)
    nodes = set(document["assignments"][0]["nodes"])
    assert nodes == {node for node, home in homes.items() if home != drained}
    spare = sorted(nodes)[0]
    refused = asked(
        capsys, dump, "--gang", "12x8gpu", "--hard", "spine", "--drain", drained, "--without", spare, code=1
    )
    assert refused["tiers"][-1]["fits"] == 11


def test_nodes_have_the_resources_that_they_are_given(capsys: pytest.CaptureFixture[str], dump: str) -> None:
    four = ("--node-resources", "4gpu+96cpu")
    assert asked(capsys, dump, "--gang", "6x4gpu+96cpu", "--hard", "leaf", *four)["fits"]
    assert not asked(capsys, dump, "--gang", "1x8gpu", "--hard", "leaf", *four, code=1)["fits"]
    assert not asked(capsys, dump, "--gang", "1x97cpu", "--hard", "leaf", *four, code=1)["fits"]


def test_people_read_where_the_pods_stand(capsys: pytest.CaptureFixture[str], dump: str) -> None:
    answer = run(capsys, "whatif", dump, "--gang", "7x8gpu", "--soft")
    assert answer.code == 0
    assert "7 pods" in answer.out
    assert ": 6 pods on 6 nodes (node-[00000-00005])" in answer.out
    assert ": 1 pod on 1 node (node-00006)" in answer.out


def test_the_nodes_listed_are_those_that_are_used(capsys: pytest.CaptureFixture[str], dump: str) -> None:
    """Node 2 is missing among 0 to 5."""
    answer = run(capsys, "whatif", dump, "--gang", "5x8gpu", "--hard", "leaf", "--without", "NODE-00002.example")
    assert ": 5 pods on 5 nodes (node-" in answer.out
    assert "node-00002" not in answer.out
    first = run(capsys, "whatif", dump, "--gang", "17x8gpu", "--soft", "--without", "node-00002").out
    assert "(node-[00000-00001,00003-00005])" in first


def test_people_read_what_was_short(capsys: pytest.CaptureFixture[str], dump: str) -> None:
    answer = run(capsys, "whatif", dump, "--gang", "7x8gpu", "--hard", "leaf")
    assert answer.code == 1
    assert "takes 6 of 7 pods" in answer.out


def test_what_is_assumed_of_the_nodes_is_said(capsys: pytest.CaptureFixture[str], dump: str) -> None:
    """A scan knows no CPUs: 1000 of them on a node are no question, but they are no answer either."""
    question = ("--gang", "6x8gpu+1000cpu+64Ti", "--hard", "leaf")
    default = "hyperscout: assumed of every node: 8 gpu, cpu and memory without limit (--node-resources)"
    answer = run(capsys, "whatif", dump, *question)
    assert answer.code == 0
    assert answer.err.startswith(default)
    given = run(capsys, "whatif", dump, *question, "--node-resources", "4gpu+96cpu")
    assert given.code == 1
    assert "assumed of every node: 4 gpu, 96 cpu, nothing else (--node-resources)" in given.err
    assert asked(capsys, dump, *question)["assumed"] == {
        "nvidia.com/gpu": 8, "cpu": None, "memory": None, "pods": 110,
    }  # fmt: skip
    document = asked(capsys, dump, *question, "--node-resources", "1Gi+2cpu", code=1)
    assert document["assumed"] == {"memory": 1 << 30, "cpu": 2000, "pods": 110}


def test_links_of_a_scan_are_unknown_and_not_zero(capsys: pytest.CaptureFixture[str], dump: str) -> None:
    placed = asked(capsys, dump, "--gang", "1x8gpu", "--soft")
    refused = asked(capsys, dump, "--gang", "99x8gpu", "--soft", code=1)
    assert [(one["links"], one["unhealthyLinks"]) for one in (placed, refused)] == [(None, None)] * 2


def test_a_pod_too_large_for_every_node_is_told_so_before_any_sum(
    capsys: pytest.CaptureFixture[str], dump: str
) -> None:
    answer = run(capsys, "whatif", dump, "--gang", "2x16gpu", "--soft")
    assert answer.code == 1
    assert answer.out.count("no node has 16 nvidia.com/gpu free, the largest has 8") == 3  # leaf, spine, all nodes
    assert "needed" not in answer.out


def wrong(answer: Answer, word: str) -> None:
    assert (answer.code, answer.out) == (2, "")
    assert word in answer.err
    assert answer.err.count("\n") == 1


def test_a_question_that_cannot_be_understood_is_a_sentence(capsys: pytest.CaptureFixture[str], dump: str) -> None:
    gang = ("--gang", "1x1gpu")
    wrong(run(capsys, "whatif", dump, *gang), "--hard TIER or --soft")
    wrong(run(capsys, "whatif", dump, *gang, "--hard", "leaf", "--soft"), "--hard TIER or --soft")
    wrong(run(capsys, "whatif", dump, *gang, "--soft", "--drain", "nowhere"), "no HyperNode is named nowhere")
    wrong(
        run(capsys, "whatif", dump, *gang, "--soft", "--without", "nobody"), "no node is named nobody; hyperscout map"
    )
    wrong(run(capsys, "whatif", dump, *gang, "--soft", "--without", "node-0007"), "did you mean node-00")
    wrong(run(capsys, "whatif", dump, *gang, "--soft", "--drain", "ib-leaf-cf"), "did you mean ib-leaf-cf-leaf-00")
    wrong(run(capsys, "whatif", dump, "--gang", "1000000000x8gpu", "--soft"), "asks for too many pods")
    wrong(run(capsys, "whatif", dump, *gang, "--soft", "--node-resources", "8"), "--node-resources")
    wrong(run(capsys, "whatif", dump, *gang, "--soft", "--node-resources", "-4gpu"), "--node-resources")
    wrong(run(capsys, "whatif", dump, *gang, "--soft", "--node-resources", "0gpu"), "--node-resources")
    wrong(run(capsys, "whatif", dump, *gang, "--hard", "-1"), "--hard: -1 is no tier")
    wrong(run(capsys, "whatif", dump, *gang, "--hard", ""), "--hard: the tier is empty")
    wrong(run(capsys, "whatif", dump, "--gang", "-1x8gpu", "--soft"), "--gang")
    wrong(run(capsys, "whatif", dump, "--gang", "1x-8gpu", "--soft"), "--gang")
    wrong(run(capsys, "whatif", *gang, "--soft", "--nodes", "x"), "--nodes")
    wrong(run(capsys, "whatif", dump, "--soft"), "--gang")


def test_a_tier_that_nobody_has_is_refused_not_ignored(capsys: pytest.CaptureFixture[str], dump: str) -> None:
    assert asked(capsys, dump, "--gang", "1x1gpu", "--hard", "galaxy", code=1)["reason"] == "TierNameUnknown"
    assert asked(capsys, dump, "--gang", "1x1gpu", "--hard", "0", code=1)["fits"] is False
