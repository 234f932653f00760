"""The kinds of object that are served: what they are called and how they behave.

`BUILT_IN` are the kinds that every cluster has; `definitions` adds those of custom resource definitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Resource:
    """The name of a kind's collection: API group ("" for core) and plural."""

    group: str
    plural: str

    def __str__(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural


@dataclass(frozen=True, slots=True)
class Column:
    """One column of `kubectl get`. A path is a JSONPath below the object; priority above 0 shows with -o wide."""

    name: str
    type: str
    path: str
    priority: int = 0
    format: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """One served kind."""

    resource: Resource
    version: str
    kind: str
    singular: str
    namespaced: bool
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()
    counts_generations: bool = False
    model: str = ""
    """The official client's model of a built-in kind; empty for a custom one."""
    schema: JsonObject = field(default_factory=dict)
    """The structural schema of a custom kind; empty for a built-in one."""
    columns: tuple[Column, ...] = ()
    selectable: tuple[str, ...] = ()
    """Fields that a fieldSelector may name beside metadata.name and metadata.namespace."""

    @property
    def api_version(self) -> str:
        """As an object carries it: `v1`, `topology.volcano.sh/v1alpha1`."""
        return f"{self.resource.group}/{self.version}" if self.resource.group else self.version

    @property
    def custom(self) -> bool:
        """True for a kind that a custom resource definition brought."""
        return not self.model


_INVOLVED = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
_EVENT_FIELDS = (*(f"involvedObject.{name}" for name in _INVOLVED), "reason", "reportingComponent", "source", "type")
_POD_FIELDS = (
    "spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
    "status.phase", "status.podIP", "status.nominatedNodeName",
)  # fmt: skip
_STATUS = ("status",)

BUILT_IN: tuple[Kind, ...] = (
    Kind(Resource("", "namespaces"), "v1", "Namespace", "namespace", False, ("ns",), subresources=_STATUS,
         model="V1Namespace", selectable=("status.phase",)),
    Kind(Resource("", "nodes"), "v1", "Node", "node", False, ("no",), subresources=_STATUS,
         model="V1Node", selectable=("spec.unschedulable",)),
    Kind(Resource("", "pods"), "v1", "Pod", "pod", True, ("po",), ("all",), ("status", "binding", "eviction"),
         counts_generations=True, model="V1Pod", selectable=_POD_FIELDS),
    Kind(Resource("", "configmaps"), "v1", "ConfigMap", "configmap", True, ("cm",), model="V1ConfigMap"),
    Kind(Resource("", "events"), "v1", "Event", "event", True, ("ev",), model="CoreV1Event", selectable=_EVENT_FIELDS),
    Kind(Resource("coordination.k8s.io", "leases"), "v1", "Lease", "lease", True, model="V1Lease"),
    Kind(Resource("scheduling.k8s.io", "priorityclasses"), "v1", "PriorityClass", "priorityclass", False, ("pc",),
         counts_generations=True, model="V1PriorityClass"),
    Kind(Resource("apiextensions.k8s.io", "customresourcedefinitions"), "v1", "CustomResourceDefinition",
         "customresourcedefinition", False, ("crd", "crds"), ("api-extensions",), _STATUS,
         counts_generations=True, model="V1CustomResourceDefinition"),
)  # fmt: skip

NAMESPACES, NODES, PODS, _, EVENTS = (kind.resource for kind in BUILT_IN[:5])
PRIORITY_CLASSES, DEFINITIONS = (kind.resource for kind in BUILT_IN[-2:])


class Catalogue:
    """The kinds served now, by resource."""

    def __init__(self, kinds: Iterable[Kind] = BUILT_IN) -> None:
        self._kinds = {kind.resource: kind for kind in kinds}

    def __iter__(self) -> Iterator[Kind]:
        return iter(tuple(self._kinds.values()))

    def find(self, group: str, version: str, plural: str) -> Kind | None:
        """The kind behind a path, or None."""
        kind = self._kinds.get(Resource(group, plural))
        return kind if kind is not None and kind.version == version else None

    def serve(self, kind: Kind) -> None:
        """From now on, or in this new form."""
        self._kinds[kind.resource] = kind

    def withdraw(self, resource: Resource) -> None:
        """Serve it no longer."""
        self._kinds.pop(resource, None)

    def group_versions(self) -> list[tuple[str, str]]:
        """Every (group, version) that has a kind, core first, in the order in which they came."""
        return list(dict.fromkeys((kind.resource.group, kind.version) for kind in self._kinds.values()))

    def of(self, group: str, version: str) -> list[Kind]:
        """The kinds of one group and version."""
        return [kind for kind in self._kinds.values() if (kind.resource.group, kind.version) == (group, version)]
