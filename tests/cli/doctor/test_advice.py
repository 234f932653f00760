"""Whatever the doctor finds, it says what to do: of what is amiss, and of what it may not see."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from cli.doctor.finding import FINE
from tests.architecture.sources import ROOT, parsed
from tests.cli.doctor.scripted import (
    ADMISSION,
    ALL_LEASES,
    CONFIG_MAPS,
    DEFINITIONS,
    LEASES,
    ON_NODES,
    OURS,
    SYSTEM,
    VOLCANO,
    Json,
    Scripted,
    findings,
    named,
)

Change = Callable[[Scripted], object]
HYPER_NODES, NODE_REPORTS, SWEEPS = f"{VOLCANO}/hypernodes", f"{OURS}/nodereports", f"{OURS}/sweepreports"
POLICIES = f"{ADMISSION}/validatingadmissionpolicies"
KIND = "hypernodes.topology.volcano.sh"
OLD, NEW = "2026-03-01T09:00:00Z", "2026-03-01T11:59:58.000000Z"
OF_SWEEPER = f"/apis/coordination.k8s.io/v1{ON_NODES}/leases"
HELD = named("hyperscout-sweeper-ib", spec={"holderIdentity": "p", "leaseDurationSeconds": 15, "renewTime": NEW})


def holds(path: str, things: dict[str, Json]) -> Change:
    """The collection holds these alone."""
    return lambda cluster: cluster.collections.update({path: things})


def lacks(path: str, name: str) -> Change:
    return lambda cluster: cluster.collections[path].pop(name)


def forbids(path: str) -> Change:
    return lambda cluster: setattr(cluster, "forbidden", path)


def lease(**spec: object) -> Change:
    """Of the scheduler."""
    return lambda cluster: cluster.collections[LEASES]["hyperscout-scheduler"].update(
        spec={"holderIdentity": "pod-1", "leaseDurationSeconds": 15, "renewTime": NEW, **spec}
    )


def sweep(leases: dict[str, Json], **spec: object) -> Change:
    return lambda cluster: cluster.collections.update({SWEEPS: named("ib", spec=spec), OF_SWEEPER: leases})


def accounts(*names: str) -> Change:
    places = {f"/api/v1{SYSTEM}/serviceaccounts": named(*names), f"/api/v1{ON_NODES}/serviceaccounts": {}}
    return lambda cluster: cluster.collections.update(places)


def serves_no_policies(cluster: Scripted) -> None:
    for path in [path for path in cluster.collections if path.startswith(ADMISSION)]:
        del cluster.collections[path]


def lacks_a_version(cluster: Scripted) -> None:
    cluster.collections[DEFINITIONS][KIND]["spec"]["versions"][0]["name"] = "v9"


def lacks_a_field(cluster: Scripted) -> None:
    (version, *_) = cluster.collections[DEFINITIONS][KIND]["spec"]["versions"]
    del version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["tierName"]


def two_write(cluster: Scripted) -> None:
    for name, source in (("leaf-a", "hyperscout"), ("leaf-b", "ufm")):
        labels = {"volcano.sh/network-topology-source": source}
        cluster.collections[HYPER_NODES][name] = {"metadata": {"name": name, "labels": labels}}


def leads_elsewhere(cluster: Scripted) -> None:
    found = cluster.collections[LEASES]["hyperscout-scheduler"]
    other = {**found, "metadata": {"name": "hyperscout-scheduler", "namespace": "default"}}
    cluster.collections[ALL_LEASES] = {"one": other}


def configured(name: str, text: str) -> Change:
    return holds(CONFIG_MAPS, named(f"v-{name}-configmap", data={"any.conf": text}))


SCHEDULER = "hyperscout-system/hyperscout-scheduler"
AMISS: list[tuple[Change, str, str]] = [
    (lambda cluster: setattr(cluster, "version", "v1.29.9"), "Kubernetes v1.29.9", "upgrade the cluster"),
    (lacks(DEFINITIONS, KIND), "is not installed", "helm upgrade --install hyperscout-crds "),
    (lacks_a_version, f"{KIND} does not serve v1alpha1", "upgrade Volcano"),
    (lacks_a_field, f"{KIND} lacks spec.tierName", "upgrade Volcano"),
    (accounts("default"), "no ServiceAccount hyperscout-* is in", "say where by --namespace and --node-namespace"),
    (forbids("subjectaccessreviews"), "is not for us to ask", "ask as somebody who may create subjectaccessreviews"),
    (accounts("hyperscout-x"), "is an account of no process that is known", "delete it if no pod runs with it"),
    (
        lambda cluster: setattr(cluster, "refused", ("patch nodereports",)),
        " may not patch nodereports",
        "apply deploy/kustomize/base/rbac again",
    ),
    (serves_no_policies, "serves no ValidatingAdmissionPolicy v1", "upgrade it to Kubernetes 1.30 or newer"),
    (lacks(POLICIES, "hyperscout-agents"), "or not bound: hyperscout-agents", "apply deploy/kustomize/base/admission"),
    (forbids("validatingadmissionpolicies"), "not for you", "grant the right in a Role or ClusterRole"),
    (forbids(ALL_LEASES), "in other namespaces is not for us to see", "ask as somebody who may list leases"),
    (leads_elsewhere, "pod-1 leads by the Lease default/hyperscout-scheduler too", "stop one of both"),
    (
        lacks(LEASES, "hyperscout-scheduler"),
        f"there is no Lease {SCHEDULER}: no hyperscout-scheduler has ever run there",
        "look at its pods: kubectl get pods -n hyperscout-system; where it runs elsewhere say so by --namespace",
    ),
    (
        lease(holderIdentity=""),
        f"nobody holds the Lease {SCHEDULER}: no hyperscout-scheduler runs",
        "look at its pods: kubectl get pods -n hyperscout-system",
    ),
    (
        lease(renewTime=OLD),
        f"pod-1 renewed the Lease {SCHEDULER} 3 h ago: hyperscout-scheduler hangs",
        "look at its log, then start it anew: "
        "kubectl rollout restart -n hyperscout-system deployment/hyperscout-scheduler",
    ),
    (two_write, "beside 1 HyperNodes of hyperscout there are 1 of ufm", "take them over with the setting adopt"),
    (forbids(CONFIG_MAPS), "ConfigMaps of volcano-system are not for us to read", "who may list configmaps there"),
    (configured("scheduler", "tiers: []"), "lacks the plugin network-topology-aware", "add `- name: "),
    (
        configured("controller", "networkTopologyDiscovery: [{source: ufm, enabled: true}]"),
        "Volcano discovers HyperNodes itself (ufm)",
        "disable it in ConfigMap",
    ),
    (holds("/api/v1/nodes", named("n1", "n2", "n3")), "1 of 3 Nodes have no NodeReport", "look at those that do not"),
    (holds("/api/v1/nodes", named("n1")), "1 of 2 NodeReports are of no Node", "give the agent its Node's name"),
    (holds(NODE_REPORTS, {}), "no node has reported yet", "look at the agents: kubectl get pods"),
    (
        holds(NODE_REPORTS, named("n1", "n2", spec={"heartbeat": OLD})),
        "2 of 2 NodeReports are old",
        "look at the agents there",
    ),
    (holds(SWEEPS, {}), "no fabric has been swept yet", "look at the sweepers"),
    (
        sweep(HELD, outcome="Partial", end="2026-03-01T11:56:00Z", reasons=["a; b"]),
        "the last sweep of ib is Partial: a; b",
        "docs/infiniband.md and docs/switches.md say what makes a sweep so; look at the log of its sweeper, too",
    ),
    (
        sweep({}, outcome="Failed", end=OLD),
        "the last sweep of ib is Failed: no reason",
        "no sweeper holds its Lease; if it is gone: kubectl delete sweepreport ib",
    ),
    (sweep(HELD, outcome="Complete", end=OLD), "the last sweep of ib is 3 h old", "look at the log of its sweeper"),
    (sweep({}, outcome="Complete"), "the last sweep of ib never ended", "no sweeper holds its Lease; if it is gone"),
]
"""What is changed, what is found of it, and the advice: each finding that there is has a line of its own."""


@pytest.mark.parametrize(("change", "what", "advice"), AMISS)
async def test_what_is_amiss_comes_with_what_to_do(cluster: Scripted, change: Change, what: str, advice: str) -> None:
    change(cluster)
    told = [one.sentence for one in await findings(cluster) if one.state != FINE]
    assert told
    for sentence in told:
        _, found, rest = sentence.partition(what)
        assert (bool(found), advice in rest) == (True, True), sentence


def calls(*names: str) -> list[tuple[str, ast.Call]]:
    """Where the doctor calls functions of these names."""
    return [
        (path.stem, node)
        for path in sorted((ROOT / "cli" / "doctor").glob("*.py"))
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
    ]


def test_every_finding_that_can_be_made_has_advice_and_is_made_above() -> None:
    made = calls("wrong", "unknown")
    assert 20 < len(made) <= len(AMISS)
    for module, call in made:
        where = f"cli/doctor/{module}.py:{call.lineno}: give the advice as the third argument"
        assert (len(call.args), call.keywords) == (3, []), where
        assert not isinstance(call.args[2], ast.Constant) or str(call.args[2].value).strip(), where


def test_findings_are_made_in_no_other_way() -> None:
    assert [module for module, _ in calls("Finding")] == ["finding"] * 3
