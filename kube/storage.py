"""Volumes as far as they bind pods to nodes. Sources: `core/v1/types.go`, `storage/v1/types.go`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from kube.affinity import NodeSelector
from kube.meta import ObjectMeta, Wire


class ClaimSpec(Wire, frozen=True, kw_only=True):
    """volume_name is empty until the claim is bound."""

    volume_name: str = ""
    access_modes: tuple[str, ...] = ()


class ClaimStatus(Wire, frozen=True, kw_only=True):
    """Phase: Pending, Bound, Lost."""

    phase: str = ""


class PersistentVolumeClaim(Wire, frozen=True, kw_only=True):
    """A pod's claim to a volume."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ClaimSpec = ClaimSpec()
    status: ClaimStatus = ClaimStatus()


class CsiSource(Wire, frozen=True, kw_only=True):
    """A volume of a CSI driver."""

    driver: str = ""


class VolumeNodeAffinity(Wire, frozen=True, kw_only=True):
    """From which nodes a volume can be reached."""

    required: NodeSelector | None = None


class VolumeSpec(Wire, frozen=True, kw_only=True):
    """What the volume is; the sources that attach a disk to one node are kept to be refused."""

    csi: CsiSource | None = None
    node_affinity: VolumeNodeAffinity | None = None
    gce_persistent_disk: Mapping[str, Any] | None = msgspec.field(name="gcePersistentDisk", default=None)
    aws_elastic_block_store: Mapping[str, Any] | None = msgspec.field(name="awsElasticBlockStore", default=None)
    azure_disk: Mapping[str, Any] | None = None
    cinder: Mapping[str, Any] | None = None
    vsphere_volume: Mapping[str, Any] | None = None
    iscsi: Mapping[str, Any] | None = None
    rbd: Mapping[str, Any] | None = None


class PersistentVolume(Wire, frozen=True, kw_only=True):
    """A volume of the cluster."""

    metadata: ObjectMeta = ObjectMeta()
    spec: VolumeSpec = VolumeSpec()


class DriverLimit(Wire, frozen=True, kw_only=True):
    """How many volumes of a driver a node can attach; None: as many as one likes."""

    count: int | None = None


class NodeDriver(Wire, frozen=True, kw_only=True):
    """One CSI driver on one node."""

    name: str
    allocatable: DriverLimit | None = None


class CsiNodeSpec(Wire, frozen=True, kw_only=True):
    """The CSI drivers on a node."""

    drivers: tuple[NodeDriver, ...] = ()


class CsiNode(Wire, frozen=True, kw_only=True):
    """What the CSI drivers of a node say."""

    metadata: ObjectMeta = ObjectMeta()
    spec: CsiNodeSpec = CsiNodeSpec()
