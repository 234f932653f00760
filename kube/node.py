"""Node, as placement and the controller need it. Source: `core/v1/types.go`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from kube.meta import ObjectMeta, Wire


class Taint(Wire, frozen=True, kw_only=True):
    """Keeps pods away that do not tolerate it."""

    key: str
    effect: str
    value: str = ""


class NodeSpec(Wire, frozen=True, kw_only=True):
    """What an administrator wants of a node."""

    unschedulable: bool = False
    taints: tuple[Taint, ...] = ()


class NodeCondition(Wire, frozen=True, kw_only=True):
    """Like a metav1.Condition, with a heartbeat."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    last_heartbeat_time: datetime | None = None
    last_transition_time: datetime | None = None


class NodeAddress(Wire, frozen=True, kw_only=True):
    """One address: type Hostname, InternalIP, ..."""

    type: str
    address: str


class NodeStatus(Wire, frozen=True, kw_only=True):
    """What a node's kubelet says of it; quantities as they are written ("500m", "64Gi")."""

    allocatable: Mapping[str, str] = {}
    conditions: tuple[NodeCondition, ...] = ()
    addresses: tuple[NodeAddress, ...] = ()


class Node(Wire, frozen=True, kw_only=True):
    """One machine of the cluster."""

    metadata: ObjectMeta = ObjectMeta()
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()

    def condition(self, type_: str) -> NodeCondition | None:
        return next((condition for condition in self.status.conditions if condition.type == type_), None)
