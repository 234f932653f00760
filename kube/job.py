"""Job (batch/v1): what it does when one of its pods is disrupted. Source: `batch/v1/types.go`."""

from __future__ import annotations

from kube.meta import ObjectMeta, Wire


class OnExitCodes(Wire, frozen=True, kw_only=True):
    """Matches a pod by the exit code of a container that failed; operator is In or NotIn."""

    container_name: str = ""
    operator: str = ""
    values: tuple[int, ...] = ()


class OnPodCondition(Wire, frozen=True, kw_only=True):
    """Matches a pod by one of its conditions."""

    type: str
    status: str = "True"


class PodFailureRule(Wire, frozen=True, kw_only=True):
    """What is done (FailJob, FailIndex, Ignore, Count) with a failed pod that matches one of the two."""

    action: str
    on_exit_codes: OnExitCodes | None = None
    on_pod_conditions: tuple[OnPodCondition, ...] | None = None
    """Some servers write null for none."""


class PodFailurePolicy(Wire, frozen=True, kw_only=True):
    """The first rule that matches a failed pod decides."""

    rules: tuple[PodFailureRule, ...] = ()


class JobSpec(Wire, frozen=True, kw_only=True):
    """Without a policy every failed pod counts against the back-off limit."""

    pod_failure_policy: PodFailurePolicy | None = None


class Job(Wire, frozen=True, kw_only=True):
    """One Job."""

    metadata: ObjectMeta = ObjectMeta()
    spec: JobSpec = JobSpec()
