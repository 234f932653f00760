"""Which pods may be evicted because they are made again at no cost, as KEP-3329 and the controllers say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from kube.job import Job
from kube.types import Pod
from scheduler.gangs import members_of
from scheduler.groups import Wishes
from scheduler.judging import lacks_only_places, partly_bound
from scheduler.recreation import job_of, obstacle
from tests.scheduler.objects import a_pod

IGNORE: dict[str, Any] = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def owned(api_version: str, kind: str, *, controller: bool = True) -> Pod:
    owner = {"apiVersion": api_version, "kind": kind, "name": "train", "uid": "uid-train", "controller": controller}
    metadata = {"name": "w-0", "namespace": "ml", "uid": "uid-w-0", "ownerReferences": [owner]}
    return msgspec.convert({"metadata": metadata, "spec": {}}, Pod)


def a_job(*rules: dict[str, Any], **metadata: str) -> Job:
    policy = {"podFailurePolicy": {"rules": list(rules)}} if rules else {}
    named = {"name": "train", "namespace": "ml", "uid": "uid-train", **metadata}
    return msgspec.convert({"metadata": named, "spec": policy}, Job)


def on_exit(operator: str, *values: int, action: str = "FailJob") -> dict[str, Any]:
    return {"action": action, "onExitCodes": {"operator": operator, "values": list(values)}, "onPodConditions": None}


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("apps/v1", "ReplicaSet"),
        ("apps/v1", "StatefulSet"),
        ("batch.volcano.sh/v1alpha1", "Job"),
        ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"),
    ],
)
def test_controllers_that_make_pods_again_and_count_nothing(api_version: str, kind: str) -> None:
    pod = owned(api_version, kind)
    assert job_of(pod) is None
    assert obstacle(pod, None) is None


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [("kubeflow.org/v1", "PyTorchJob"), ("apps/v1", "DaemonSet"), ("v1", "ReplicationController"), ("x.io/v1", "Job"),
     ("x.io/v1", "ReplicaSet")],
)  # fmt: skip
def test_any_other_controller_keeps_its_pods(api_version: str, kind: str) -> None:
    assert "may count its loss" in (obstacle(owned(api_version, kind), None) or "")


def test_a_bare_pod_and_one_whose_owner_does_not_manage_it_stay() -> None:
    assert obstacle(a_pod("w-0"), None) == "pod ml/w-0 has no controller that makes it again"
    assert "no controller" in (obstacle(owned("apps/v1", "ReplicaSet", controller=False), None) or "")


@pytest.mark.parametrize(
    "rules",
    [
        (IGNORE,),
        ({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},),
        (on_exit("In", 42), IGNORE),  # the example of Kubernetes' documentation
        (on_exit("NotIn", 137, 143), IGNORE),
        (on_exit("In", 143, action="Ignore"), IGNORE),
        ({"action": "FailJob", "onPodConditions": [{"type": "ConfigIssue"}]}, IGNORE),
    ],
)
def test_a_job_that_ignores_disruptions_loses_nothing(rules: tuple[dict[str, Any], ...]) -> None:
    pod = owned("batch/v1", "Job")
    assert str(job_of(pod)) == "ml/train"
    assert obstacle(pod, a_job(*rules)) is None


@pytest.mark.parametrize(
    "rules",
    [
        (),
        (on_exit("In", 42),),
        (on_exit("In", 143), IGNORE),
        (on_exit("NotIn", 0), IGNORE),
        (on_exit("NotIn", 143, action="Count"), IGNORE),
        (on_exit("Unheard", 1), IGNORE),
        ({**IGNORE, "action": "Count"},),
        ({**IGNORE, "action": "FailJob"}, IGNORE),
        ({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "False"}]},),
    ],
)
def test_a_job_that_counts_disruptions_keeps_its_pods(rules: tuple[dict[str, Any], ...]) -> None:
    assert "ignores DisruptionTarget" in (obstacle(owned("batch/v1", "Job"), a_job(*rules)) or "")


def test_a_job_that_cannot_be_read_or_is_another_one_keeps_its_pods() -> None:
    pod = owned("batch/v1", "Job")
    assert "cannot be read: forbidden" in (obstacle(pod, "forbidden") or "")
    assert "cannot be read" in (obstacle(pod, None) or "")
    assert "is gone" in (obstacle(pod, a_job(IGNORE, uid="another")) or "")
    assert "is gone" in (obstacle(pod, a_job(IGNORE, deletionTimestamp="2026-01-01T00:00:00Z")) or "")


def gang(*phases: str) -> list[Pod]:
    """Pods that are bound and in these phases; "Waiting" is not bound."""
    pods = []
    for index, phase in enumerate(phases):
        waits = phase == "Waiting"
        spec = {} if waits else {"nodeName": f"n{index}"}
        pods.append(a_pod(f"w-{index}", spec=spec, status={"phase": "Pending" if waits else phase}))
    return pods


@pytest.mark.parametrize(
    ("phases", "partly", "stuck"),
    [
        (("Running", "Running", "Running", "Waiting"), True, True),
        (("Running", "Running", "Waiting", "Waiting"), True, True),
        (("Running", "Running", "Waiting"), True, False),  # one pod is not there at all
        (("Running", "Running", "Running", "Failed"), True, False),
        (("Running", "Running", "Succeeded", "Succeeded"), False, False),  # it is finishing
        (("Running", "Running", "Running", "Running", "Waiting"), False, True),  # it stands
        (("Waiting", "Waiting", "Waiting", "Waiting"), False, True),  # nothing to release
    ],
)
def test_when_only_places_are_lacking(phases: tuple[str, ...], partly: bool, stuck: bool) -> None:
    pods, wishes = gang(*phases), Wishes(min_member=4)
    members = members_of(pods, {})
    assert partly_bound(wishes, members, pods) is partly
    assert lacks_only_places(wishes, members, pods, NOON) is stuck


def test_a_pod_that_is_still_ending_in_its_time_may_leave_its_place() -> None:
    pods = gang("Running", "Running", "Running", "Waiting", "Running")
    ending = msgspec.structs.replace(pods[4].metadata, deletion_timestamp=NOON)
    pods[4] = msgspec.structs.replace(pods[4], metadata=ending)
    wishes, members = Wishes(min_member=4), members_of(pods, {})
    assert not lacks_only_places(wishes, members, pods, NOON - timedelta(seconds=1))
    assert lacks_only_places(wishes, members, pods, NOON + timedelta(seconds=1))
