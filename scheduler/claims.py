"""The volumes of a pod: bound claims bring their volume's node affinity, everything else is refused by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from kube.storage import CsiNode, PersistentVolume, PersistentVolumeClaim
from kube.types import Key, Pod
from scheduler.kernel.requirements import Expression, NodeSelector, Term
from scheduler.pods import read_selector

ATTACHED = ("gce_persistent_disk", "aws_elastic_block_store", "azure_disk", "cinder", "vsphere_volume", "iscsi", "rbd")
"""Sources of a volume that one node holds at a time, or so many a node."""
ZONES = (
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
)
"""Labels of a volume that its node must carry too (kube-scheduler's VolumeZone); several values are joined by `__`."""


@dataclass(frozen=True, slots=True)
class VolumeNeeds:
    """What a pod's volumes ask of a node, and the claims that cannot be judged, one phrase each."""

    selectors: tuple[NodeSelector, ...] = ()
    refused: tuple[str, ...] = ()


T_co = TypeVar("T_co", covariant=True)


class Known(Protocol[T_co]):
    """Objects of a kind by key: what a cache is to this module."""

    def get(self, key: Key) -> T_co | None: ...

    def values(self) -> Iterable[T_co]: ...


@dataclass(frozen=True, slots=True)
class Storage:
    """The claims, volumes and drivers of the cluster."""

    claims: Known[PersistentVolumeClaim]
    volumes: Known[PersistentVolume]
    drivers: Known[CsiNode]

    def needs_of(self, pod: Pod) -> VolumeNeeds:
        """What the pod's claims ask for."""
        wanted = [one.persistent_volume_claim for one in pod.spec.volumes if one.persistent_volume_claim is not None]
        if not wanted:
            return VolumeNeeds()
        selectors: list[NodeSelector] = []
        refused: list[str] = []
        for source in wanted:
            volume = self._volume(Key(pod.metadata.namespace, source.claim_name))
            if isinstance(volume, str):
                refused.append(volume)
            else:
                selectors.extend(_selectors(volume))
        return VolumeNeeds(tuple(selectors), tuple(refused))

    def _volume(self, key: Key) -> PersistentVolume | str:
        """The volume of a claim, or why the claim is refused."""
        claim = self.claims.get(key)
        if claim is None:
            return f"claim {key.name!r}, which does not exist"
        if claim.status.phase != "Bound" or not claim.spec.volume_name:
            return f"claim {key.name!r}, which is not bound"
        if "ReadWriteOncePod" in claim.spec.access_modes:
            return f"claim {key.name!r} with ReadWriteOncePod"
        volume = self.volumes.get(Key("", claim.spec.volume_name))
        if volume is None:
            return f"claim {key.name!r}, whose volume {claim.spec.volume_name!r} does not exist"
        if any(getattr(volume.spec, kind) is not None for kind in ATTACHED):
            return f"claim {key.name!r} on a disk that is attached to nodes"
        if volume.spec.csi is not None and self._limited(volume.spec.csi.driver):
            return f"claim {key.name!r} of driver {volume.spec.csi.driver}, which limits attachments a node"
        return volume

    def _limited(self, driver: str) -> bool:
        return any(
            one.allocatable is not None and one.allocatable.count is not None
            for node in self.drivers.values()
            for one in node.spec.drivers
            if one.name == driver
        )


def _selectors(volume: PersistentVolume) -> Iterator[NodeSelector]:
    affinity = volume.spec.node_affinity
    if affinity is not None and affinity.required is not None:
        yield read_selector(affinity.required)
    labels = volume.metadata.labels
    zones = tuple(Expression(key, "In", tuple(labels[key].split("__"))) for key in ZONES if labels.get(key))
    if zones:
        yield NodeSelector((Term(zones),))
