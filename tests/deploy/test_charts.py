"""The charts render what kustomize builds, refuse bad values in sentences, and hold copies that are up to date."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.processes.loading import load
from cli.processes.schema import PROCESSES, settings_schemas
from tests.cluster.fixtures import require
from tests.cluster.programs import HELM
from tests.deploy.rendering import (
    CHART,
    CRD_CHART,
    DEPLOY,
    KUSTOMIZE,
    Object,
    built,
    command,
    identity,
    rendered,
    template,
)

COMPONENTS = ("nvml", "lldpd", "sweeper-device-plugin", "monitors")
SAME_CHOICES = (
    "--set=agent.nvml=true",
    "--set=agent.lldpd.socket=/run/lldpd.socket",
    "--set=monitors.enabled=true",
    "--set=sweepers[0].name=default",
    "--set=sweepers[0].deviceResource=rdma/hca",
)
_SUFFIX = re.compile(r"^(hyperscout-[a-z-]+)-[0-9a-z]{10}$")


def _unhashed(name: str) -> str:
    return _SUFFIX.sub(r"\1", name)


def comparable(objects: list[Object]) -> dict[tuple[str, str, str], Object]:
    """Objects by identity, without the things in which charts and kustomize differ on purpose:

    - hooks, and the record of what the chart of kinds brought, which only charts have;
    - the suffix of a ConfigMap's name, a hash that each makes in its own way of what the settings say;
    - how the settings file is written: comments, order and quotes.
    """
    kept = {}
    for thing in copy.deepcopy(objects):
        if "helm.sh/hook" in thing["metadata"].get("annotations", {}) or thing["metadata"]["name"] == "hyperscout-crds":
            continue
        if thing["kind"] == "ConfigMap":
            thing["metadata"]["name"] = _unhashed(thing["metadata"]["name"])
            thing["data"] = {name: yaml.safe_load(text) for name, text in thing["data"].items()}
        if thing["kind"] in ("Deployment", "DaemonSet"):
            for volume in thing["spec"]["template"]["spec"]["volumes"]:
                if "configMap" in volume:
                    volume["configMap"]["name"] = _unhashed(volume["configMap"]["name"])
        assert identity(thing) not in kept
        kept[identity(thing)] = thing
    return kept


def test_the_chart_renders_what_kustomize_builds() -> None:
    assert comparable(rendered(CHART)) == comparable(built(KUSTOMIZE / "base"))


def test_the_same_choices_render_the_same(site: Callable[..., Path]) -> None:
    built_site = built(site(*COMPONENTS))
    assert comparable(rendered(CHART, *SAME_CHOICES)) == comparable(built_site)


def test_marks_on_nodes_bring_the_right_to_edit_them(site: Callable[..., Path]) -> None:
    without, chosen = rendered(CHART), rendered(CHART, "--set=controller.settings.nodes.taint=off")
    (added,) = comparable(chosen).keys() - comparable(without).keys()
    assert comparable(chosen)[added] == comparable(built(site("node-marks")))[added]


@pytest.mark.parametrize(("kinds", "overlay"), [("bring", "standalone"), ("leave", "with-volcano")])
def test_the_chart_of_kinds_renders_those_of_the_overlay(kinds: str, overlay: str) -> None:
    of_overlay = [
        thing for thing in built(KUSTOMIZE / "overlays" / overlay) if thing["kind"] == "CustomResourceDefinition"
    ]
    assert comparable(rendered(CRD_CHART, f"--set=volcanoKinds={kinds}")) == comparable(of_overlay)


@pytest.mark.parametrize("chart", [CHART, CRD_CHART], ids=lambda chart: chart.name)
def test_helm_has_nothing_to_complain_of(tmp_path: Path, chart: Path) -> None:
    (helm,) = require(HELM)
    ended = command(helm, "lint", "--strict", chart, home=tmp_path)
    assert (ended.code, "WARNING" in ended.out) == (0, False), ended.out + ended.err


SCHEDULERS = {
    ("ServiceAccount", "hyperscout-scheduler"),
    ("ClusterRole", "hyperscout-scheduler"),
    ("ClusterRoleBinding", "hyperscout-scheduler"),
    ("Role", "hyperscout-scheduler"),
    ("RoleBinding", "hyperscout-scheduler"),
    ("ConfigMap", "hyperscout-scheduler-settings"),
    ("Service", "hyperscout-scheduler"),
    ("PodDisruptionBudget", "hyperscout-scheduler"),
    ("Deployment", "hyperscout-scheduler"),
}
LEAVING_OUT = [
    ("--namespace=hyperscout-system", {("Namespace", "hyperscout-system")}),
    ("--set=namespaces.create=false", {("Namespace", "hyperscout-system"), ("Namespace", "hyperscout-node")}),
    ("--set=priorityClassNames.node=system-node-critical", {("PriorityClass", "hyperscout-node")}),
    ("--set=networkPolicy.enabled=false", {("NetworkPolicy", "hyperscout")}),
    ("--set=scheduler.enabled=false", SCHEDULERS),
]


@pytest.mark.parametrize(("choice", "absent"), LEAVING_OUT, ids=[choice for choice, _ in LEAVING_OUT])
def test_a_choice_leaves_out_what_it_names_and_no_more(choice: str, absent: set[tuple[str, str]]) -> None:
    usual, chosen = (comparable(rendered(CHART, *arguments)).keys() for arguments in ((), (choice,)))
    assert {(kind, name) for kind, _, name in usual - chosen} == absent
    assert chosen <= usual


def test_every_further_sweeper_has_an_account_and_rights_of_its_own() -> None:
    values = [{"name": "default"}, {"name": "storage", "nodeSelector": {"fabric": "storage"}, "deviceResource": "a/b"}]
    objects = rendered(CHART, f"--set-json=sweepers={json.dumps(values)}")
    names = {identity(thing)[::2] for thing in objects if thing["metadata"]["name"].endswith("-storage")}
    one = {identity(thing)[::2] for thing in objects if thing["metadata"]["name"].endswith("-sweeper-default")}
    assert {kind for kind, _ in one} >= {"ServiceAccount", "ClusterRoleBinding", "Role", "RoleBinding", "Deployment"}
    assert names == {(kind, name.replace("-default", "-storage")) for kind, name in one}
    (controller,) = (
        yaml.safe_load(thing["data"]["settings.yaml"])
        for thing in objects
        if thing["kind"] == "ConfigMap" and thing["metadata"]["name"].startswith("hyperscout-controller")
    )
    assert controller["sweepers"] == ["default", "storage"]


def test_no_name_of_a_sweeper_makes_its_objects_those_of_another() -> None:
    values = [{"name": name} for name in ("a", "a-metrics", "a-settings", "a-sweeper-default", "metrics-a")]
    found = [identity(thing) for thing in rendered(CHART, f"--set-json=sweepers={json.dumps(values)}")]
    assert len(set(found)) == len(found)


def test_changed_settings_start_new_pods() -> None:
    def settings_of_pods(*arguments: str) -> str:
        (deployment,) = (
            thing
            for thing in rendered(CHART, *arguments)
            if identity(thing) == ("Deployment", "hyperscout-system", "hyperscout-controller")
        )
        return str(deployment["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"])

    assert settings_of_pods() == settings_of_pods()
    assert settings_of_pods() != settings_of_pods("--set=controller.settings.log.level=debug")


def test_the_processes_understand_the_settings_that_they_are_given(tmp_path: Path) -> None:
    read = set()
    for thing in rendered(CHART):
        if thing["kind"] != "ConfigMap":
            continue
        process = next(name for name in PROCESSES if thing["metadata"]["name"].startswith(f"hyperscout-{name}"))
        file = tmp_path / "settings.yaml"
        file.write_text(thing["data"]["settings.yaml"])
        load(PROCESSES[process], file, {}, {})
        read.add(process)
    assert read == PROCESSES.keys()


IMAGES = [
    ((), "hyperscout:0.1.0"),
    (("image.registry=localhost:5000/a_b",), "localhost:5000/a_b/hyperscout:0.1.0"),
    (("image.registry=mirror.test/gpu/", "image.tag=1.2.3"), "mirror.test/gpu/hyperscout:1.2.3"),
    (("image.repository=a/b", f"image.digest=sha256:{'0' * 64}"), f"a/b@sha256:{'0' * 64}"),
]


@pytest.mark.parametrize(("values", "image"), IMAGES)
def test_an_image_is_named_by_its_parts(values: tuple[str, ...], image: str) -> None:
    objects = rendered(CHART, *(f"--set={value}" for value in values))
    pods = [thing["spec"]["template"]["spec"] for thing in objects if "template" in thing.get("spec", {})]
    assert {pod["containers"][0]["image"] for pod in pods} == {image}


def test_a_certificate_is_served_and_asked_for() -> None:
    objects = rendered(CHART, "--set=tls.systemSecret=web,monitors.enabled=true")
    (pod,) = (
        thing["spec"]["template"]["spec"]
        for thing in objects
        if identity(thing) == ("Deployment", "hyperscout-system", "hyperscout-controller")
    )
    (container,) = pod["containers"]
    mounted = {one["name"]: one["mountPath"] for one in container["volumeMounts"]}["tls"]
    assert {"name": "tls", "secret": {"secretName": "web"}} in pod["volumes"]
    assert {container[probe]["httpGet"]["scheme"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")} == {
        "HTTPS"
    }
    (settings,) = (
        yaml.safe_load(thing["data"]["settings.yaml"])
        for thing in objects
        if thing["kind"] == "ConfigMap" and thing["metadata"]["name"].startswith("hyperscout-controller")
    )
    assert settings["http"]["tlsCertificate"] == f"{mounted}/tls.crt"
    schemes = {
        thing["metadata"]["namespace"]: thing["spec"]["endpoints"][0].get("scheme", "http")
        for thing in objects
        if thing["kind"] == "ServiceMonitor"
    }
    assert schemes == {"hyperscout-system": "https", "hyperscout-node": "http"}


def test_what_the_operator_looks_for_is_labelled() -> None:
    objects = rendered(CHART, "--set=monitors.enabled=true", "--set=monitors.labels.release=prometheus")
    found = [one for one in objects if one["apiVersion"].startswith("monitoring.coreos.com/")]
    assert {(one["kind"], one["metadata"]["labels"]["release"]) for one in found} == {
        ("ServiceMonitor", "prometheus"),
        ("PrometheusRule", "prometheus"),
    }


SENTENCES = [
    (CHART, ("--kube-version=1.29.9",), "the cluster is Kubernetes v1.29.9; hyperscout needs 1.30 or newer"),
    (CRD_CHART, ("--kube-version=1.29.9",), "the cluster is Kubernetes v1.29.9; hyperscout needs 1.30 or newer"),
    (CHART, ("--set=controller.settings.http.listen=127.0.0.1:8461",), "no kubelet can ask for its health: set"),
    (
        CHART,
        ("--set=controller.settings.http.listen=[0:0:0:0:0:0:0:1]:8461",),
        "no kubelet can ask for its health: set",
    ),
    (CHART, ("--set=scheduler.settings.http.listen=LOCALHOST:8462",), "no kubelet can ask for its health: set"),
    (CHART, ("--set=sweeper.settings.http.listen=:0",), "the sweeper is to listen on :0, where no"),
    (
        CHART,
        ("--set=sweepers[0].name=a,sweepers[0].settings.http.listen=0.0.0.0:99999",),
        "the sweeper a is to listen on",
    ),
    (CHART, ("--set=agent.settings.http.listen=127.0.0.1:0",), "set agent.settings.http.listen to 127.0.0.1:PORT"),
    (CHART, ("--set=agent.settings.http.listen=:8463",), "set agent.settings.http.listen to 127.0.0.1:PORT"),
    (CHART, ('--set-json=sweepers=[{"name":"a"},{"name":"a"}]',), "two sweepers are called a: give each"),
    (CHART, ("--set=sweepers[0].name=a,sweepers[0].settings.sweep.name=b",), "the one that counts"),
    (CHART, ("--set=sweepers[0].name=a,sweepers[0].snmpSecret=b",), "set sweep.kind to ethernet in its settings"),
    (CHART, ("--set=sweepers[0].name=a,sweepers[0].settings.sweep.kind=ethernet",), "name it in its snmpSecret"),
    (
        CHART,
        ("--set=sweepers[0].name=a,sweepers[0].settings.sweep.kind=ethernet,sweepers[0].snmpSecret=b",),
        "the sweeper a is to ask switches by SNMP and is told none",
    ),
    (
        CHART,
        ("--set=sweepers[0].name=a,sweepers[0].settings.snmp.targets={10.0.0.1}",),
        "the sweeper a is told switches in snmp.targets, and sweeps InfiniBand",
    ),
    (CHART, ("--set=agent.lldpd.socket=lldpd.socket",), "does not match pattern"),
    (CHART, ("--set=controller.settings.http.tlsCertificate=/x",), "name a Secret in tls.systemSecret"),
    (CHART, ("--set=agent.settings.http.tlsKey=/x",), "name a Secret in tls.systemSecret"),
    (CHART, ("--set=controller.settings.cluster.kubeconfig=/x",), "leave cluster.kubeconfig out"),
    (CHART, ("--set=sweepers[0].name=a,sweepers[0].settings.cluster.namespace=b",), "leave cluster.namespace out"),
    (CHART, ("--set=controller.settings=null",), "at '/controller': missing property 'settings'"),
    (CHART, ("--set=scheduler=null",), "missing property 'scheduler'"),
    (
        CHART,
        ('--set-json=sweepers=[{"name":"a","settings":null}]',),
        "at '/sweepers/0/settings': got null, want object",
    ),
    (CHART, ('--set-json=image.registry="a/b\\n  c: d"',), "image.registry is a/b"),
    (CHART, ('--set-json=image.tag="1\\nc: d"',), "at '/image/tag': "),
    (CHART, ('--set-json=tls.nodeSecret="a\\nb: c"',), "at '/tls/nodeSecret': "),
    (CHART, ("--set=uninstall.purge=true,uninstall.hook=false",), "set both, or run `hyperscout uninstall --purge`"),
    (CHART, ('--set-json=scheduler.settings.scheduling.schedulerNames=["default-scheduler"]',), "kube-scheduler binds"),
    (CHART, ("--set=image.registry=YOUR/REGISTRY",), "image.registry is YOUR/REGISTRY, and no image can be named so"),
    (CHART, ("--set=image.repository=Hyperscout",), "image.repository is Hyperscout"),
    (CHART, ("--set=controller.settings.lease.duration=1",), "retryPeriod 2, renewDeadline 10 and duration 1: each"),
    (CHART, ("--set=sweeper.settings.lease.retryPeriod=12",), "the lease of the sweeper has retryPeriod 12"),
    (CHART, ("--set=sweepers[0].name=a,sweepers[0].settings.lease.duration=9",), "the lease of the sweeper a has"),
    (CHART, ("--set=controller.settings.tree.tiers.leaf=3",), "missing properties 'spine', 'core'"),
    (
        CHART,
        ('--set-json=controller.settings.tree.tiers={"leaf":3,"spine":3,"core":4}',),
        "tree.tiers.spine is 3, and the tier below it has 3",
    ),
    (CHART, ('--set-json=controller.settings.tree.tiers={"rack":1,"leaf":3,"spine":4,"core":5}',), "rack"),
    (CHART, ("--set=controller.settings.nodes.labels={foo}",), "'foo' does not match pattern '^(hyperscout|topograph|"),
    (CHART, ("--set=controller.settings.adopt={A_b}",), "'A_b' does not match pattern"),
    (CHART, ("--set=controller.settings.http.listen=here",), "'here' does not match pattern"),
    (CHART, ("--set=controler.replicas=3",), "'controler' not allowed"),
    (CHART, ("--set=controller.settings.debounce.quit=2",), "'quit' not allowed"),
    (CHART, ("--set=controller.replicas=0",), "minimum: got 0, want 1"),
    (
        CRD_CHART,
        (),
        "cannot see whether the cluster has HyperNode and PodGroup: set volcanoKinds to bring, or to leave",
    ),
    (CRD_CHART, ("--set=volcanoKinds=null",), "missing property 'volcanoKinds'"),
    (CHART, ("--set=monitors.enabled=true,monitors.labels=null",), "at '/monitors': missing property 'labels'"),
    (CRD_CHART, ("--set=volcanoKinds=maybe",), "must be one of 'auto', 'bring', 'leave'"),
]


@pytest.mark.parametrize(("chart", "arguments", "sentence"), SENTENCES)
def test_what_cannot_be_installed_is_refused_in_a_sentence(
    chart: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    ended = template(chart, *arguments)
    assert ended.code != 0
    assert sentence in ended.err


NOTES = [
    (("--set-json=sweepers=[]", "--set=agent.enabled=false"), ["There is no sweeper", "There are no agents"]),
    (("--set=image.registry=",), ["nodes look for hyperscout:"]),
    (("--set=uninstall.hook=false",), ["run `hyperscout uninstall` before it"]),
    (
        ("--namespace=hyperscout-system",),
        ["label namespace hyperscout-system pod-security.kubernetes.io/enforce=restr"],
    ),
    (("--set=namespaces.create=false",), ["label namespace hyperscout-node pod-security.kubernetes.io/enforce=privil"]),
]


@pytest.mark.parametrize(("choices", "sentences"), NOTES)
def test_notes_say_what_the_choices_leave_undone(
    tmp_path: Path, choices: tuple[str, ...], sentences: list[str]
) -> None:
    (helm,) = require(HELM)

    def notes(*arguments: str) -> str:
        ended = command(helm, "install", "hyperscout", CHART, "--dry-run=client", *arguments, home=tmp_path)
        assert ended.code == 0, ended.err
        return ended.out.partition("NOTES:")[2]

    said = notes(*choices)
    usual = notes("--set=image.registry=registry.test")
    assert "kubectl get hypernodes" in usual
    assert all(sentence in said and sentence not in usual for sentence in sentences)


@pytest.mark.parametrize("listen", [":9000", "0.0.0.0:9000", "[::]:9000"])
def test_a_process_may_listen_on_another_port(listen: str) -> None:
    objects = rendered(CHART, f"--set=controller.settings.http.listen={listen}")
    (pod,) = (
        thing["spec"]["template"]["spec"]
        for thing in objects
        if identity(thing) == ("Deployment", "hyperscout-system", "hyperscout-controller")
    )
    assert [port["containerPort"] for port in pod["containers"][0]["ports"]] == [9000]


def test_settings_that_yaml_reads_as_truth_are_taken(tmp_path: Path) -> None:
    values = tmp_path / "values.yaml"
    values.write_text("controller: {settings: {tree: {nvlinkTier: off}, nodes: {taint: off}}}\n")
    assert rendered(CHART, f"--values={values}")


def test_the_schema_of_values_knows_the_settings_as_they_are() -> None:
    schema: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text())
    held = {name: schema["$defs"][name] for name in settings_schemas()}
    assert held == settings_schemas(), "python -m cli.processes.schema deploy/helm/hyperscout/values.schema.json"


def test_the_chart_holds_alerts_as_they_are_and_they_ask_for_metrics_that_there_are() -> None:
    rules = (KUSTOMIZE / "components" / "monitors" / "rules.yaml").read_text()
    assert (CHART / "files" / "monitors" / "rules.yaml").read_text() == rules, "deploy/helm/copy-files"
    documented = (DEPLOY.parent / "docs" / "reference" / "metrics.md").read_text()
    asked = set(re.findall(r"hyperscout_\w+", rules))
    assert asked
    assert {name for name in asked if f"`{name}`" not in documented} == set()


@pytest.mark.parametrize("part", ["rbac", "admission"])
def test_the_chart_holds_rights_and_policies_as_they_are(part: str) -> None:
    there = {path.name: path.read_text() for path in (KUSTOMIZE / "base" / part).glob("*.yaml")}
    del there["kustomization.yaml"]
    assert {path.name: path.read_text() for path in (CHART / "files" / part).iterdir()} == there, (
        "deploy/helm/copy-files"
    )


def test_charts_and_manifests_are_of_the_version_that_the_project_has() -> None:
    version = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())["project"]["version"]
    charts = [yaml.safe_load((chart / "Chart.yaml").read_text()) for chart in (CHART, CRD_CHART)]
    assert {(chart["version"], chart["appVersion"]) for chart in charts} == {(version, version)}
    pods = [
        thing["spec"]["template"]["spec"] for thing in built(KUSTOMIZE / "base") if "template" in thing.get("spec", {})
    ]
    assert {pod["containers"][0]["image"] for pod in pods} == {f"hyperscout:{version}"}


def test_nothing_in_deploy_names_an_image_registry() -> None:
    hosts = re.compile(r"\b(docker\.io|ghcr\.io|quay\.io|gcr\.io|registry\.k8s\.io|nvcr\.io)\b")
    texts = (path for path in DEPLOY.rglob("*") if path.is_file())
    assert [path.name for path in texts if hosts.search(path.read_text(errors="replace"))] == []
