"""Where each type lives in the API: one `Resource` value a kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import quote

from kube.hypernode import HyperNode
from kube.job import Job
from kube.meta import Object
from kube.node import Node
from kube.pod import Pod
from kube.podgroup import PodGroup, VolcanoJob
from kube.records import ConfigMap, Event, Lease
from kube.reports import NodeReportObject, SweepReportObject, SwitchReportObject
from kube.storage import CsiNode, PersistentVolume, PersistentVolumeClaim

T = TypeVar("T", bound=Object)


@dataclass(frozen=True, slots=True)
class Resource(Generic[T]):
    """One kind: its group, version, plural and scope, and the struct its objects are decoded into."""

    group: str
    """"" is the core group."""
    version: str
    plural: str
    kind: str
    namespaced: bool
    type: type[T]

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def group_path(self) -> str:
        """The path of the group and version, for discovery."""
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"

    def collection_path(self, namespace: str = "") -> str:
        """The path of all objects of the kind: in one namespace, or everywhere when it is ""."""
        inside = f"/namespaces/{quote(namespace, safe='')}" if self.namespaced and namespace else ""
        return f"{self.group_path}{inside}/{self.plural}"

    def object_path(self, name: str, namespace: str = "", subresource: str = "") -> str:
        """The path of one object; ValueError when the namespace does not fit the scope."""
        if self.namespaced != bool(namespace):
            scope = "needs a namespace" if self.namespaced else f"is cluster-scoped, not in namespace {namespace!r}"
            raise ValueError(f"{self.kind} {name!r} {scope}")
        path = f"{self.collection_path(namespace)}/{quote(name, safe='')}"
        return f"{path}/{subresource}" if subresource else path


NODES = Resource("", "v1", "nodes", "Node", namespaced=False, type=Node)
PODS = Resource("", "v1", "pods", "Pod", namespaced=True, type=Pod)
EVENTS = Resource("", "v1", "events", "Event", namespaced=True, type=Event)
CONFIG_MAPS = Resource("", "v1", "configmaps", "ConfigMap", namespaced=True, type=ConfigMap)
LEASES = Resource("coordination.k8s.io", "v1", "leases", "Lease", namespaced=True, type=Lease)
CLAIMS = Resource(
    "", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", namespaced=True, type=PersistentVolumeClaim
)
VOLUMES = Resource("", "v1", "persistentvolumes", "PersistentVolume", namespaced=False, type=PersistentVolume)
CSI_NODES = Resource("storage.k8s.io", "v1", "csinodes", "CSINode", namespaced=False, type=CsiNode)
HYPER_NODES = Resource("topology.volcano.sh", "v1alpha1", "hypernodes", "HyperNode", namespaced=False, type=HyperNode)
POD_GROUPS = Resource("scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup", namespaced=True, type=PodGroup)
JOBS = Resource("batch", "v1", "jobs", "Job", namespaced=True, type=Job)
VOLCANO_JOBS = Resource("batch.volcano.sh", "v1alpha1", "jobs", "Job", namespaced=True, type=VolcanoJob)
NODE_REPORTS = Resource(
    "hyperscout.io", "v1alpha1", "nodereports", "NodeReport", namespaced=False, type=NodeReportObject
)
SWITCH_REPORTS = Resource(
    "hyperscout.io", "v1alpha1", "switchreports", "SwitchReport", namespaced=False, type=SwitchReportObject
)
SWEEP_REPORTS = Resource(
    "hyperscout.io", "v1alpha1", "sweepreports", "SweepReport", namespaced=False, type=SweepReportObject
)
