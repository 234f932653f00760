"""Whatever owns whatever, and in whichever order it is deleted: it ends, and nothing is left that should be gone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kube.embedded import deleting
from kube.embedded.cluster import Cluster, Located
from kube.embedded.kinds import BUILT_IN, Catalogue, JsonObject
from kube.embedded.requests import Policy
from kube.embedded.store import History, Store

CONFIGS = next(kind for kind in BUILT_IN if kind.kind == "ConfigMap")
NAMES = st.integers(0, 5)
POLICIES: tuple[Policy | None, ...] = (None, "Background", "Foreground", "Orphan")


def at(name: int) -> Located:
    """Where an object of the tests stands."""
    return Located(CONFIGS, ("default", str(name)))


def cluster_of(owners: dict[int, set[int]], blocking: set[int], held: set[int]) -> Cluster:
    """Six objects with these owners; those of `blocking` block them, those of `held` have a finalizer."""
    cluster = Cluster(Store(History()), Catalogue())
    for name in range(6):
        metadata: JsonObject = {"name": str(name), "namespace": "default", "uid": f"uid-{name}"}
        references = [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": str(owner), "uid": f"uid-{owner}"}
            | {"blockOwnerDeletion": name in blocking}
            for owner in sorted(owners.get(name, ()))
        ]
        metadata |= {"ownerReferences": references} if references else {}
        metadata |= {"finalizers": ["x.test/held"]} if name in held else {}
        cluster.put(CONFIGS, at(name).key, {"metadata": metadata})
    return cluster


def left(cluster: Cluster) -> dict[str, JsonObject]:
    """The metadata of all objects."""
    objects = cluster.store.shelf(CONFIGS.resource).in_order(None)
    return {stored.key[1]: stored.decode()["metadata"] for stored in objects}


@given(
    owners=st.dictionaries(NAMES, st.sets(NAMES, max_size=3)),
    blocking=st.sets(NAMES),
    held=st.sets(NAMES),
    asked=st.lists(st.tuples(NAMES, st.sampled_from(POLICIES)), max_size=4),
)
def test_deletions_end_and_leave_nothing_half_done(
    owners: dict[int, set[int]], blocking: set[int], held: set[int], asked: list[tuple[int, Policy | None]]
) -> None:
    cluster = cluster_of(owners, blocking, held)
    for name, policy in asked:
        if cluster.get(at(name)) is not None:
            deleting.delete(cluster, at(name), policy)
    found = left(cluster)
    for metadata in found.values():
        assert "deletionTimestamp" not in metadata or metadata["finalizers"], "what nothing holds is gone"
        names = {reference["name"] for reference in metadata.get("ownerReferences", ())}
        assert "deletionTimestamp" in metadata or names <= found.keys(), "nobody hangs on what is gone"
    for name in held:
        assert str(name) in found, "a finalizer holds"
    unasked = {str(name) for name in range(6) if not owners.get(name)} - {str(name) for name, _ in asked}
    assert unasked <= found.keys(), "what has no owner and was not asked for stays"
