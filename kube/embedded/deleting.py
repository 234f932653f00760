"""Deletion: what holds an object, and what goes with it.

Finalizers hold an object. Dependents go when their last owner is gone (Background), before it (Foreground), or are left
alone (Orphan). A namespace goes after all that is in it, a definition after all objects of its kind. In Kubernetes its
controllers do this a moment later; here it is done before the request is answered, by looking at one object after the
other until none is left whose turn has come. Sources: k8s.io/kubernetes pkg/controller/garbagecollector, and
k8s.io/apiserver pkg/registry/rest/delete.go.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from kube.embedded.cluster import Cluster, Located
from kube.embedded.kinds import DEFINITIONS, NAMESPACES, JsonObject, Kind, Resource
from kube.embedded.metadata import now_text
from kube.embedded.references import FOREGROUND, ORPHAN
from kube.embedded.requests import Policy
from kube.embedded.store import Stored

_MARKS: dict[str, list[str]] = {"Foreground": [FOREGROUND], "Orphan": [ORPHAN]}
_CONTAINERS = (NAMESPACES, DEFINITIONS)


@dataclass(frozen=True, slots=True)
class Asked:
    """What asking for a deletion came to: the object's state, and whether it was removed then and there."""

    stored: Stored
    removed: bool
    next: list[Located]
    """What to look at now."""


def delete(cluster: Cluster, where: Located, policy: Policy | None = None) -> Asked:
    """Ask for the deletion of an object that exists, and do all that follows from it."""
    asked = _ask(cluster, where, policy)
    settle(cluster, asked.next)
    return asked


def release(cluster: Cluster, where: Located) -> None:
    """Remove an object that is being deleted and that nothing holds any more."""
    settle(cluster, _remove(cluster, where))


def settle(cluster: Cluster, first: Iterable[Located]) -> None:
    """Look at these objects, and at whatever that changes, until nothing changes."""
    waiting = deque(first)
    while waiting:
        waiting.extend(_look(cluster, waiting.popleft()))


def is_released(kind: Kind, metadata: JsonObject) -> bool:
    """Whether an object is being deleted and no finalizer holds it; namespaces and definitions wait for more."""
    return "deletionTimestamp" in metadata and not metadata.get("finalizers") and kind.resource not in _CONTAINERS


def _ask(cluster: Cluster, where: Located, policy: Policy | None) -> Asked:
    live = cluster.get(where)
    assert live is not None
    value = live.decode()
    metadata = value["metadata"]
    before = metadata.get("finalizers", [])
    finalizers = before if policy is None else [name for name in before if name not in (FOREGROUND, ORPHAN)]
    finalizers = finalizers + _MARKS.get(policy or "", [])
    contains = where.kind.resource in _CONTAINERS
    if not finalizers and not contains:
        return Asked(live, True, _remove(cluster, where))
    if "deletionTimestamp" in metadata and finalizers == before:
        return Asked(live, False, [])
    _set_finalizers(metadata, finalizers)
    if "deletionTimestamp" not in metadata:
        metadata["deletionTimestamp"] = now_text()
        if not contains:
            metadata["deletionGracePeriodSeconds"] = 0
            metadata |= {"generation": metadata["generation"] + 1} if "generation" in metadata else {}
        if where.kind.resource == NAMESPACES:
            value["status"]["phase"] = "Terminating"
    return Asked(cluster.put(where.kind, where.key, value), False, [where])


def _look(cluster: Cluster, where: Located) -> list[Located]:
    """Do what the state of one object asks for; what to look at after that."""
    stored = cluster.get(where)
    if stored is None:
        return []
    value = stored.decode()
    if "deletionTimestamp" in value["metadata"]:
        return _carry_on(cluster, where, value)
    return _follow_owners(cluster, where, value)


def _carry_on(cluster: Cluster, where: Located, value: JsonObject) -> list[Located]:
    """Bring a deletion as far as it can be brought now."""
    metadata = value["metadata"]
    finalizers = metadata.get("finalizers", [])
    dependents = cluster.dependents(metadata["uid"])
    next_ones: list[Located] = []
    left = finalizers
    if ORPHAN in finalizers:
        for dependent in dependents:
            next_ones += _disown(cluster, dependent, {metadata["uid"]})
        left = [name for name in finalizers if name != ORPHAN]
    elif FOREGROUND in finalizers:
        if any(_blocks(cluster, dependent, metadata["uid"]) for dependent in dependents):
            return [dependent for dependent in dependents if not _is_going(cluster, dependent)]
        left = [name for name in finalizers if name != FOREGROUND]
    contents = list(_contents(cluster, where))
    for content in contents:
        next_ones += _ask(cluster, content, None).next
    if left or any(cluster.get(content) is not None for content in contents):
        if left != finalizers:
            _set_finalizers(metadata, left)
            cluster.put(where.kind, where.key, value)
        return next_ones
    return next_ones + _remove(cluster, where)


def _follow_owners(cluster: Cluster, where: Located, value: JsonObject) -> list[Located]:
    """Delete an object whose owners are all gone or wait for it; forget such owners where another one stays."""
    references = value["metadata"].get("ownerReferences", [])
    states = {reference["uid"]: _owner_state(cluster, where, reference) for reference in references}
    over = {uid for uid, state in states.items() if state != "stays"}
    if not over:
        return []
    if over != states.keys():
        return _disown(cluster, where, over)
    dependents = cluster.dependents(value["metadata"]["uid"])
    if "waits" not in states.values() or not dependents:
        return _ask(cluster, where, None).next
    freed: list[Located] = []
    if any(_is_going(cluster, dependent, FOREGROUND) for dependent in dependents):
        freed = _unblock(cluster, where, value)  # they may own each other in a circle
    return freed + _ask(cluster, where, "Foreground").next


def _owner_state(cluster: Cluster, where: Located, reference: JsonObject) -> Literal["stays", "waits", "gone"]:
    """Of a kind that is not served, and out of a namespace, nothing can be known, so the owner stays."""
    group, _, version = reference["apiVersion"].rpartition("/")
    kind = next((one for one in cluster.catalogue.of(group, version) if one.kind == reference["kind"]), None)
    if kind is None or (kind.namespaced and not where.key[0]):
        return "stays"
    owner = cluster.get(Located(kind, (where.key[0] if kind.namespaced else "", reference["name"])))
    metadata = owner.decode()["metadata"] if owner is not None else {}
    if metadata.get("uid") != reference["uid"]:
        return "gone"
    return "waits" if _marked(metadata, FOREGROUND) else "stays"


def _disown(cluster: Cluster, where: Located, owners: set[str]) -> list[Located]:
    """Take references out of a dependent; its owners may wait for that."""
    stored = cluster.get(where)
    assert stored is not None
    value = stored.decode()
    before = value["metadata"]["ownerReferences"]
    left = [reference for reference in before if reference["uid"] not in owners]
    value["metadata"]["ownerReferences"] = left
    if not left:
        del value["metadata"]["ownerReferences"]
    former = _owners(cluster, where, before)
    cluster.put(where.kind, where.key, value)
    return former


def _unblock(cluster: Cluster, where: Located, value: JsonObject) -> list[Located]:
    """Let no owner wait for this object; the owners."""
    references = value["metadata"]["ownerReferences"]
    for reference in references:
        reference["blockOwnerDeletion"] = False
    cluster.put(where.kind, where.key, value)
    return _owners(cluster, where, references)


def _remove(cluster: Cluster, where: Located) -> list[Located]:
    """Remove it; then its dependents, its owners, its namespace and its definition are looked at."""
    metadata = cluster.remove(where.kind, where.key).decode()["metadata"]
    around = [*cluster.dependents(metadata["uid"]), *_owners(cluster, where, metadata.get("ownerReferences", ()))]
    if where.key[0]:
        around.append(Located(cluster.kind(NAMESPACES), ("", where.key[0])))
    if where.kind.custom:
        around.append(Located(cluster.kind(DEFINITIONS), ("", str(where.kind.resource))))
    return around


def _owners(cluster: Cluster, where: Located, references: Iterable[JsonObject]) -> list[Located]:
    found: list[Located] = []
    for reference in references:
        group, _, version = reference["apiVersion"].rpartition("/")
        kinds = (kind for kind in cluster.catalogue.of(group, version) if kind.kind == reference["kind"])
        found += [Located(kind, (where.key[0] if kind.namespaced else "", reference["name"])) for kind in kinds]
    return found


def _blocks(cluster: Cluster, dependent: Located, owner: str) -> bool:
    stored = cluster.get(dependent)
    references = stored.decode()["metadata"].get("ownerReferences", ()) if stored is not None else ()
    return any(reference["uid"] == owner and reference.get("blockOwnerDeletion") for reference in references)


def _is_going(cluster: Cluster, where: Located, finalizer: str = "") -> bool:
    """Whether it is being deleted (and held by this finalizer)."""
    stored = cluster.get(where)
    return stored is not None and _marked(stored.decode()["metadata"], finalizer)


def _marked(metadata: JsonObject, finalizer: str) -> bool:
    return "deletionTimestamp" in metadata and (not finalizer or finalizer in metadata.get("finalizers", ()))


def _contents(cluster: Cluster, where: Located) -> Iterator[Located]:
    """What a namespace or a definition takes along."""
    if where.kind.resource == NAMESPACES:
        for kind in cluster.catalogue:
            for stored in cluster.store.shelf(kind.resource).in_order(where.key[1]) if kind.namespaced else ():
                yield Located(kind, stored.key)
    elif where.kind.resource == DEFINITIONS:
        plural, _, group = where.key[1].partition(".")
        for kind in cluster.catalogue:
            if kind.resource == Resource(group, plural):
                yield from (Located(kind, key) for key in tuple(cluster.store.shelf(kind.resource).objects))


def _set_finalizers(metadata: JsonObject, finalizers: list[str]) -> None:
    metadata["finalizers"] = finalizers
    if not finalizers:
        del metadata["finalizers"]
