"""Objects as an API server writes them, read into the structs that hold what is used."""

from __future__ import annotations

import msgspec
import pytest

from kube.meta import ObjectList
from kube.types import (
    HYPER_NODES,
    NODE_REPORTS,
    NODES,
    POD_GROUPS,
    PODS,
    HyperNode,
    Node,
    NodeReportObject,
    Pod,
    PodGroup,
)

POD = b"""{"apiVersion":"v1","kind":"Pod","metadata":{"name":"w-0","namespace":"ml","uid":"u1","resourceVersion":"7",
"creationTimestamp":"2026-01-02T03:04:05Z","managedFields":[{"manager":"x"}],
"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"w","uid":"j","controller":true,"blockOwnerDeletion":true}]},
"spec":{"schedulerName":"hyperscout","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"500m"}},
"ports":[{"containerPort":80,"hostPort":80,"hostIP":"10.0.0.1","protocol":"TCP"}]}],
"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
{"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}]}}},
"volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"data"}},{"name":"e","emptyDir":{}}],
"tolerations":[{"operator":"Exists"}],"priority":5},"status":{"phase":"Pending","conditions":[
{"type":"PodScheduled","status":"False","lastProbeTime":null,"lastTransitionTime":"2026-01-02T03:04:05Z"}]}}"""


def test_a_pod_keeps_what_placement_needs() -> None:
    pod = msgspec.json.decode(POD, type=Pod)
    assert str(pod.metadata.key) == "ml/w-0"
    assert pod.metadata.owner_references[0].controller
    assert pod.spec.containers[0].resources.requests == {"cpu": "500m"}
    assert pod.spec.containers[0].ports[0].host_ip == "10.0.0.1"
    assert pod.spec.volumes[0].persistent_volume_claim is not None
    assert pod.spec.affinity is not None
    assert pod.spec.affinity.node_affinity is not None
    assert pod.spec.affinity.node_affinity.required is not None
    assert pod.spec.affinity.node_affinity.required.node_selector_terms[0].match_fields[0].values == ("n1",)
    assert pod.spec.tolerations[0].operator == "Exists"
    condition = pod.condition("PodScheduled")
    assert condition is not None
    assert condition.status == "False"


def test_a_node_keeps_taints_and_allocatable() -> None:
    node = msgspec.json.decode(
        b'{"metadata":{"name":"n1"},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]},'
        b'"status":{"allocatable":{"cpu":"8"},"conditions":[{"type":"Ready","status":"True"}]}}',
        type=Node,
    )
    assert node.spec.taints[0].value == ""
    assert node.status.allocatable["cpu"] == "8"
    ready = node.condition("Ready")
    assert ready is not None
    assert ready.status == "True"


def test_a_foreign_hyper_node_is_read_whole() -> None:
    node = msgspec.json.decode(
        b'{"metadata":{"name":"s0"},"spec":{"tier":2,"members":[{"type":"Node","selector":{"regexMatch":{"pattern":"^a"}}},'
        b'{"type":"Node","selector":{"labelMatch":{"matchLabels":{"rack":"1"}}}}]}}',
        type=HyperNode,
    )
    patterns = [member.selector.regex_match for member in node.spec.members]
    assert patterns[0] is not None
    assert patterns[0].pattern == "^a"
    labels = node.spec.members[1].selector.label_match
    assert labels is not None
    assert labels.match_labels == {"rack": "1"}


def test_a_pod_group_tells_its_topology() -> None:
    group = msgspec.json.decode(
        b'{"metadata":{"name":"g","namespace":"ml"},"spec":{"minMember":18,"minResources":{"cpu":4},'
        b'"networkTopology":{"mode":"hard","highestTierAllowed":1}},"status":{"phase":"Pending","conditions":'
        b'[{"type":"Unschedulable","status":"True","transitionID":"t"}]}}',
        type=PodGroup,
    )
    assert group.spec.network_topology is not None
    assert group.spec.network_topology.highest_tier_allowed == 1
    assert group.status.conditions[0].transition_id == "t"


def test_a_report_is_metadata_around_the_evidence() -> None:
    report = msgspec.json.decode(
        b'{"metadata":{"name":"n1"},"spec":{"ports":[{"device":"mlx5_0","port":1,"verdict":"Up"}]}}',
        type=NodeReportObject,
    )
    assert report.spec.ports[0].device == "mlx5_0"


def test_a_list_without_items_may_say_null() -> None:
    page = msgspec.json.decode(
        b'{"metadata":{"continue":"c","resourceVersion":"9"},"items":null}', type=ObjectList[Node]
    )
    assert page.items is None
    assert page.metadata.continue_ == "c"


def test_paths_follow_group_and_scope() -> None:
    assert NODES.object_path("n1") == "/api/v1/nodes/n1"
    assert PODS.collection_path() == "/api/v1/pods"
    assert PODS.object_path("w-0", "ml", "binding") == "/api/v1/namespaces/ml/pods/w-0/binding"
    assert (
        HYPER_NODES.object_path("s0", subresource="status") == "/apis/topology.volcano.sh/v1alpha1/hypernodes/s0/status"
    )
    assert POD_GROUPS.collection_path("ml") == "/apis/scheduling.volcano.sh/v1beta1/namespaces/ml/podgroups"
    assert NODE_REPORTS.api_version == "hyperscout.io/v1alpha1"


def test_a_namespace_must_fit_the_scope() -> None:
    with pytest.raises(ValueError, match="needs a namespace"):
        PODS.object_path("w-0")
    with pytest.raises(ValueError, match="cluster-scoped"):
        NODES.object_path("n1", "ml")
