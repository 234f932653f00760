"""What the scheduler follows of the cluster."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Self

from kube.cache import Cache
from kube.client import Client
from kube.podgroup import VolcanoJob
from kube.resources import CLAIMS, CSI_NODES, VOLCANO_JOBS, VOLUMES
from kube.storage import CsiNode, PersistentVolume, PersistentVolumeClaim
from kube.types import HYPER_NODES, NODES, POD_GROUPS, PODS, HyperNode, Node, Pod, PodGroup
from scheduler.claims import Storage


@dataclass(frozen=True, slots=True)
class Caches:
    """One cache a kind. Kinds that the server does not know count as empty."""

    pods: Cache[Pod]
    nodes: Cache[Node]
    hyper_nodes: Cache[HyperNode]
    pod_groups: Cache[PodGroup]
    jobs: Cache[VolcanoJob]
    claims: Cache[PersistentVolumeClaim]
    volumes: Cache[PersistentVolume]
    drivers: Cache[CsiNode]

    @classmethod
    def of(cls, client: Client) -> Self:
        """Caches of a server, not yet running."""
        return cls(
            Cache(client, PODS),
            Cache(client, NODES),
            Cache(client, HYPER_NODES),
            Cache(client, POD_GROUPS),
            Cache(client, VOLCANO_JOBS),
            Cache(client, CLAIMS),
            Cache(client, VOLUMES),
            Cache(client, CSI_NODES),
        )

    @property
    def storage(self) -> Storage:
        """Those that a pod's volumes are judged by."""
        return Storage(self.claims, self.volumes, self.drivers)

    def all(self) -> tuple[Cache[Any], ...]:
        """Each of them."""
        placement = (self.pods, self.nodes, self.hyper_nodes, self.pod_groups, self.jobs)
        return (*placement, self.claims, self.volumes, self.drivers)

    async def synced(self) -> None:
        """Wait until each has read its whole list once."""
        await asyncio.gather(*(cache.synced.wait() for cache in self.all()))
