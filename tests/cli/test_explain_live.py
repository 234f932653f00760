"""`explain` and `whatif` on a live cluster: two racks of two nodes under one root, written to the API server."""

from __future__ import annotations

import gc
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from kube.client import Client
from kube.requests import FieldManager, Patch
from kube.types import EVENTS, HYPER_NODES, NODE_REPORTS, NODES, POD_GROUPS, PODS, SWITCH_REPORTS
from tests.cli.conftest import Live
from tests.cli.running import run

RACKS = {"rack-a": ("a1", "a2"), "rack-b": ("b1", "b2")}
UNHEALTHY = {
    "type": "LinksHealthy", "status": "False", "reason": "LinksDown", "message": "cable of a2 is down",
    "lastTransitionTime": "2026-01-01T00:00:00Z",
}  # fmt: skip


def hyper_node(name: str, tier: int, tier_name: str, kind: str, members: tuple[str, ...]) -> dict[str, Any]:
    chosen = [{"type": kind, "selector": {"exactMatch": {"name": member}}} for member in members]
    return {"metadata": {"name": name}, "spec": {"tier": tier, "tierName": tier_name, "members": chosen}}


def pod(name: str, node: str = "", gang: str = "train") -> dict[str, Any]:
    resources = {"requests": {"nvidia.com/gpu": "8"}, "limits": {"nvidia.com/gpu": "8"}}
    spec: dict[str, Any] = {
        "schedulerName": "hyperscout",
        "containers": [{"name": "main", "image": "registry.test/main:1", "resources": resources}],
    }
    if node:
        spec["nodeName"] = node
    annotations = {"scheduling.k8s.io/group-name": gang}
    return {"metadata": {"name": name, "namespace": "default", "annotations": annotations}, "spec": spec}


async def fill(client: Client) -> None:
    """Four nodes of 8 GPUs in two racks under one root; a gang of three with one pod bound to a1."""
    for name in (node for nodes in RACKS.values() for node in nodes):
        status = {"allocatable": {"nvidia.com/gpu": "8", "cpu": "96", "memory": "1Ti", "pods": "110"},
                  "conditions": [{"type": "Ready", "status": "True"}]}  # fmt: skip
        await client.create(NODES, {"metadata": {"name": name}})
        await client.patch(NODES, name, Patch({"status": status}, subresource="status"))
    for rack, nodes in RACKS.items():
        await client.create(HYPER_NODES, hyper_node(rack, 2, "leaf", "Node", nodes))
    await client.create(HYPER_NODES, hyper_node("row", 3, "spine", "HyperNode", tuple(RACKS)))
    await client.patch(HYPER_NODES, "rack-a", Patch({"metadata": {"annotations": {"hyperscout.io/links": "1/16"}}}))
    await client.patch(HYPER_NODES, "rack-a", Patch({"status": {"conditions": [UNHEALTHY]}}, subresource="status"))
    topology = {"mode": "hard", "highestTierAllowed": 2}
    group = {
        "metadata": {"name": "train", "namespace": "default"},
        "spec": {"minMember": 3, "networkTopology": topology},
    }
    await client.create(POD_GROUPS, group)
    await client.create(PODS, pod("train-0", "a1"))
    await client.create(PODS, pod("train-1"))
    waits = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no rack takes 3 pods"}
    await client.patch(PODS, "train-1", Patch({"status": {"conditions": [waits]}}, subresource="status"), "default")
    about = {"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "name": "rack-a"}
    event = {"metadata": {"name": "rack-a.1", "namespace": "default"}, "involvedObject": about, "type": "Warning",
             "reason": "LinksUnhealthy", "message": "1 of 16 links is down"}  # fmt: skip
    await client.create(EVENTS, event)


@pytest.fixture
def cluster(live: Live) -> Live:
    live.call(fill)
    return live


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    answer = run(capsys, "explain", *arguments)
    assert (answer.code, answer.err) == (0, "")
    return answer.out


@pytest.mark.usefixtures("cluster")
def test_a_node_shows_its_hyper_nodes_their_health_and_its_pods(capsys: pytest.CaptureFixture[str]) -> None:
    text = explained(capsys, "node", "a1")
    assert text.index("rack-a") < text.index("row")
    assert "LinksHealthy=False  LinksDown: cable of a2 is down" in text
    assert "1 of its own 16 links is unhealthy" in text
    assert "Ready=True" in text
    assert "pods on it: default/train-0" in text
    assert "no NodeReport" in text


def test_a_node_shows_what_its_agent_reports(capsys: pytest.CaptureFixture[str], cluster: Live) -> None:
    ports = [{"device": "mlx5_0", "port": 1, "verdict": "Up"},
             {"device": "mlx5_1", "port": 1, "verdict": "Down", "reason": "LinkDown"}]  # fmt: skip

    async def report(client: Client) -> None:
        document = {"metadata": {"name": "a1"}, "spec": {"ports": ports}}
        await client.apply(NODE_REPORTS, document, FieldManager("agent"))

    cluster.call(report)
    text = explained(capsys, "node", "a1")
    assert "its report: 2 ports, 1 up" in text
    assert "port mlx5_1/1: Down (LinkDown)" in text


GUID = "b83fd20300abcd12"
MAC = "b8:3f:d2:00:00:01"
WHOLE = {
    "ports": [{"device": "mlx5_0", "port": 1, "verdict": "Up", "portGuid": GUID, "state": "Active",
               "physicalState": "LinkUp", "width": 4, "speed": "NDR"},
              {"device": "mlx5_2", "port": 1, "verdict": "Down", "reason": "LinkDown"}],
    "interfaces": [{"name": "eth0", "mac": MAC, "speed": 400000, "carrier": True, "rdmaDevice": "mlx5_2",
                    "neighbours": [{"systemName": "tor-1", "portId": "Ethernet1/4"}]}],
    "nvlink": {"clusterUuid": "7b968a6d", "cliqueId": 3, "state": "Completed", "gpus": 4, "unhealthyGpus": 1},
    "probes": [{"name": "sysfs", "outcome": "Found"},
               {"name": "lldpd", "outcome": "Absent", "reason": "lldpd does not run here"},
               {"name": "nvlink", "outcome": "Failed", "reason": "no answer within 20 s"}],
}  # fmt: skip
SWITCHES = {
    "ib-1": {"description": "leaf-07", "guid": "1",
             "ports": [{"number": 9, "peer": {"kind": "Host", "portGuid": GUID}}]},
    "eth-1": {"description": "tor-1", "chassisId": "2",
              "ports": [{"number": 4, "name": "Ethernet1/4", "peer": {"kind": "Host", "mac": MAC}}]},
}  # fmt: skip


async def report_whole(client: Client) -> None:
    await client.apply(NODE_REPORTS, {"metadata": {"name": "a1"}, "spec": WHOLE}, FieldManager("agent"))
    for name, spec in SWITCHES.items():
        await client.apply(SWITCH_REPORTS, {"metadata": {"name": name}, "spec": spec}, FieldManager("sweeper"))


def test_a_node_shows_far_ends_interfaces_nvlink_and_probes(capsys: pytest.CaptureFixture[str], cluster: Live) -> None:
    cluster.call(report_whole)
    text = explained(capsys, "node", "a1")
    assert "port mlx5_0/1: Up, Active/LinkUp, 4x NDR -> leaf-07 port 9 (SwitchReport)" in text
    far = "tor-1 port Ethernet1/4 (SwitchReport); tor-1 port Ethernet1/4 (LLDP)"
    assert f"port mlx5_2/1: Down (LinkDown) -> {far}" in text
    assert f"interface eth0: carrier, 400 Gb/s, of mlx5_2 -> {far}" in text
    assert "NVLink: domain 7b968a6d clique 3, Completed, 4 GPUs (1 unhealthy)" in text
    assert "probe lldpd: Absent (lldpd does not run here)" in text
    assert "probe nvlink: Failed (no answer within 20 s)" in text
    assert "probe sysfs" not in text
    report = json.loads(explained(capsys, "node", "a1", "-o", "json"))["report"]
    assert report["ports"][0]["farEnds"] == [{"switch": "leaf-07", "port": "9", "source": "SwitchReport"}]
    assert [end["source"] for end in report["interfaces"][0]["neighbours"]] == ["SwitchReport", "LLDP"]
    assert (report["nvlink"]["cliqueId"], report["probes"][1]["outcome"]) == (3, "Absent")


def test_a_report_without_its_node_says_what_to_set(capsys: pytest.CaptureFixture[str], cluster: Live) -> None:
    async def report(client: Client) -> None:
        await client.apply(NODE_REPORTS, {"metadata": {"name": "vm.lan"}, "spec": {}}, FieldManager("agent"))

    cluster.call(report)
    answer = run(capsys, "explain", "node", "vm.lan")
    assert (answer.code, answer.out) == (1, "")
    assert "its agent reports under this name, and no Node is called so; set host.node" in answer.err


@pytest.mark.usefixtures("cluster")
def test_a_hyper_node_shows_its_members_and_events(capsys: pytest.CaptureFixture[str]) -> None:
    text = explained(capsys, "hypernode", "rack-a")
    assert "tier 2 (leaf)" in text
    assert "nodes in it: a1, a2" in text
    assert "warning event LinksUnhealthy: 1 of 16 links is down" in text


@pytest.mark.usefixtures("cluster")
def test_json_of_the_live_cluster_has_what_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    node = json.loads(explained(capsys, "no", "a1", "-o", "json"))
    assert set(node) == {"kind", "name", "cordoned", "hyperNodes", "conditions", "report", "pods", "events"}
    assert (node["kind"], node["report"], node["pods"]) == ("node", None, ["default/train-0"])
    rack, row = node["hyperNodes"]
    assert (rack["name"], rack["tier"], rack["links"], rack["unhealthyLinks"]) == ("rack-a", 2, 16, 1)
    assert rack["conditions"] == [
        {"type": "LinksHealthy", "status": "False", "reason": "LinksDown", "message": "cable of a2 is down"}
    ]
    assert (row["name"], row["label"], row["nodes"], row["links"]) == ("row", "tier 3 (spine)", 4, None)
    found = json.loads(explained(capsys, "hn", "rack-a", "-o", "json"))
    assert set(found) == {
        "kind", "name", "hyperNodes", "memberKind", "members", "notUnderstood", "problems", "events",
    }  # fmt: skip
    assert (found["memberKind"], found["members"]) == ("Node", ["a1", "a2"])
    assert [event["reason"] for event in found["events"]] == ["LinksUnhealthy"]
    refused = run(capsys, "explain", "pod", "train-0", "-o", "json")
    assert (refused.code, refused.out) == (2, "")


@pytest.mark.usefixtures("cluster")
def test_a_bound_pod_shows_where_and_a_waiting_one_why(capsys: pytest.CaptureFixture[str]) -> None:
    bound = explained(capsys, "pod", "train-0")
    assert "bound to a1" in bound
    assert "rack-a" in bound
    assert explained(capsys, "pod", "default/train-0") == bound
    assert run(capsys, "explain", "pod", "default/train-0", "-n", "other").code == 2
    waiting = explained(capsys, "pod", "train-1", "-n", "default")
    assert "not bound; spec.schedulerName is hyperscout" in waiting
    assert "PodScheduled=False  Unschedulable: no rack takes 3 pods" in waiting


@pytest.mark.usefixtures("cluster")
def test_a_gang_shows_what_it_asks_for_where_it_is_and_what_it_waits_for(capsys: pytest.CaptureFixture[str]) -> None:
    text = explained(capsys, "podgroup", "train")
    assert explained(capsys, "gang", "train") == text
    assert "asks for: 3 pods together, hard, highest tier 2" in text
    assert "pods: 1 bound, 1 waiting" in text
    assert "rack-a" in text
    assert "waiting pods say: Unschedulable: no rack takes 3 pods" in text


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("kind", ["node", "hypernode", "pod", "podgroup"])
def test_what_is_not_there_is_refused(capsys: pytest.CaptureFixture[str], kind: str) -> None:
    answer = run(capsys, "explain", kind, "nobody")
    assert (answer.code, answer.out) == (1, "")
    assert "nobody" in answer.err


@pytest.mark.usefixtures("cluster")
def test_whatif_asks_the_live_cluster_and_counts_what_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    fits = run(capsys, "whatif", "--gang", "2x8gpu", "--hard", "leaf", "-o", "json")
    document = json.loads(fits.out)
    assert (fits.code, document["domain"], document["assumed"]) == (0, "rack-b", None)  # a1 is taken
    assert (document["links"], document["unhealthyLinks"]) == (None, None)  # rack-b has no annotation
    wider = json.loads(run(capsys, "whatif", "--gang", "3x8gpu", "--hard", "spine", "-o", "json").out)
    assert (wider["links"], wider["unhealthyLinks"]) == (16, 1)
    refused = run(capsys, "whatif", "--gang", "4x8gpu", "--hard", "spine", "-o", "json")
    assert (refused.code, json.loads(refused.out)["tiers"][-1]["fits"]) == (1, 3)


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("no", "A1"), ""),
        (("po", "train-2"), "there is no Pod train-2 in namespace default; did you mean train-"),
        (("pg", "train", "-n", "kube-system"), "there is no PodGroup train in namespace kube-system; there is one in"),
        (("hn", "rack-c"), "there is no HyperNode rack-c; did you mean rack-"),
    ],
)
def test_names_are_found_or_suggested(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    answer = run(capsys, "explain", *arguments)
    assert answer.code == (1 if said else 0)
    assert said in answer.err
    assert "CustomResourceDefinition" not in answer.err


def failed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What is said where no cluster answers: always one line."""
    answer = run(capsys, *arguments)
    assert (answer.code, answer.out) == (3, "")
    assert answer.err.count("\n") == 1
    return answer.err


@pytest.mark.parametrize(
    "text",
    ["root:x:0:0:root:/root:/bin/bash\n", "- a\n", "clusters: 3\ncontexts: 4\ncurrent-context: x\n", "", "a: [\n"],
)
def test_a_kubeconfig_that_is_none_is_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(text)
    monkeypatch.setenv("KUBECONFIG", str(path))
    said = failed(capsys, "explain", "node", "a1")
    assert f"cannot use the kubeconfig {path}: " in said
    assert "object" not in said
    assert "indices" not in said


def test_without_a_cluster_both_ways_are_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    node = failed(capsys, "explain", "node", "a1")
    assert "KUBECONFIG" in node
    assert "--from FILE" in node
    assert "--from" not in failed(capsys, "explain", "pod", "a1")
    assert "PATH" in failed(capsys, "whatif", "--gang", "1x1gpu", "--soft")


def kubeconfig(folder: Path, server: str) -> str:
    """A kubeconfig that names one server and no credentials."""
    named = [{"name": "a", "cluster": {"server": server}}]
    context = {"name": "a", "context": {"cluster": "a", "user": "a"}}
    config = {"clusters": named, "contexts": [context], "users": [{"name": "a", "user": {}}], "current-context": "a"}
    path = folder / "kubeconfig"
    path.write_text(json.dumps(config))
    return str(path)


def test_a_cluster_that_does_not_answer_is_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing listens on the port that was bound and let go of."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    monkeypatch.setenv("KUBECONFIG", kubeconfig(tmp_path, f"https://127.0.0.1:{port}"))
    said = failed(capsys, "explain", "node", "a1")
    assert f"127.0.0.1:{port}" in said
    assert "SSLContext" not in said
    assert "changes something" not in said


@pytest.mark.parametrize("server", ["notaurl", "https://", "ftp://127.0.0.1", "http://127.0.0.1:99999"])
def test_an_address_that_is_none_is_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, server: str
) -> None:
    monkeypatch.setenv("KUBECONFIG", kubeconfig(tmp_path, server))
    said = failed(capsys, "explain", "node", "a1")
    assert server.rstrip("/") in said
    assert "is no URL of an API server; correct the server in the kubeconfig" in said


@pytest.mark.parametrize(
    "command",
    [
        ("changes",),
        ("explain", "node", "a1"),
        ("explain", "gang", "a1"),
        ("whatif", "--gang", "1x1gpu", "--soft"),
        ("doctor",),
        ("uninstall", "--dry-run"),
        ("controller",),
        ("scheduler",),
        ("agent",),
        ("sweeper",),
    ],
)
def test_every_command_that_asks_a_cluster_takes_a_kubeconfig_and_says_that_it_is_not_there(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: tuple[str, ...]
) -> None:
    path = tmp_path / "nowhere"
    assert f"the kubeconfig {path} does not exist" in failed(capsys, *command, "--kubeconfig", str(path))


@pytest.mark.usefixtures("cluster")
def test_the_kubeconfig_that_is_named_goes_before_the_environments(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = str(tmp_path / "kubeconfig")
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    assert "rack-a" in explained(capsys, "node", "a1", "--kubeconfig", path)
    assert run(capsys, "whatif", "--gang", "2x8gpu", "--soft", "--kubeconfig", path).code == 0
    assert run(capsys, "changes", "--kubeconfig", path).code == 0
    scan = ("--from", "scan.txt")
    assert run(capsys, "explain", "node", "a1", "--kubeconfig", path, *scan).code == 2
    assert run(capsys, "whatif", "scan.txt", "--gang", "1x1gpu", "--soft", "--kubeconfig", path).code == 2


@pytest.mark.parametrize("command", [("uninstall", "--dry-run"), ("doctor",), ("changes",), ("controller",)])
def test_a_token_that_is_not_accepted_is_one_sentence_and_leaves_no_session_open(
    capsys: pytest.CaptureFixture[str], live: Live, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """Also where many requests are under way when the first is refused."""
    path = tmp_path / "refused"
    path.write_text(live.server.kubeconfig().replace(live.server.token, "wrong"))
    assert "Unauthorized (HTTP 401)" in failed(capsys, *command, "--kubeconfig", str(path))
    gc.collect()
    assert capsys.readouterr().err == ""
