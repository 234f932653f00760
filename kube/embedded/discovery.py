"""Discovery: which groups, versions and kinds are served, plain and aggregated, and the version of the server."""

from __future__ import annotations

import platform

from kube.embedded.kinds import Catalogue, JsonObject, Kind

VERSION = "v1.37.0+hyperscout.embedded"
_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
_STATUS_VERBS = ("get", "patch", "update")
_SUBRESOURCE_KINDS = {"binding": ("", "v1", "Binding"), "eviction": ("policy", "v1", "Eviction")}


def version() -> JsonObject:
    """The answer of /version. The build metadata says what this server is."""
    major, minor = VERSION.removeprefix("v").split(".")[:2]
    return {
        "major": major,
        "minor": minor,
        "gitVersion": VERSION,
        "gitCommit": "",
        "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": f"python{platform.python_version()}",
        "compiler": platform.python_implementation(),
        "platform": f"{platform.system().lower()}/{platform.machine()}",
    }


def core_versions(address: str) -> JsonObject:
    """The answer of /api."""
    addresses = [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}]
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": addresses}


def group_list(catalogue: Catalogue) -> JsonObject:
    """The answer of /apis."""
    groups = [_group(group, version) for group, version in catalogue.group_versions() if group]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def group(catalogue: Catalogue, name: str) -> JsonObject | None:
    """The answer of /apis/GROUP, or None."""
    versions = [version for group, version in catalogue.group_versions() if group == name and name]
    return {"kind": "APIGroup", "apiVersion": "v1"} | _group(name, versions[0]) if versions else None


def resource_list(catalogue: Catalogue, group: str, version: str) -> JsonObject | None:
    """The answer of /api/v1 and /apis/GROUP/VERSION, or None."""
    kinds = catalogue.of(group, version)
    if not kinds:
        return None
    api_version = f"{group}/{version}" if group else version
    resources = [entry for kind in kinds for entry in _resources(kind)]
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api_version, "resources": resources}


def aggregated(catalogue: Catalogue, core: bool) -> JsonObject:
    """All of /api or /apis in one answer (apidiscovery.k8s.io/v2)."""
    items = []
    for name, version in catalogue.group_versions():
        if (name == "") is core:
            resources = [_aggregated(kind) for kind in catalogue.of(name, version)]
            metadata = {"name": name} if name else {"name": "", "creationTimestamp": None}
            versions = [{"version": version, "freshness": "Current", "resources": resources}]
            items.append({"metadata": metadata, "versions": versions})
    return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}


def _group(name: str, version: str) -> JsonObject:
    both = {"groupVersion": f"{name}/{version}", "version": version}
    return {"name": name, "versions": [both], "preferredVersion": both}


def _resources(kind: Kind) -> list[JsonObject]:
    entry: JsonObject = {
        "name": kind.resource.plural,
        "singularName": kind.singular,
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": list(_VERBS),
    }
    if kind.short_names:
        entry["shortNames"] = list(kind.short_names)
    if kind.categories:
        entry["categories"] = list(kind.categories)
    return [entry, *(_subresource(kind, name) for name in kind.subresources)]


def _subresource(kind: Kind, name: str) -> JsonObject:
    entry: JsonObject = {"name": f"{kind.resource.plural}/{name}", "singularName": "", "namespaced": kind.namespaced}
    if name not in _SUBRESOURCE_KINDS:
        return entry | {"kind": kind.kind, "verbs": list(_STATUS_VERBS)}
    group, version, other = _SUBRESOURCE_KINDS[name]
    return entry | {"group": group, "version": version, "kind": other, "verbs": ["create"]}


def _aggregated(kind: Kind) -> JsonObject:
    own = {"group": kind.resource.group, "version": kind.version, "kind": kind.kind}
    subresources = []
    for name in kind.subresources:
        group, version, other = _SUBRESOURCE_KINDS.get(name, tuple(own.values()))
        verbs = ["create"] if name in _SUBRESOURCE_KINDS else list(_STATUS_VERBS)
        shown = {"group": group, "version": version, "kind": other}
        subresources.append({"subresource": name, "responseKind": shown, "verbs": verbs})
    entry: JsonObject = {
        "resource": kind.resource.plural,
        "responseKind": own,
        "scope": "Namespaced" if kind.namespaced else "Cluster",
        "singularResource": kind.singular,
        "verbs": list(_VERBS),
        "shortNames": list(kind.short_names),
        "categories": list(kind.categories),
    }
    return entry | {"subresources": subresources} if subresources else entry
