"""`hyperscout uninstall` on a real API server, as an account that may do no more than it asks for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cli.uninstall.places import Places, needs
from tests.cli.running import Answer, run
from tests.cli.uninstall.conftest import (
    APPS,
    ON_NODES,
    SYSTEM,
    Api,
    Object,
    hyper_node,
    kubeconfig_of,
    lease,
    workload,
)
from tests.cluster.control_plane import ControlPlane
from tests.cluster.test_control_plane import soon

HYPER_NODES = "/apis/topology.volcano.sh/v1alpha1/hypernodes"
REPORTS = "/apis/hyperscout.io/v1alpha1"
PROCESSES = {"controller", "scheduler", "sweeper", "agent"}
KINDS = ("nodereports", "switchreports", "sweepreports")
LEASES = "/apis/coordination.k8s.io/v1/namespaces/{}/leases"
NODES = "/api/v1/nodes"
PODS = f"/api/v1/namespaces/{ON_NODES}/pods"
TAINT = {"key": "hyperscout.io/fabric-unhealthy", "effect": "NoSchedule"}
THEIRS = {"key": "example.com/theirs", "value": "x", "effect": "NoExecute", "timeAdded": "2026-01-01T00:00:00Z"}
KEPT = {"example.com/theirs": "x", "network.topology.nvidia.com/spine": "theirs", "hyperscout.io/dedicated": "team"}
WORKLOADS = (
    (SYSTEM, "deployments", workload("hyperscout-controller", 2)),
    (SYSTEM, "deployments", workload("hyperscout-scheduler", 1)),
    (SYSTEM, "deployments", workload("other", 1)),
    (ON_NODES, "deployments", workload("hyperscout-sweeper-ib", 1)),
    (ON_NODES, "daemonsets", workload("hyperscout-agent")),
)
OURS = {"hyperscout.io/leaf": "ib-leaf-a", "network.topology.nvidia.com/leaf": "ib-leaf-a"}
WRITTEN = {"hyperscout.io/written-labels": "network.topology.nvidia.com/leaf=ib-leaf-a"}


@pytest.fixture(scope="module")
def kubeconfig(plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of the account that the installation gives it."""
    rights = needs(Places(), purge=True)
    return kubeconfig_of(plane, tmp_path_factory.mktemp("accounts"), "hyperscout-uninstall", rights)


@pytest.fixture
def installed(api: Api) -> None:
    """Everything that the processes leave behind, and what others have beside it; what is there already stays."""
    for namespace, kind, body in WORKLOADS:
        if api.plane.ask("POST", f"{APPS}/{namespace}/{kind}", body).status == 409 and kind == "deployments":
            scale = {"metadata": {"namespace": namespace, **body["metadata"]}, "spec": {"replicas": 1}}
            api.put(f"{APPS}/{namespace}/{kind}/{body['metadata']['name']}/scale", scale)
    for node in ("n1", "n2"):
        api.plane.ask("POST", NODES, {"metadata": {"name": node}})
        mark(api, node)
    for kind in KINDS:
        api.plane.ask("POST", f"{REPORTS}/{kind}", report(kind))
    for namespace, name in ((SYSTEM, "hyperscout-controller"), (SYSTEM, "other"), (ON_NODES, "hyperscout-sweeper-ib")):
        api.plane.ask("POST", LEASES.format(namespace), lease(name, ""))
    for name in ("hyperscout-changes-0", "hyperscout-changes-3", "hyperscout-config"):
        api.plane.ask("POST", f"/api/v1/namespaces/{SYSTEM}/configmaps", {"metadata": {"name": name}})
    for body in (
        hyper_node("leaf-a", 2, ["n1", "n2"], "Node", ours=True),
        hyper_node("spine-a", 3, ["leaf-a"], "HyperNode", ours=True),
        hyper_node("by-hand", 2, ["n3"], "Node", ours=False),
    ):
        api.plane.ask("POST", HYPER_NODES, body)
    soon(lambda: {name.split("-")[1] for name in pods(api)} == PROCESSES, api.plane)


def mark(api: Api, node: str) -> None:
    """As the controller marks a Node; others have marked it, too."""
    found = api.get(f"{NODES}/{node}")
    found["metadata"] |= {"labels": {**KEPT, **OURS}, "annotations": {"example.com/note": "x", **WRITTEN}}
    found["spec"] = {"taints": [TAINT, THEIRS]}
    api.put(f"{NODES}/{node}", found)
    found = api.get(f"{NODES}/{node}")
    conditions = [{"type": kind, "status": "True"} for kind in ("Ready", "FabricHealthy")]
    api.put(f"{NODES}/{node}/status", found | {"status": {"conditions": conditions}})


def report(kind: str) -> Object:
    """The least that the server takes."""
    spec: dict[str, Object] = {
        "nodereports": {"heartbeat": "2026-01-01T00:00:00Z", "bootId": "b"},
        "switchreports": {"fabric": "ib"},
        "sweepreports": {"sequence": 1, "outcome": "Complete"},
    }
    names = {"nodereports": "NodeReport", "switchreports": "SwitchReport", "sweepreports": "SweepReport"}
    identity = {"apiVersion": "hyperscout.io/v1alpha1", "kind": names[kind], "metadata": {"name": "one"}}
    return identity | {"spec": spec[kind]}


def pods(api: Api) -> list[str]:
    """Of everything of ours."""
    everywhere = [api.names(f"/api/v1/namespaces/{namespace}/pods") for namespace in (SYSTEM, ON_NODES)]
    return [name for names in everywhere for name in names if name.startswith("hyperscout-")]


def reports(api: Api) -> list[str]:
    return [
        name for kind in ("nodereports", "switchreports", "sweepreports") for name in api.names(f"{REPORTS}/{kind}")
    ]


def leases(api: Api) -> list[str]:
    return [name for namespace in (SYSTEM, ON_NODES) for name in api.names(LEASES.format(namespace))]


@pytest.mark.usefixtures("installed")
def test_a_dry_run_says_what_would_go_and_changes_nothing(
    api: Api, kubeconfig: str, capsys: pytest.CaptureFixture[str]
) -> None:
    begin = api.plane.audit.size()
    answer = run(capsys, "uninstall", "--kubeconfig", kubeconfig, "--dry-run", "--purge")
    assert (answer.code, answer.err) == (0, "")
    for line in (
        "would scale Deployment hyperscout-system/hyperscout-controller to 0",
        "would scale Deployment hyperscout-node/hyperscout-sweeper-ib to 0",
        "would delete DaemonSet hyperscout-node/hyperscout-agent",
        "would take 2 taints, 2 conditions, 4 labels, 2 annotations off 2 Nodes",
        "would delete 1 NodeReport",
        "would delete 2 Leases",
        "would delete 2 ConfigMaps",
        "would delete 2 HyperNodes",
    ):
        assert line in answer.out.splitlines()
    written = [request for request in api.plane.audit.requests(after=begin) if request.writes]
    assert {one.resource for one in written if one.user.endswith(":hyperscout-uninstall")} == {
        "selfsubjectaccessreviews"
    }


@pytest.mark.usefixtures("installed")
def test_marks_reports_and_records_go_and_everything_of_others_stays(
    api: Api, kubeconfig: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = run(capsys, "uninstall", "--kubeconfig", kubeconfig)
    assert answer.code == 0, answer.err
    assert (pods(api), reports(api), leases(api)) == ([], [], ["other"])
    maps = set(api.names(f"/api/v1/namespaces/{SYSTEM}/configmaps"))
    assert "hyperscout-config" in maps
    assert not maps & {"hyperscout-changes-0", "hyperscout-changes-3"}
    for node in (api.get(f"{NODES}/n1"), api.get(f"{NODES}/n2")):
        assert node["metadata"]["labels"] == KEPT
        assert node["metadata"]["annotations"] == {"example.com/note": "x"}
        assert node["spec"]["taints"] == [THEIRS]
        assert [condition["type"] for condition in node["status"]["conditions"]] == ["Ready"]
    assert api.names(HYPER_NODES) == ["by-hand", "leaf-a", "spine-a"]
    assert api.get(f"{APPS}/{SYSTEM}/deployments/other")["spec"]["replicas"] == 1
    remains = [line for line in answer.out.splitlines() if line.startswith("remains: ")]
    assert "kubectl delete -k deploy/kustomize/base, never an overlay" in remains[-1]
    assert "remains: 2 HyperNodes; " in remains[0]
    assert "kubectl delete crd nodereports.hyperscout.io" in remains[1]


@pytest.mark.usefixtures("installed")
def test_with_purge_our_hyper_nodes_go_parents_first_and_a_second_time_there_is_nothing_to_do(
    api: Api, kubeconfig: str, capsys: pytest.CaptureFixture[str]
) -> None:
    begin = api.plane.audit.size()
    assert run(capsys, "uninstall", "--kubeconfig", kubeconfig, "--purge").code == 0
    requests = api.plane.audit.requests(after=begin)
    gone = [request.name for request in requests if (request.verb, request.resource) == ("delete", "hypernodes")]
    assert gone == ["spine-a", "leaf-a"]
    assert api.names(HYPER_NODES) == ["by-hand"]
    begin = api.plane.audit.size()
    again = run(capsys, "uninstall", "--kubeconfig", kubeconfig, "--purge")
    assert again.code == 0
    written = {one.resource for one in api.plane.audit.requests(after=begin) if one.writes and "uninstall" in one.user}
    assert written == {"selfsubjectaccessreviews", "deployments"}


@pytest.mark.usefixtures("installed")
def test_while_somebody_leads_nothing_is_taken_off(
    api: Api, kubeconfig: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with renewed(api, LEASES.format(SYSTEM) + "/hyperscout-controller"):
        answer = run(capsys, "uninstall", "--kubeconfig", kubeconfig, "--timeout", "3")
    assert answer.code == 1
    assert "Lease hyperscout-system/hyperscout-controller is held by a-shell" in answer.err
    assert TAINT in api.get(f"{NODES}/n1")["spec"]["taints"]
    assert len(reports(api)) == 3


@pytest.mark.usefixtures("installed")
def test_pods_that_outlive_what_made_them_are_waited_for(
    api: Api, kubeconfig: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "uninstall", "--kubeconfig", kubeconfig).code == 0
    labels = {"app.kubernetes.io/name": "hyperscout", "app.kubernetes.io/component": "agent"}
    for name, component in (("left", "agent"), ("removal", "uninstall")):
        metadata = {"name": name, "labels": labels | {"app.kubernetes.io/component": component}}
        spec = {"containers": [{"name": "main", "image": "registry.test/main:1"}]}
        api.make(PODS, {"metadata": metadata, "spec": spec})
    api.make(f"{REPORTS}/nodereports", report("nodereports"))
    for namespace, kind, body in WORKLOADS:
        api.plane.ask("DELETE", f"{APPS}/{namespace}/{kind}/{body['metadata']['name']}")
    answer = run(capsys, "uninstall", "--kubeconfig", kubeconfig, "--timeout", "1")
    assert answer.code == 1
    assert "1 Pod left in hyperscout-system or hyperscout-node" in answer.out
    assert f"after 1 s Pod {ON_NODES}/left still runs; " in answer.err
    assert reports(api) == ["one"]
    for name in ("left", "removal"):
        assert api.plane.ask("DELETE", f"{PODS}/{name}").status == 200
    assert run(capsys, "uninstall", "--kubeconfig", kubeconfig).code == 0
    assert reports(api) == []


@pytest.mark.usefixtures("installed")
def test_purge_tells_parents_of_others_that_list_ours(
    api: Api, kubeconfig: str, capsys: pytest.CaptureFixture[str]
) -> None:
    api.make(HYPER_NODES, hyper_node("top-by-hand", 4, ["spine-a", "by-hand"], "HyperNode", ours=False))
    sentence = "HyperNode top-by-hand of others lists spine-a, which goes: take it out of there"
    for options in (("--dry-run",), ()):
        answer = run(capsys, "uninstall", "--kubeconfig", kubeconfig, "--purge", *options)
        assert answer.code == 0
        assert [line for line in answer.out.splitlines() if "of others" in line] == [sentence]
    assert api.names(HYPER_NODES) == ["by-hand", "top-by-hand"]
    assert api.plane.ask("DELETE", f"{HYPER_NODES}/top-by-hand").status == 200


@contextmanager
def renewed(api: Api, path: str) -> Iterator[None]:
    """A Lease that somebody renews all the time, who runs in no Deployment."""

    def renew(round_: int) -> None:
        found = api.get(path)
        held = {"holderIdentity": "a-shell", "leaseDurationSeconds": 1, "leaseTransitions": round_}
        api.put(path, found | {"spec": held})

    with repeating(renew):
        yield


@contextmanager
def repeating(work: Callable[[int], None]) -> Iterator[None]:
    """Call it again and again beside the test, with the number of the round; once before anything else."""
    over, began = threading.Event(), threading.Event()

    def again() -> None:
        round_ = 0
        while not over.is_set():
            work(round_)
            began.set()
            round_ += 1
            over.wait(0.02)

    thread = threading.Thread(target=again)
    thread.start()
    began.wait(10)
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.usefixtures("installed")
def test_no_taint_of_another_writer_is_lost(api: Api, kubeconfig: str, capsys: pytest.CaptureFixture[str]) -> None:
    written: list[int] = []

    def taint(round_: int) -> None:
        found = api.get(f"{NODES}/n1")
        taints = [one for one in found["spec"].get("taints", ()) if one["key"] != "example.com/busy"]
        found["spec"]["taints"] = [*taints, {"key": "example.com/busy", "value": str(round_), "effect": "NoSchedule"}]
        if api.plane.ask("PUT", f"{NODES}/n1", found).status == 200:
            written.append(round_)

    with repeating(taint):
        assert run(capsys, "uninstall", "--kubeconfig", kubeconfig).code == 0
    assert len(written) > 3
    taints = {one["key"]: one.get("value") for one in api.get(f"{NODES}/n1")["spec"]["taints"]}
    assert taints == {"example.com/theirs": "x", "example.com/busy": str(written[-1])}


def test_where_nothing_is_nothing_of_manifests_remains_and_who_leads_elsewhere_is_named(
    api: Api, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    admin = tmp_path / "kubeconfig"
    admin.write_text(api.plane.kubeconfig())
    renewed = datetime.now(UTC).isoformat(timespec="microseconds")
    for name, holder in (("hyperscout-controller", "a-shell"), ("hyperscout-scheduler", ""), ("others", "somebody")):
        held = {"holderIdentity": holder, "leaseDurationSeconds": 3600, "renewTime": renewed}
        api.make(LEASES.format("default"), {"metadata": {"name": name}, "spec": held})
    for kind in ("deployments", "daemonsets"):
        for namespace in (SYSTEM, ON_NODES):
            api.plane.ask("DELETE", f"{APPS}/{namespace}/{kind}")
    answer = run(capsys, "uninstall", "--kubeconfig", str(admin), "--dry-run")
    assert answer.code == 0, answer.err
    assert "what manifests brought" not in answer.out
    said = [line for line in answer.out.splitlines() if "leads by" in line]
    assert [line.partition(" and ")[0] for line in said] == ["a-shell leads by the Lease default/hyperscout-controller"]


def test_a_right_that_is_missing_is_named_before_anything_is_changed(
    plane: ControlPlane, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rights = [right for right in needs(Places(), purge=False) if str(right) != "patch nodes/status"]
    kubeconfig = kubeconfig_of(plane, tmp_path, "narrow", rights)
    begin = plane.audit.size()
    answer: Answer = run(capsys, "uninstall", "--kubeconfig", kubeconfig)
    assert answer.code == 4
    assert answer.err.startswith("hyperscout: not allowed: patch nodes/status; nothing was changed")
    requests = plane.audit.requests(after=begin)
    assert {one.resource for one in requests if one.user.endswith(":narrow")} == {"selfsubjectaccessreviews"}
