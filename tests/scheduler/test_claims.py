"""Volumes: a bound claim is accepted with its volume's reach, everything else is refused by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

import msgspec
import pytest

from kube.storage import CsiNode, PersistentVolume, PersistentVolumeClaim
from kube.types import Key, Object
from scheduler.claims import Storage, VolumeNeeds
from scheduler.kernel.requirements import Expression, NodeSelector, Term
from tests.scheduler.objects import a_pod

T = TypeVar("T", bound=Object)


class Table(Generic[T]):
    """Objects by key."""

    def __init__(self, kind: type[T], *bodies: dict[str, Any]) -> None:
        self._items = {one.metadata.key: one for one in (msgspec.convert(body, kind) for body in bodies)}

    def get(self, key: Key) -> T | None:
        return self._items.get(key)

    def values(self) -> Iterable[T]:
        return self._items.values()


def judged(
    claim: dict[str, Any] | None = None, volume: dict[str, Any] | None = None, limits: tuple[int | None, ...] = ()
) -> VolumeNeeds:
    """What a pod with the claim `data` needs; the claim is bound to the volume `pv` unless it says otherwise."""
    bound = {
        "metadata": {"name": "data", "namespace": "ml"},
        "spec": {"volumeName": "pv"},
        "status": {"phase": "Bound"},
    }
    driver = [{"name": "csi.example", "allocatable": {"count": limit} if limit else None} for limit in limits]
    storage = Storage(
        Table(PersistentVolumeClaim, bound | (claim or {})),
        Table(PersistentVolume, *([] if volume is None else [{"metadata": {"name": "pv"}, **volume}])),
        Table(CsiNode, {"metadata": {"name": "n1"}, "spec": {"drivers": driver}}),
    )
    return storage.needs_of(a_pod(spec={"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}))


def test_a_bound_claim_brings_the_reach_of_its_volume() -> None:
    expression = {"key": "rack", "operator": "In", "values": ["r1"]}
    reach = {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
    needs = judged(volume={"spec": {"csi": {"driver": "csi.example"}, "nodeAffinity": reach}}, limits=(None,))
    assert needs == VolumeNeeds((NodeSelector((Term((Expression("rack", "In", ("r1",)),)),)),))


def test_the_zone_of_a_volume_binds_its_pods() -> None:
    labels = {"name": "pv", "labels": {"topology.kubernetes.io/zone": "a__b"}}
    needs = judged(volume={"metadata": labels, "spec": {}})
    assert needs == VolumeNeeds(
        (NodeSelector((Term((Expression("topology.kubernetes.io/zone", "In", ("a", "b")),)),)),)
    )


@pytest.mark.parametrize(
    ("claim", "volume", "limits", "phrase"),
    [
        ({"metadata": {"name": "other", "namespace": "ml"}}, {}, (), "does not exist"),
        ({"status": {"phase": "Pending"}}, {}, (), "is not bound"),
        ({"spec": {"volumeName": "pv", "accessModes": ["ReadWriteOncePod"]}}, {}, (), "ReadWriteOncePod"),
        (None, None, (), "whose volume 'pv' does not exist"),
        (None, {"spec": {"rbd": {}}}, (), "a disk that is attached to nodes"),
        (None, {"spec": {"csi": {"driver": "csi.example"}}}, (25,), "csi.example, which limits attachments"),
    ],
)
def test_other_claims_are_refused_by_name(
    claim: dict[str, Any] | None, volume: dict[str, Any] | None, limits: tuple[int, ...], phrase: str
) -> None:
    [refused] = judged(claim, volume, limits).refused
    assert refused.startswith("claim 'data'")
    assert phrase in refused


def test_a_pod_without_claims_needs_nothing() -> None:
    storage = Storage(Table(PersistentVolumeClaim), Table(PersistentVolume), Table(CsiNode))
    assert storage.needs_of(a_pod()) == VolumeNeeds()
