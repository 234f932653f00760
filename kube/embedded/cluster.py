"""What stands in the embedded cluster, and what a write sets off beside itself."""

from __future__ import annotations

from dataclasses import dataclass

from kube.embedded.definitions import defined_kind
from kube.embedded.kinds import DEFINITIONS, NAMESPACES, PODS, PRIORITY_CLASSES, Catalogue, JsonObject, Kind
from kube.embedded.refusals import forbidden, not_found
from kube.embedded.requests import Target
from kube.embedded.store import Key, Store, Stored
from kube.embedded.strategies import running


@dataclass(slots=True)
class Cluster:
    """The objects, the kinds that are served, and whether bound pods come to run although no kubelet is there."""

    store: Store
    catalogue: Catalogue
    run_bound_pods: bool = False

    def live(self, target: Target) -> Stored:
        """The object that the target names. Raises a 404."""
        found = self.store.get(target.kind.resource, key_of(target))
        if found is None:
            raise not_found(target.kind, target.name)
        return found

    def require_namespace(self, target: Target) -> None:
        """Raises a 404 where an object is to be created in a namespace that does not exist."""
        if target.namespace is None:
            return
        if self.store.get(NAMESPACES, ("", target.namespace)) is None:
            namespaces = next(kind for kind in self.catalogue if kind.resource == NAMESPACES)
            raise not_found(namespaces, target.namespace)

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
        stored = self.store.put(kind.resource, key, value)
        if kind.resource == DEFINITIONS:
            self.catalogue.serve(defined_kind(value))
        elif kind.resource == PODS and self.run_bound_pods and _is_new_on_its_node(value):
            return self.store.put(kind.resource, key, running(value))
        return stored

    def remove(self, kind: Kind, key: Key) -> Stored:
        """Remove an object, and with a namespace or a definition all that is in it."""
        if kind.resource == NAMESPACES:
            for other in self.catalogue:
                for stored in self.store.shelf(other.resource).in_order(key[1]) if other.namespaced else ():
                    self.store.remove(other.resource, stored.key)
        removed = self.store.remove(kind.resource, key)
        if kind.resource == DEFINITIONS:
            gone = defined_kind(removed.decode()).resource
            self.catalogue.withdraw(gone)
            self.store.drop(gone)
        return removed


def key_of(target: Target) -> Key:
    """Where the store keeps the target's object."""
    return (target.namespace or "", target.name)


def _is_new_on_its_node(pod: JsonObject) -> bool:
    return bool(pod["spec"].get("nodeName")) and pod["status"].get("phase") == "Pending"
