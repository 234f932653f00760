"""`whatif --tolerate` on a live cluster whose four nodes of one rack keep away pods that do not ask for GPUs."""

from __future__ import annotations

import json

import pytest

from kube.client import Client
from kube.requests import Patch
from kube.types import HYPER_NODES, NODES
from tests.cli.conftest import Live
from tests.cli.dumps import write_dump
from tests.cli.running import run

NAMES = ("a1", "a2", "a3", "a4")
TAINT = "nvidia.com/gpu=present:NoSchedule"
ASKED = ("whatif", "--gang", "4x8gpu", "--hard", "leaf")


async def fill(client: Client) -> None:
    taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    status = {
        "allocatable": {"nvidia.com/gpu": "8", "cpu": "96", "memory": "1Ti", "pods": "110"},
        "conditions": [{"type": "Ready", "status": "True"}],
    }
    for name in NAMES:
        await client.create(NODES, {"metadata": {"name": name}, "spec": {"taints": [taint]}})
        await client.patch(NODES, name, Patch({"status": status}, subresource="status"))
    members = [{"type": "Node", "selector": {"exactMatch": {"name": name}}} for name in NAMES]
    spec = {"tier": 2, "tierName": "leaf", "members": members}
    await client.create(HYPER_NODES, {"metadata": {"name": "rack-a"}, "spec": spec})


@pytest.fixture
def tainted(live: Live) -> Live:
    live.call(fill)
    return live


@pytest.mark.usefixtures("tainted")
def test_a_gang_that_tolerates_the_taint_fits(capsys: pytest.CaptureFixture[str]) -> None:
    for taint in ("nvidia.com/gpu", "nvidia.com/gpu:NoSchedule", "nvidia.com/gpu=present", TAINT, "all"):
        answer = run(capsys, *ASKED, "--tolerate", taint)
        assert (answer.code, answer.err) == (0, "")
        assert ": 4 pods on 4 nodes (a[1-4])" in answer.out
    assert run(capsys, *ASKED, "--tolerate", "team", "--tolerate", "nvidia.com/gpu").code == 0


@pytest.mark.usefixtures("tainted")
@pytest.mark.parametrize("tolerated", [(), ("--tolerate", "team"), ("--tolerate", "nvidia.com/gpu=absent")])
def test_where_a_taint_is_why_nothing_fits_the_answer_says_what_to_ask(
    capsys: pytest.CaptureFixture[str], tolerated: tuple[str, ...]
) -> None:
    answer = run(capsys, *ASKED, *tolerated)
    assert (answer.code, answer.err) == (1, "")
    assert f"nodes kept out: 4 (taint {TAINT})" in answer.out
    assert answer.out.endswith(f"\nA taint is in the way: with --tolerate {TAINT} the gang would fit.\n")
    answer = run(capsys, *ASKED, *tolerated, "-o", "json")
    assert (answer.code, json.loads(answer.out)["tolerate"]) == (1, [TAINT])
    assert run(capsys, *ASKED, *tolerated, "--tolerate", *json.loads(answer.out)["tolerate"]).code == 0


@pytest.mark.usefixtures("tainted")
def test_of_nodes_that_are_left_out_no_taint_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    drained = run(capsys, *ASKED, "--drain", "rack-a", "-o", "json")
    assert (drained.code, json.loads(drained.out)["tolerate"]) == (1, [])
    fewer = run(capsys, *ASKED, "--without", "a1")
    assert fewer.out.endswith(f"with --tolerate {TAINT} 3 of 4 pods would fit.\n")


def test_captured_scans_know_no_taints(
    capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    dump = write_dump(tmp_path_factory.mktemp("scan"))
    answer = run(capsys, *ASKED, dump, "--tolerate", "all")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "hyperscout: captured scans know no taints; leave --tolerate out, or PATH to ask the live cluster\n"
    )


def test_what_is_no_taint_ends_before_the_cluster_is_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    answer = run(capsys, *ASKED, "--tolerate", "nvidia.com/gpu:Never")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("hyperscout: --tolerate nvidia.com/gpu:Never: Never is no effect of a taint (")
    assert answer.err.count("\n") == 1


def test_help_says_how_a_taint_is_written_and_where_there_are_none(capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(run(capsys, "whatif", "--help").out.split())
    assert "--tolerate KEY[=VALUE][:EFFECT]" in text
    assert "captured scans know no taints" in text
