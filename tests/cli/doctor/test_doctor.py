"""`hyperscout doctor`: each thing that can be amiss is told, and what to do; what may not be seen is never called fine.

Against a cluster that is whole it runs from the image, in `tests/deploy/image`.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
import yaml

from cli.doctor.accounts import EXPECTED
from cli.doctor.definitions import missing_fields
from cli.doctor.evidence import spelled
from cli.doctor.finding import FINE, UNKNOWN, WRONG
from tests.architecture.sources import ROOT
from tests.cli.doctor.scripted import (
    ADMISSION,
    ALL_LEASES,
    CONFIG_MAPS,
    DEFINITIONS,
    LEASES,
    ON_NODES,
    OURS,
    VOLCANO,
    Json,
    Scripted,
    findings,
    named,
    the_finding,
)

TOPICS = re.findall(
    r"^\| `(\w+)` \|", (ROOT / "docs/reference/doctor-json.md").read_text().partition("| topic |")[2], re.M
)
"""As they are documented, in their order."""


async def test_a_cluster_that_is_as_it_should_be(cluster: Scripted) -> None:
    cluster.collections[f"{VOLCANO}/hypernodes"]["leaf-a"]["metadata"]["labels"] = {
        "volcano.sh/network-topology-source": "hyperscout"
    }
    found = await findings(cluster)
    assert {one.state for one in found} == {FINE}
    assert list(dict.fromkeys(one.topic for one in found)) == TOPICS


async def test_an_old_kubernetes(cluster: Scripted) -> None:
    cluster.version = "v1.29.9"
    assert "Kubernetes v1.29.9; 1.30 or newer" in await the_finding(cluster)


async def test_a_field_that_volcanos_definition_lacks_is_named(cluster: Scripted) -> None:
    present = cluster.collections[DEFINITIONS]["hypernodes.topology.volcano.sh"]
    del present["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["tierName"]
    said = await the_finding(cluster)
    assert said.startswith("hypernodes.topology.volcano.sh lacks spec.tierName; ")
    assert "upgrade Volcano" in said


async def test_a_definition_that_is_missing_comes_with_the_file_that_brings_it(cluster: Scripted) -> None:
    del cluster.collections[DEFINITIONS]["nodereports.hyperscout.io"]
    said = await the_finding(cluster)
    assert "nodereports.hyperscout.io is not installed" in said
    assert "; helm upgrade --install hyperscout-crds deploy/helm/hyperscout-crds, or " in said
    assert (ROOT / said.rpartition(" ")[2]).is_file()


def test_fields_are_looked_for_in_lists_and_maps_and_not_where_everything_is_kept() -> None:
    inner = {"type": "object", "properties": {"a": {}, "b": {}}}
    wanted = {"properties": {"list": {"items": inner}, "map": {"additionalProperties": inner}, "new": {}}}
    less = {"type": "object", "properties": {"a": {}}}
    present = {"properties": {"list": {"items": less}, "map": {"additionalProperties": less}}}
    assert list(missing_fields(wanted, present)) == ["list[].b", "map{}.b", "new"]
    assert list(missing_fields(wanted, {"x-kubernetes-preserve-unknown-fields": True})) == []
    assert list(missing_fields(wanted, wanted)) == []


async def test_rights_that_an_account_lacks_are_named(cluster: Scripted) -> None:
    cluster.refused = ("create events",)
    lacking = [one.sentence for one in await findings(cluster) if one.state == WRONG]
    assert [said.partition(" may not ")[0] for said in lacking] == [
        "hyperscout-system/hyperscout-controller",
        "hyperscout-system/hyperscout-scheduler",
    ]
    assert all("may not create events" in said for said in lacking)


async def test_a_policy_that_is_not_bound_counts_as_missing(cluster: Scripted) -> None:
    del cluster.collections[f"{ADMISSION}/validatingadmissionpolicybindings"]["hyperscout-agents"]
    assert "missing or not bound: hyperscout-agents;" in await the_finding(cluster)


def test_the_policies_that_are_looked_for_are_those_of_the_manifests() -> None:
    files = (ROOT / "deploy" / "kustomize" / "base" / "admission").glob("*.yaml")
    documents = [one for path in files for one in yaml.safe_load_all(path.read_text()) if one]
    names = {one["metadata"]["name"] for one in documents if one["kind"] == "ValidatingAdmissionPolicy"}
    assert names == {f"hyperscout-{name}" for name in EXPECTED}


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"holderIdentity": ""}, "nobody holds the Lease"),
        (
            {"renewTime": "2026-03-01T11:00:00.000000Z"},
            "Lease hyperscout-system/hyperscout-scheduler 60 min",
        ),
    ],
)
async def test_a_process_that_nobody_leads(cluster: Scripted, spec: Mapping[str, Any], said: str) -> None:
    lease = cluster.collections[LEASES]["hyperscout-scheduler"]
    cluster.collections[LEASES]["hyperscout-scheduler"] = lease | {"spec": {**lease["spec"], **spec}}
    assert said in await the_finding(cluster)


async def test_two_writers_of_hyper_nodes(cluster: Scripted) -> None:
    hyper_nodes = cluster.collections[f"{VOLCANO}/hypernodes"]
    for name, source in (("leaf-a", "hyperscout"), ("leaf-b", "ufm")):
        labels = {"volcano.sh/network-topology-source": source}
        hyper_nodes[name] = {"metadata": {"name": name, "labels": labels}}
    assert "beside 1 HyperNodes of hyperscout there are 1 of ufm" in await the_finding(cluster)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("volcano-scheduler-configmap", "actions: allocate\ntiers: [{plugins: [{name: gang}]}]", "lacks the plugin"),
        ("volcano-scheduler-configmap", "}{", "lacks the plugin"),
        ("x-controller-configmap", "networkTopologyDiscovery: [{source: ufm, enabled: true}]", "itself (ufm), beside"),
    ],
)
async def test_a_volcano_that_is_configured_otherwise(cluster: Scripted, name: str, text: str, said: str) -> None:
    cluster.collections[CONFIG_MAPS] = named(name, data={"any.conf": text})
    sentence = await the_finding(cluster)
    assert said in sentence
    assert name in sentence


async def test_a_volcano_that_is_configured_well(cluster: Scripted) -> None:
    maps = named("v-scheduler-configmap", data={"c": "tiers: [{plugins: [{name: network-topology-aware}]}]"})
    maps |= named("v-controller-configmap", data={"c": "networkTopologyDiscovery: [{source: ufm, enabled: false}]"})
    cluster.collections[CONFIG_MAPS] = maps
    assert {one.state for one in await findings(cluster)} == {FINE}


async def test_evidence_that_is_old(cluster: Scripted) -> None:
    cluster.collections["/api/v1/nodes"] |= named("n3")
    cluster.collections[f"{OURS}/nodereports"] |= named("n3", spec={"heartbeat": "2026-03-01T09:00:00Z"})
    assert "1 of 3 NodeReports are old: n3 (3 h)" in await the_finding(cluster)


async def test_nodes_without_a_report_and_reports_without_a_node(cluster: Scripted) -> None:
    cluster.collections["/api/v1/nodes"] = named("n1", "n3", "n4")
    said = [one.sentence for one in await findings(cluster) if one.state == WRONG]
    assert [one.partition(";")[0] for one in said] == [
        "2 of 3 Nodes have no NodeReport: n3, n4",
        "1 of 2 NodeReports are of no Node: n2",
    ]


async def test_nodes_on_which_no_agent_is_to_run_have_no_report_and_that_is_fine(cluster: Scripted) -> None:
    cluster.collections["/api/v1/nodes"] = named("cpu", "n1", "n2")
    agents = f"/apis/apps/v1{ON_NODES}/daemonsets"
    for wanted, state in ((2, FINE), (3, WRONG)):
        cluster.collections[agents] = named("hyperscout-agent", status={"desiredNumberScheduled": wanted})
        (told,) = [one for one in await findings(cluster) if "have no NodeReport" in one.sentence]
        assert (told.state, told.sentence.partition(";")[0]) == (state, "1 of 3 Nodes have no NodeReport: cpu")


@pytest.mark.parametrize(("renewed", "found"), [("2026-03-01T11:59:58.000000Z", 1), ("2026-03-01T11:00:00.000000Z", 0)])
async def test_who_leads_in_another_namespace_too(cluster: Scripted, renewed: str, found: int) -> None:
    lease = copy.deepcopy(cluster.collections[LEASES]["hyperscout-scheduler"])
    lease["metadata"]["namespace"] = "default"
    lease["spec"] |= {"holderIdentity": "a-shell", "renewTime": renewed}
    other = {"metadata": {"name": "others", "namespace": "default"}, "spec": lease["spec"]}
    cluster.collections[ALL_LEASES] = {"one": lease, "two": other}
    said = [one.sentence for one in await findings(cluster) if one.state == WRONG]
    assert said == ["a-shell leads by the Lease default/hyperscout-scheduler too; stop one of both"] * found


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"outcome": "Failed", "reasons": ["no adapter"]}, "is Failed: no adapter"),
        ({"outcome": "Complete", "end": "2026-02-27T12:00:00Z"}, "is 2 d old"),
        ({"outcome": "Complete"}, "never ended"),
    ],
)
async def test_a_sweep_that_does_not_go_well(cluster: Scripted, spec: Json, said: str) -> None:
    cluster.collections[f"{OURS}/sweepreports"] = named("ib", spec=spec)
    assert said in await the_finding(cluster)


@pytest.mark.parametrize(
    ("renewed", "remedy"),
    [
        ("2026-03-01T11:59:58.000000Z", "look at the log of its sweeper"),
        ("2026-02-27T12:00:00.000000Z", "no sweeper holds its Lease; if it is gone: kubectl delete sweepreport ib"),
        (None, "no sweeper holds its Lease; if it is gone: kubectl delete sweepreport ib"),
    ],
)
async def test_a_sweep_that_nobody_goes_on_with_is_told_from_one_that_hangs(
    cluster: Scripted, renewed: str | None, remedy: str
) -> None:
    spec = {"outcome": "Complete", "end": "2026-02-27T12:00:00Z"}
    cluster.collections[f"{OURS}/sweepreports"] = named("ib", spec=spec)
    lease = {"holderIdentity": "pod-1", "leaseDurationSeconds": 15, "renewTime": renewed}
    leases = named("hyperscout-sweeper-ib", spec=lease) if renewed else {}
    cluster.collections[f"/apis/coordination.k8s.io/v1{ON_NODES}/leases"] = leases
    assert await the_finding(cluster) == f"the last sweep of ib is 2 d old; {remedy}"


async def test_what_may_not_be_seen_is_unknown_and_hides_nothing_else(cluster: Scripted) -> None:
    cluster.forbidden = "validatingadmissionpolicies"
    found = await findings(cluster)
    assert [(one.topic, one.state) for one in found if one.state != FINE] == [("policies", UNKNOWN)]
    assert "not for you" in next(one.sentence for one in found if one.state == UNKNOWN)


def test_ages_are_told_in_the_unit_that_fits() -> None:
    seconds = (-5, 59, 120, 7199, 7200, 86400 * 2)
    assert [spelled(timedelta(seconds=one)) for one in seconds] == ["0 s", "59 s", "2 min", "119 min", "2 h", "2 d"]
