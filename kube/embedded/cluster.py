"""What stands in the embedded cluster, and what a write sets off beside itself."""

from __future__ import annotations

from dataclasses import dataclass, field

from kube.embedded.definitions import defined_kind
from kube.embedded.kinds import DEFINITIONS, NAMESPACES, PODS, PRIORITY_CLASSES, Catalogue, JsonObject, Kind, Resource
from kube.embedded.refusals import StatusError, forbidden, not_found
from kube.embedded.requests import Target
from kube.embedded.store import Key, Store, Stored
from kube.embedded.strategies import running


@dataclass(frozen=True, slots=True)
class Located:
    """Where one object is kept."""

    kind: Kind
    key: Key


@dataclass(slots=True)
class Cluster:
    """The objects, the kinds that are served, and whether bound pods come to run although no kubelet is there."""

    store: Store
    catalogue: Catalogue
    run_bound_pods: bool = False
    _owned: dict[str, dict[tuple[Resource, Key], None]] = field(default_factory=dict)
    """Whose owner references name a uid."""
    _owners: dict[tuple[Resource, Key], tuple[str, ...]] = field(default_factory=dict)

    def kind(self, resource: Resource) -> Kind:
        """A kind that is served."""
        return next(kind for kind in self.catalogue if kind.resource == resource)

    def get(self, where: Located) -> Stored | None:
        """The object, or None where there is none any more."""
        return self.store.get(where.kind.resource, where.key)

    def dependents(self, uid: str) -> list[Located]:
        """The objects that name this owner, in the order in which they came to do so."""
        kinds = {kind.resource: kind for kind in self.catalogue}
        return [Located(kinds[resource], key) for resource, key in self._owned.get(uid, ()) if resource in kinds]

    def live(self, target: Target) -> Stored:
        """The object that the target names. Raises a 404."""
        found = self.store.get(target.kind.resource, key_of(target))
        if found is None:
            raise not_found(target.kind, target.name)
        return found

    def require_room(self, target: Target) -> None:
        """Raises where an object is to be created in a namespace that does not exist (404), or in a namespace or of a
        definition that is being deleted (403)."""
        if target.namespace is not None:
            namespace = self.store.get(NAMESPACES, ("", target.namespace))
            if namespace is None:
                raise not_found(self.kind(NAMESPACES), target.namespace)
            if "deletionTimestamp" in namespace.decode()["metadata"]:
                raise _terminating(target)
        if target.kind.custom:
            definition = self.store.get(DEFINITIONS, ("", str(target.kind.resource)))
            if definition is not None and "deletionTimestamp" in definition.decode()["metadata"]:
                why = "create not allowed while custom resource definition is terminating"
                raise forbidden(target.kind, target.name, why)

    def resolve_priority(self, kind: Kind, pod: JsonObject) -> None:
        """Give a new pod the priority of the class that it names. Raises a 403 for a class that does not exist."""
        name = pod["spec"].get("priorityClassName")
        if not name:
            return
        found = self.store.get(PRIORITY_CLASSES, ("", name))
        if found is None:
            raise forbidden(kind, pod["metadata"]["name"], f"no PriorityClass with name {name} was found")
        pod["spec"]["priority"] = found.decode()["value"]

    def put(self, kind: Kind, key: Key, value: JsonObject) -> Stored:
        """Store an object. A definition makes its kind served; a pod that has been bound may come to run."""
        self._know_owners(kind.resource, key, value["metadata"])
        stored = self.store.put(kind.resource, key, value)
        if kind.resource == DEFINITIONS:
            self.catalogue.serve(defined_kind(value))
        elif kind.resource == PODS and self.run_bound_pods and _is_new_on_its_node(value):
            return self.store.put(kind.resource, key, running(value))
        return stored

    def remove(self, kind: Kind, key: Key) -> Stored:
        """Remove an object. The kind of a removed definition is served no longer."""
        removed = self.store.remove(kind.resource, key)
        self._know_owners(kind.resource, key, {})
        if kind.resource == DEFINITIONS:
            gone = defined_kind(removed.decode()).resource
            self.catalogue.withdraw(gone)
            self.store.drop(gone)
        return removed

    def _know_owners(self, resource: Resource, key: Key, metadata: JsonObject) -> None:
        """Keep what `dependents` answers."""
        place = (resource, key)
        for uid in self._owners.pop(place, ()):
            self._owned[uid].pop(place, None)
            if not self._owned[uid]:
                del self._owned[uid]
        uids = tuple(reference["uid"] for reference in metadata.get("ownerReferences", ()))
        if uids:
            self._owners[place] = uids
            for uid in uids:
                self._owned.setdefault(uid, {})[place] = None


def key_of(target: Target) -> Key:
    """Where the store keeps the target's object."""
    return (target.namespace or "", target.name)


def _is_new_on_its_node(pod: JsonObject) -> bool:
    return bool(pod["spec"].get("nodeName")) and pod["status"].get("phase") == "Pending"


def _terminating(target: Target) -> StatusError:
    why = f"unable to create new content in namespace {target.namespace} because it is being terminated"
    refusal = forbidden(target.kind, target.name, why)
    message = f"namespace {target.namespace} is being terminated"
    refusal.details["causes"] = [{"reason": "NamespaceTerminating", "message": message, "field": "metadata.namespace"}]
    return refusal
