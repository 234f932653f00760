"""What each overlay brings, and that pods are as little privileged as their work allows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from discovery.lldp.lldpd import SOCKETS
from kube.crds import crd_files, crds
from tests.deploy.rendering import DEPLOY, KUSTOMIZE, OVERLAYS, Object, built, identity

OURS = {"nodereports.hyperscout.io", "switchreports.hyperscout.io", "sweepreports.hyperscout.io"}
VOLCANOS = {"hypernodes.topology.volcano.sh", "podgroups.scheduling.volcano.sh"}


@pytest.fixture(scope="module")
def overlays() -> dict[str, list[Object]]:
    return {name: built(KUSTOMIZE / "overlays" / name) for name in OVERLAYS}


def of_kind(objects: list[Object], *kinds: str) -> dict[str, Object]:
    return {thing["metadata"]["name"]: thing for thing in objects if thing["kind"] in kinds}


def pod_specs(objects: list[Object]) -> dict[str, dict[str, Any]]:
    return {
        name: thing["spec"]["template"]["spec"] for name, thing in of_kind(objects, "Deployment", "DaemonSet").items()
    }


@pytest.mark.parametrize(
    ("overlay", "kinds"), [("standalone", OURS | VOLCANOS), ("with-volcano", OURS), ("demo", OURS | VOLCANOS)]
)
def test_an_overlay_brings_the_kinds_that_the_cluster_lacks(
    overlays: dict[str, list[Object]], overlay: str, kinds: set[str]
) -> None:
    assert of_kind(overlays[overlay], "CustomResourceDefinition").keys() == kinds


def test_the_kinds_are_those_that_are_generated(overlays: dict[str, list[Object]]) -> None:
    brought = of_kind(overlays["standalone"], "CustomResourceDefinition")
    assert brought == {definition["metadata"]["name"]: definition for definition in crds()}


def test_nothing_but_the_kinds_differs_beside_volcano(overlays: dict[str, list[Object]]) -> None:
    alone = [thing for thing in overlays["standalone"] if thing["metadata"]["name"] not in VOLCANOS]
    assert sorted(alone, key=identity) == sorted(overlays["with-volcano"], key=identity)


def test_namespaces_and_kinds_come_first(overlays: dict[str, list[Object]]) -> None:
    for objects in overlays.values():
        first = [thing["kind"] in ("Namespace", "CustomResourceDefinition") for thing in objects]
        assert first == sorted(first, reverse=True)


def test_namespaces_enforce_pod_security(overlays: dict[str, list[Object]]) -> None:
    levels = {"hyperscout-node": "privileged", "hyperscout-system": "restricted"}
    for name, namespace in of_kind(overlays["standalone"], "Namespace").items():
        labels = namespace["metadata"]["labels"]
        assert {labels[f"pod-security.kubernetes.io/{mode}"] for mode in ("enforce", "audit", "warn")} == {levels[name]}


def test_the_agent_has_one_capability_and_the_loopback_address(overlays: dict[str, list[Object]]) -> None:
    spec = pod_specs(overlays["standalone"])["hyperscout-agent"]
    (container,) = spec["containers"]
    security = container["securityContext"]
    assert security["capabilities"] == {"drop": ["ALL"], "add": ["NET_RAW"]}
    assert security["readOnlyRootFilesystem"]
    assert security["allowPrivilegeEscalation"] is False
    assert spec["hostNetwork"]
    assert {container[probe]["httpGet"]["host"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")} == {
        "127.0.0.1"
    }
    assert spec["tolerations"] == [{"operator": "Exists"}]
    assert not any("hostPath" in volume for volume in spec["volumes"])


@pytest.mark.parametrize("name", ["hyperscout-controller", "hyperscout-scheduler"])
def test_controller_and_scheduler_run_twice_and_spread(overlays: dict[str, list[Object]], name: str) -> None:
    deployment = of_kind(overlays["standalone"], "Deployment")[name]
    assert deployment["spec"]["replicas"] == 2
    spec = deployment["spec"]["template"]["spec"]
    assert [one["topologyKey"] for one in spec["topologySpreadConstraints"]] == ["kubernetes.io/hostname"]
    assert name in of_kind(overlays["standalone"], "PodDisruptionBudget")


def test_every_pod_has_what_it_needs_and_no_more(overlays: dict[str, list[Object]]) -> None:
    for spec in (spec for objects in overlays.values() for spec in pod_specs(objects).values()):
        (container,) = spec["containers"]
        assert container["resources"]["requests"].keys() == {"cpu", "memory"}
        assert "memory" in container["resources"]["limits"]
        assert {"startupProbe", "livenessProbe", "readinessProbe"} <= container.keys()
        assert spec["terminationGracePeriodSeconds"] > 5  # what a clean stop takes
        assert spec["automountServiceAccountToken"] is False
        assert any("projected" in volume for volume in spec["volumes"])
        assert spec["priorityClassName"] in ("hyperscout-node", "hyperscout-system")


def test_the_demo_leaves_hardware_alone_and_the_controller_and_scheduler_to_the_demo(
    overlays: dict[str, list[Object]],
) -> None:
    workloads = of_kind(overlays["demo"], "Deployment", "DaemonSet")
    assert {name: one["spec"]["replicas"] for name, one in workloads.items()} == {
        "hyperscout-controller": 0,
        "hyperscout-scheduler": 0,
    }
    levels = of_kind(overlays["demo"], "Namespace")["hyperscout-node"]["metadata"]["labels"]
    assert levels["pod-security.kubernetes.io/enforce"] == "restricted"


def test_components_change_what_they_say(site: Callable[..., Path]) -> None:
    objects = built(site("nvml", "sweeper-device-plugin", "monitors"))
    specs = pod_specs(objects)
    assert specs["hyperscout-agent"]["runtimeClassName"] == "nvidia"
    (sweeper,) = specs["hyperscout-sweeper-default"]["containers"]
    assert sweeper["resources"]["limits"]["rdma/hca"] == "1"
    assert sweeper["securityContext"]["privileged"] is False
    assert {thing["metadata"]["namespace"] for thing in objects if thing["kind"] == "ServiceMonitor"} == {
        "hyperscout-node",
        "hyperscout-system",
    }


def test_a_sweeper_of_ethernet_has_no_privileges_and_a_secret_to_ask_with(site: Callable[..., Path]) -> None:
    spec = pod_specs(built(site("sweeper-ethernet")))["hyperscout-sweeper-default"]
    (sweeper,) = spec["containers"]
    assert (spec["securityContext"]["runAsNonRoot"], sweeper["securityContext"]["privileged"]) == (True, False)
    assert sweeper["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert {"name": "HYPERSCOUT_SWEEP_KIND", "value": "ethernet"} in sweeper["env"]
    (mount,) = [one for one in sweeper["volumeMounts"] if one["name"] == "snmp"]
    assert {"name": "HYPERSCOUT_SNMP_CREDENTIALS", "value": mount["mountPath"]} in sweeper["env"]
    assert any("secret" in volume for volume in spec["volumes"] if volume["name"] == "snmp")


def test_lldpd_is_asked_by_its_socket_alone(site: Callable[..., Path]) -> None:
    spec = pod_specs(built(site("lldpd")))["hyperscout-agent"]
    (agent,) = spec["containers"]
    assert agent["securityContext"]["capabilities"] == {"drop": ["ALL"], "add": ["NET_RAW"]}
    assert [volume["hostPath"]["path"] for volume in spec["volumes"] if "hostPath" in volume] == ["/run/lldpd.socket"]
    assert [one["mountPath"] for one in agent["volumeMounts"] if one["name"] == "lldpd"] == [SOCKETS[0]]


def test_the_charts_hold_the_definitions_as_they_are_generated() -> None:
    held = {
        path.name: path.read_text() for path in (DEPLOY / "helm/hyperscout-crds/definitions").rglob("*.volcano.sh_*")
    }
    held |= {
        path.name: path.read_text() for path in (DEPLOY / "helm/hyperscout-crds/definitions").rglob("hyperscout.*")
    }
    assert held == crd_files(), "run deploy/helm/copy-files"
