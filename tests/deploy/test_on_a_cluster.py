"""Installed, upgraded and removed by real helm on a real cluster, where Pod Security is enforced."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.architecture.sources import ROOT
from tests.cluster.control_plane import ControlPlane
from tests.cluster.fixtures import require
from tests.cluster.programs import HELM, KUBECTL
from tests.cluster.tokens import Account
from tests.deploy.cluster import DEFINITIONS, NAMESPACES, SETTINGS, Cluster, must, node
from tests.deploy.others import (
    HYPER_NODE,
    POD_GROUP,
    chart_of_volcano,
    charts_of_the_commit_before,
    definitions_of_volcano,
)
from tests.deploy.played import hyper_node, items, mark, pod_of, running_pod_of_the_hook, uninstall_as
from tests.deploy.rendering import (
    CHART,
    CRD_CHART,
    KUSTOMIZE,
    OVERLAYS,
    Object,
    build,
    built,
    documents,
    rendered,
    template,
)

OURS = {"nodereports.hyperscout.io", "switchreports.hyperscout.io", "sweepreports.hyperscout.io"}
GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    helm, kubectl = require(HELM, KUBECTL)
    require(*SETTINGS.programs)
    home = tmp_path_factory.mktemp("home")
    with ControlPlane(tmp_path_factory.mktemp("plane"), SETTINGS) as plane:
        found = Cluster(plane, home, helm, kubectl)
        found.apply(node("cpu-1"), node("cpu-2"), node("gpu-1", GPU_TAINT))
        yield found


@pytest.fixture
def bare(cluster: Cluster) -> Cluster:
    """The cluster without any definition of anybody, and without releases that once brought some."""
    _clear(cluster)
    return cluster


def _clear(cluster: Cluster) -> None:
    _clear_hyper_nodes(cluster)
    must(cluster.kubectl("delete", "secret", "-l", "owner=helm"))
    must(cluster.kubectl("delete", "configmap", "hyperscout-crds", "--ignore-not-found"))
    cluster.delete_definitions()


def _clear_hyper_nodes(cluster: Cluster) -> None:
    """Before their definition: the server looks only every five seconds whether all that go with it are gone."""
    if cluster.knows(HYPER_NODE):
        must(cluster.kubectl("delete", "hypernodes", "--all"))


def test_without_the_definitions_it_says_what_to_install_first(bare: Cluster) -> None:
    ended = bare.helm("install", "hyperscout", CHART)
    assert ended.code != 0
    assert "does not know hypernodes.topology.volcano.sh, podgroups.scheduling.volcano.sh," in ended.err
    assert "install the chart hyperscout-crds first" in ended.err


def test_a_site_moves_from_standalone_to_volcano_and_keeps_its_hypernodes(bare: Cluster, tmp_path: Path) -> None:
    """As deploy/README.md says."""
    volcano = chart_of_volcano(tmp_path)
    must(bare.helm("install", "hyperscout-crds", CRD_CHART))
    bare.until(lambda: bare.knows(HYPER_NODE), "HyperNode is served")
    bare.apply(hyper_node("leaf-1"))

    must(bare.helm("upgrade", "hyperscout-crds", CRD_CHART, "--set=volcanoKinds=leave"))
    must(bare.helm("install", "volcano", volcano, "--take-ownership"))
    moved = bare.definition(HYPER_NODE)
    must(bare.helm("upgrade", "hyperscout-crds", CRD_CHART, "--set=volcanoKinds=auto"))
    assert bare.definition(HYPER_NODE) == moved
    assert "controller-gen.kubebuilder.io/version" in moved["metadata"]["annotations"]
    assert bare.plane.ask("GET", "/apis/topology.volcano.sh/v1alpha1/hypernodes/leaf-1").status == 200

    _clear_hyper_nodes(bare)
    must(bare.helm("uninstall", "volcano"))
    going = bare.plane.ask("GET", f"{DEFINITIONS}/{HYPER_NODE}")
    assert going.status == 404 or "deletionTimestamp" in going.body["metadata"]
    bare.delete_definitions(HYPER_NODE, POD_GROUP)
    must(bare.helm("upgrade", "hyperscout-crds", CRD_CHART))
    bare.until(lambda: bare.knows(HYPER_NODE), "HyperNode is served again")


def test_the_chart_takes_over_kinds_that_were_applied_by_hand_when_it_is_told_so(bare: Cluster) -> None:
    """As deploy/README.md says; those of Volcano are left as they are."""
    files = sorted((ROOT / "crds").glob("*.yaml"))
    must(bare.kubectl("apply", "--server-side", *(f"--filename={file}" for file in files)))
    bare.until(lambda: bare.knows(HYPER_NODE), "HyperNode is served")
    before = bare.definition(HYPER_NODE)
    refused = bare.helm("upgrade", "--install", "hyperscout-crds", CRD_CHART)
    assert refused.code != 0
    assert "invalid ownership metadata" in refused.err
    must(bare.helm("upgrade", "--install", "hyperscout-crds", CRD_CHART, "--take-ownership"))
    for name in OURS:
        assert bare.definition(name)["metadata"]["annotations"]["meta.helm.sh/release-name"] == "hyperscout-crds"
    assert bare.definition(HYPER_NODE) == before
    must(bare.helm("upgrade", "--install", "hyperscout-crds", CRD_CHART))


def test_a_definition_that_was_taken_over_unasked_is_never_deleted_by_an_upgrade(bare: Cluster, tmp_path: Path) -> None:
    must(bare.helm("install", "hyperscout-crds", CRD_CHART))
    must(bare.helm("install", "volcano", chart_of_volcano(tmp_path), "--take-ownership"))
    for choice in ("auto", "leave"):
        refused = bare.helm("upgrade", "hyperscout-crds", CRD_CHART, f"--set=volcanoKinds={choice}")
        assert refused.code != 0
        assert f"kubectl annotate crd {POD_GROUP} helm.sh/resource-policy=keep" in refused.err
    for name in (HYPER_NODE, POD_GROUP):
        must(bare.kubectl("annotate", "crd", name, "helm.sh/resource-policy=keep"))
    must(bare.helm("upgrade", "hyperscout-crds", CRD_CHART, "--set=volcanoKinds=auto"))
    assert bare.knows(HYPER_NODE)


@dataclass(frozen=True, slots=True)
class Installed:
    """The cluster with hyperscout on it, beside Volcano's definitions; and what was there before."""

    cluster: Cluster
    before: set[tuple[str, ...]]
    volcano: list[Object]


@pytest.fixture(scope="module")
def installed(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """From the charts of the commit before, then upgraded to these: definitions first, both times."""
    _clear(cluster)
    volcano = definitions_of_volcano()
    cluster.apply(*volcano)
    for one in volcano:
        cluster.until(partial(cluster.knows, one["metadata"]["name"]), "Volcano's kinds are served")
    held = [cluster.definition(one["metadata"]["name"]) for one in volcano]
    before = cluster.contents()
    old = charts_of_the_commit_before(tmp_path_factory.mktemp("old"))
    must(cluster.helm("install", "hyperscout-crds", old / CRD_CHART.name))
    must(cluster.helm("install", "hyperscout", old / CHART.name))
    must(cluster.helm("upgrade", "hyperscout-crds", CRD_CHART))
    must(cluster.helm("upgrade", "hyperscout", CHART, "--wait", "--set=controller.settings.log.level=debug"))
    return Installed(cluster, before, held)


def test_the_pods_of_an_upgraded_release_run_where_they_should(installed: Installed) -> None:
    cluster = installed.cluster
    history = json.loads(must(cluster.helm("history", "hyperscout", "-o", "json")).out)
    assert [one["status"] for one in history] == ["superseded", "deployed"]

    def placed() -> dict[str, set[str]] | None:
        pods = [pod for space in NAMESPACES for pod in items(cluster, f"/api/v1/namespaces/{space}/pods")]
        living = [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]
        if not all(pod.get("status", {}).get("phase") == "Running" for pod in living):
            return None
        found: dict[str, set[str]] = {}
        for pod in living:
            component = pod["metadata"]["labels"]["app.kubernetes.io/component"]
            found.setdefault(component, set()).add(pod["spec"]["nodeName"])
        return found if len(living) == 8 else None

    nodes = cluster.until(placed, "three agents, a sweeper, two controllers and two schedulers run")
    assert nodes["agent"] == {"cpu-1", "cpu-2", "gpu-1"}
    assert nodes["controller"] == nodes["scheduler"] == {"cpu-1", "cpu-2"}


def test_the_upgraded_controller_reads_the_new_settings(installed: Installed) -> None:
    path = "/apis/apps/v1/namespaces/hyperscout-system/deployments/hyperscout-controller"
    (volume, *_) = installed.cluster.plane.ask("GET", path).body["spec"]["template"]["spec"]["volumes"]
    held = installed.cluster.plane.ask(
        "GET", f"/api/v1/namespaces/hyperscout-system/configmaps/{volume['configMap']['name']}"
    )
    assert yaml.safe_load(held.body["data"]["settings.yaml"])["log"] == {"level": "debug"}


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_server_takes_every_manifest_of_an_overlay(installed: Installed, overlay: str) -> None:
    cluster = installed.cluster
    _takes(cluster, build(KUSTOMIZE / "overlays" / overlay))


@pytest.mark.parametrize(
    "components", [("nvml", "lldpd", "sweeper-device-plugin", "node-marks"), ("sweeper-ethernet",)]
)
def test_the_server_takes_what_components_change(
    installed: Installed, site: Callable[..., Path], components: tuple[str, ...]
) -> None:
    _takes(installed.cluster, build(site(*components)))


def test_the_server_takes_every_manifest_of_the_charts(installed: Installed) -> None:
    cluster = installed.cluster
    _takes(cluster, template(CRD_CHART, "--namespace=default", "--set=volcanoKinds=bring").out)
    _takes(cluster, template(CHART, "--namespace=default").out)


def _takes(cluster: Cluster, text: str) -> None:
    """A dry run of all objects of the text; of workloads whose pods would be refused the server only warns."""
    ended = must(
        cluster.kubectl("apply", "--server-side", "--force-conflicts", "--dry-run=server", "-f", "-", text=text)
    )
    assert len(ended.out.splitlines()) == len(documents(text))
    assert "would violate PodSecurity" not in ended.err


FLOWS = [
    ("hyperscout-node", "hyperscout-agent", "/apis/hyperscout.io/v1alpha1/nodereports/gpu-1", "hyperscout-node"),
    ("hyperscout-node", "hyperscout-sweeper-default", "/version", "hyperscout-node"),
    ("hyperscout-system", "hyperscout-controller", "/api/v1/nodes", "hyperscout-system"),
    (
        "hyperscout-system",
        "hyperscout-scheduler",
        "/apis/coordination.k8s.io/v1/namespaces/hyperscout-system/leases/hyperscout-scheduler",
        "hyperscout-leases",
    ),
]


@pytest.mark.parametrize(("namespace", "account", "path", "flow"), FLOWS)
def test_requests_wait_in_queues_of_their_own(
    installed: Installed, namespace: str, account: str, path: str, flow: str
) -> None:
    cluster = installed.cluster
    schema = cluster.plane.ask("GET", f"/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/{flow}").body
    token = Account(cluster.plane, namespace, account).token()
    assert cluster.flow_of(path, token) == schema["metadata"]["uid"]


CANNOT = [
    ("--set=monitors.enabled=true", "install the Prometheus Operator first"),
    ('--set-json=scheduler.settings.scheduling.schedulerNames=["volcano"]', "the Volcano of this cluster binds"),
]


@pytest.mark.parametrize(("choice", "sentence"), CANNOT)
def test_what_this_cluster_cannot_take_is_said_in_a_sentence(installed: Installed, choice: str, sentence: str) -> None:
    ended = installed.cluster.helm("upgrade", "hyperscout", CHART, "--dry-run=server", choice)
    assert ended.code != 0
    assert sentence in ended.err


def test_pod_security_admits_every_pod_and_refuses_one_that_asks_for_more(installed: Installed) -> None:
    cluster = installed.cluster
    for thing in (*rendered(CHART), *built(KUSTOMIZE / "overlays" / "demo")):
        if "template" in thing.get("spec", {}):
            pod = pod_of(thing)
            answer = _dry_run(cluster, pod, pod["metadata"]["namespace"])
            assert answer.status == 201, answer.body
    agent = next(pod_of(thing) for thing in rendered(CHART) if thing["kind"] == "DaemonSet")
    agent["spec"]["serviceAccountName"] = "hyperscout-controller"
    answer = _dry_run(cluster, agent, "hyperscout-system")
    assert answer.status == 403
    assert 'violates PodSecurity "restricted:latest"' in answer.body["message"]


def _dry_run(cluster: Cluster, pod: Object, namespace: str) -> Any:  # noqa: ANN401 - the answer of the control plane
    pod["metadata"]["namespace"] = namespace
    return cluster.plane.ask("POST", f"/api/v1/namespaces/{namespace}/pods?dryRun=All", pod)


def test_uninstalling_leaves_definitions_and_hypernodes_only(installed: Installed) -> None:
    """The hook's pod is played: its command runs here, with the token of its account."""
    cluster = installed.cluster
    mark(cluster)
    removal = cluster.starts_helm("uninstall", "hyperscout")
    try:
        pod = cluster.until(lambda: running_pod_of_the_hook(cluster), "the pod of the hook runs")
        assert pod["spec"]["containers"][0]["command"] == ["hyperscout", "uninstall"]
        uninstall_as(cluster, pod["spec"]["serviceAccountName"])
        succeeded = json.dumps({"status": {"phase": "Succeeded"}})
        name = f"pod/{pod['metadata']['name']}"
        must(
            cluster.kubectl(
                "patch", "-n", "hyperscout-system", name, "--subresource=status", "--type=merge", "-p", succeeded
            )
        )
        out, _ = removal.communicate(timeout=120)
        assert removal.returncode == 0, out
    finally:
        removal.kill()
        removal.communicate()
    must(cluster.helm("uninstall", "hyperscout-crds"))
    must(cluster.kubectl("wait", "--for=delete", *(f"namespace/{name}" for name in NAMESPACES), "--timeout=60s"))
    left = {(kind, name) for _, kind, _, name in cluster.contents() - installed.before if kind != "APIService"}
    assert left == {("HyperNode", "leaf-1"), *(("CustomResourceDefinition", name) for name in OURS)}
    assert [cluster.definition(one["metadata"]["name"]) for one in installed.volcano] == installed.volcano
    marked = cluster.plane.ask("GET", "/api/v1/nodes/gpu-1").body
    assert marked["spec"]["taints"] == [GPU_TAINT]
    assert not any(key.startswith("hyperscout.io/") for key in marked["metadata"]["labels"])
    assert "FabricHealthy" not in {one["type"] for one in marked["status"]["conditions"]}


def test_kustomize_installs_and_removes_the_same(bare: Cluster) -> None:
    must(bare.kubectl("apply", "--server-side", "-k", KUSTOMIZE / "overlays" / "standalone"))
    for workload in ("deployment/hyperscout-controller", "deployment/hyperscout-scheduler"):
        must(bare.kubectl("rollout", "status", "-n", "hyperscout-system", workload, "--timeout=100s"))
    must(bare.kubectl("rollout", "status", "-n", "hyperscout-node", "daemonset/hyperscout-agent", "--timeout=100s"))
    must(bare.kubectl("delete", "-k", KUSTOMIZE / "base", "--timeout=100s"))
    left = {name for _, kind, _, name in bare.contents() if "hyperscout" in name and kind != "APIService"}
    assert left == OURS
