"""Who makes a pod again after its eviction, and whether that costs its owner nothing.

An eviction is a delete. It is harmless where a controller makes the pod again and does not count the loss: a
ReplicaSet, a StatefulSet, a VolcanoJob, a LeaderWorkerSet, or a Job whose podFailurePolicy ignores pods with the
condition DisruptionTarget, which every evicted pod gets (KEP-3329). Whatever else made a pod, or nobody, it stays.
"""

from __future__ import annotations

from kube.job import Job, OnExitCodes
from kube.resources import JOBS
from kube.types import Key, OwnerReference, Pod

WITHOUT_PENALTY = frozenset(
    {
        ("apps", "ReplicaSet"),
        ("apps", "StatefulSet"),
        ("batch.volcano.sh", "Job"),
        ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"),
    }
)
"""Group and kind of the controllers that make a lost pod again and count nothing."""
DISRUPTION_TARGET = "DisruptionTarget"
KILLED = frozenset({137, 143})
"""Exit codes of a container that was ended by SIGKILL or SIGTERM, as an eviction does it."""


def controller_of(pod: Pod) -> OwnerReference | None:
    """The one owner that manages the pod."""
    return next((owner for owner in pod.metadata.owner_references if owner.controller), None)


def job_of(pod: Pod) -> Key | None:
    """The Job (batch/v1) that manages the pod and must be read before it can be judged; None where another does."""
    owner = controller_of(pod)
    if owner is None or (_group(owner), owner.kind) != (JOBS.group, JOBS.kind):
        return None
    return Key(pod.metadata.namespace, owner.name)


def obstacle(pod: Pod, job: Job | str | None) -> str | None:
    """Why the pod must not be evicted; None when it may. `job`: what `job_of` names, or why it could not be read."""
    owner, name = controller_of(pod), pod.metadata.key
    if owner is None:
        return f"pod {name} has no controller that makes it again"
    if (_group(owner), owner.kind) in WITHOUT_PENALTY:
        return None
    if job_of(pod) is None:
        return f"pod {name} belongs to {owner.kind} {owner.name} ({owner.api_version}), which may count its loss"
    if not isinstance(job, Job):
        return f"Job {owner.name} of pod {name} cannot be read: {job or 'it is not known'}"
    if job.metadata.uid != owner.uid or job.metadata.deleting:
        return f"Job {owner.name} of pod {name} is gone"
    if not ignores_disruption(job):
        return f"Job {owner.name} of pod {name} has no podFailurePolicy that ignores {DISRUPTION_TARGET}"
    return None


def ignores_disruption(job: Job) -> bool:
    """Whether the first rule that an evicted pod matches ignores it.

    A rule before it on exit codes is taken to match when it would match a container that was killed.
    """
    policy = job.spec.pod_failure_policy
    for rule in policy.rules if policy is not None else ():
        stated = rule.on_pod_conditions or ()
        if any((one.type, one.status) == (DISRUPTION_TARGET, "True") for one in stated):
            return rule.action == "Ignore"
        if rule.action != "Ignore" and rule.on_exit_codes is not None and _matches_killed(rule.on_exit_codes):
            return False
    return False


def _matches_killed(codes: OnExitCodes) -> bool:
    if codes.operator == "In":
        return not KILLED.isdisjoint(codes.values)
    return codes.operator != "NotIn" or not KILLED.issubset(codes.values)


def _group(owner: OwnerReference) -> str:
    return owner.api_version.rpartition("/")[0]
