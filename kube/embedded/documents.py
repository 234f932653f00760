"""The paths that describe the server itself: its version, its kinds, their schemas."""

from __future__ import annotations

from kube.embedded import discovery, openapi
from kube.embedded.kinds import Catalogue, JsonObject
from kube.embedded.refusals import no_such_path

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
"""The media type of aggregated discovery, in the request and in the answer."""


def describe(catalogue: Catalogue, path: str, accept: str, address: str) -> tuple[str, JsonObject] | None:
    """The media type and document of a path, or None for a path to objects. Raises a 404 for a path to nothing."""
    if path in ("/api", "/apis") and AGGREGATED in accept:
        return AGGREGATED, discovery.aggregated(catalogue, core=path == "/api")
    parts = path.strip("/").split("/")
    if len(parts) > {"api": 2, "apis": 3}.get(parts[0], len(parts)):
        return None
    found = _schemas(catalogue, parts[2:]) if parts[:2] == ["openapi", "v3"] else _names(catalogue, parts, address)
    if found is None:
        raise no_such_path()
    return "application/json", found


def _names(catalogue: Catalogue, parts: list[str], address: str) -> JsonObject | None:
    match parts:
        case ["version"]:
            return discovery.version()
        case ["api"]:
            return discovery.core_versions(address)
        case ["apis"]:
            return discovery.group_list(catalogue)
        case ["api", version]:
            return discovery.resource_list(catalogue, "", version)
        case ["apis", group]:
            return discovery.group(catalogue, group)
        case ["apis", group, version]:
            return discovery.resource_list(catalogue, group, version)
    return None


def _schemas(catalogue: Catalogue, parts: list[str]) -> JsonObject | None:
    match parts:
        case []:
            return openapi.index(catalogue)
        case ["api", version]:
            return openapi.document(catalogue, "", version)
        case ["apis", group, version]:
            return openapi.document(catalogue, group, version)
    return None
