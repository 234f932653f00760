"""Pod, as placement needs it. Source: `core/v1/types.go`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from kube.affinity import Affinity, Toleration, TopologySpreadConstraint
from kube.meta import ObjectMeta, Wire


class ResourceRequirements(Wire, frozen=True, kw_only=True):
    """Quantities as they are written ("500m", "64Gi")."""

    requests: Mapping[str, str] = {}
    limits: Mapping[str, str] = {}


class ContainerPort(Wire, frozen=True, kw_only=True):
    """A port; host_port 0 asks nothing of the node."""

    host_port: int = 0
    container_port: int = 0
    protocol: str = "TCP"
    host_ip: str = msgspec.field(name="hostIP", default="")


class Container(Wire, frozen=True, kw_only=True):
    """A container; an init container with restart_policy Always is a sidecar and keeps its resources."""

    name: str
    image: str = ""
    resources: ResourceRequirements = ResourceRequirements()
    ports: tuple[ContainerPort, ...] = ()
    restart_policy: str = ""


class ClaimSource(Wire, frozen=True, kw_only=True):
    """The PersistentVolumeClaim of a volume."""

    claim_name: str


class Volume(Wire, frozen=True, kw_only=True):
    """A volume, as far as it can bind a pod to nodes: the sources that can not are left out."""

    name: str = ""
    persistent_volume_claim: ClaimSource | None = None
    ephemeral: Mapping[str, Any] | None = None
    csi: Mapping[str, Any] | None = None
    gce_persistent_disk: Mapping[str, Any] | None = msgspec.field(name="gcePersistentDisk", default=None)
    aws_elastic_block_store: Mapping[str, Any] | None = msgspec.field(name="awsElasticBlockStore", default=None)
    azure_disk: Mapping[str, Any] | None = None
    iscsi: Mapping[str, Any] | None = None
    rbd: Mapping[str, Any] | None = None


class SchedulingGate(Wire, frozen=True, kw_only=True):
    """Somebody holds the pod back until the gate is removed."""

    name: str


class PodResourceClaim(Wire, frozen=True, kw_only=True):
    """A device claim (dynamic resource allocation)."""

    name: str


class PodSpec(Wire, frozen=True, kw_only=True):
    """What a pod asks for."""

    scheduler_name: str = "default-scheduler"
    node_name: str = ""
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    resources: ResourceRequirements | None = None
    overhead: Mapping[str, str] = {}
    node_selector: Mapping[str, str] = {}
    affinity: Affinity | None = None
    tolerations: tuple[Toleration, ...] = ()
    topology_spread_constraints: tuple[TopologySpreadConstraint, ...] = ()
    scheduling_gates: tuple[SchedulingGate, ...] = ()
    resource_claims: tuple[PodResourceClaim, ...] = ()
    volumes: tuple[Volume, ...] = ()
    host_network: bool = False
    priority: int = 0
    priority_class_name: str = ""
    preemption_policy: str = ""


class PodCondition(Wire, frozen=True, kw_only=True):
    """Like a metav1.Condition, with a probe time."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    last_probe_time: datetime | None = None
    last_transition_time: datetime | None = None


class ContainerStatus(Wire, frozen=True, kw_only=True):
    """What a running container really holds: in-place resize makes it differ from the spec."""

    name: str
    allocated_resources: Mapping[str, str] = {}
    resources: ResourceRequirements | None = None


class PodStatus(Wire, frozen=True, kw_only=True):
    """How far a pod has come."""

    phase: str = "Pending"
    reason: str = ""
    message: str = ""
    conditions: tuple[PodCondition, ...] = ()
    nominated_node_name: str = ""
    container_statuses: tuple[ContainerStatus, ...] = ()


class Pod(Wire, frozen=True, kw_only=True):
    """One pod."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    def condition(self, type_: str) -> PodCondition | None:
        return next((condition for condition in self.status.conditions if condition.type == type_), None)

    @property
    def finished(self) -> bool:
        """Its containers have ended for good: it holds no resources any more."""
        return self.status.phase in ("Succeeded", "Failed")
