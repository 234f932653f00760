"""The built-in kinds that only the removal knows: what runs our processes."""

from __future__ import annotations

from kube.meta import LabelSelector, ObjectMeta, Wire
from kube.resources import Resource


class WorkloadSpec(Wire, frozen=True, kw_only=True):
    """What says which pods belong to it."""

    selector: LabelSelector = LabelSelector()


class WorkloadStatus(Wire, frozen=True, kw_only=True):
    """On how many nodes a DaemonSet is to run."""

    desired_number_scheduled: int = 0


class Workload(Wire, frozen=True, kw_only=True):
    """A Deployment or a DaemonSet; also the Scale that a Deployment answers with. Source: `apps/v1/types.go`."""

    metadata: ObjectMeta = ObjectMeta()
    spec: WorkloadSpec = WorkloadSpec()
    status: WorkloadStatus = WorkloadStatus()


DEPLOYMENTS = Resource("apps", "v1", "deployments", "Deployment", namespaced=True, type=Workload)
DAEMON_SETS = Resource("apps", "v1", "daemonsets", "DaemonSet", namespaced=True, type=Workload)
