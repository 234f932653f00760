"""Short ways to write the objects that the scheduler reads."""

from __future__ import annotations

from typing import Any

import msgspec

from kube.types import HyperNode, Node, Pod, PodGroup


def a_pod(name: str = "w-0", *, spec: dict[str, Any] | None = None, **more: Any) -> Pod:  # noqa: ANN401 - any JSON
    """A pod of ours in namespace ml; `spec` is merged in, `labels`, `annotations` and `status` go where they belong."""
    metadata = {"name": name, "namespace": "ml", "uid": f"uid-{name}", "resourceVersion": "1"}
    metadata |= {key: more[key] for key in ("labels", "annotations", "creationTimestamp") if key in more}
    body = {
        "metadata": metadata,
        "spec": {"schedulerName": "hyperscout", "containers": [{"name": "c"}], **(spec or {})},
        "status": more.get("status", {"phase": "Pending"}),
    }
    return msgspec.convert(body, Pod)


def asking(**requests: str) -> dict[str, Any]:
    """A pod spec with one container that asks for this much."""
    return {"containers": [{"name": "c", "resources": {"requests": requests}}]}


def a_node(name: str, *, ready: str = "True", **more: Any) -> Node:  # noqa: ANN401 - any JSON
    """A node with 16 CPUs, 64Gi and 110 pods."""
    conditions = [{"type": "Ready", "status": ready}, *more.get("conditions", ())]
    allocatable = {"cpu": "16", "memory": "64Gi", "pods": "110", **more.get("allocatable", {})}
    body = {
        "metadata": {"name": name, "uid": f"uid-{name}", "labels": more.get("labels", {})},
        "spec": more.get("spec", {}),
        "status": {"allocatable": allocatable, "conditions": conditions},
    }
    return msgspec.convert(body, Node)


def a_hyper_node(name: str, *members: dict[str, Any], tier: int = 1, **annotations: str) -> HyperNode:
    """A HyperNode with these members."""
    metadata = {"name": name, "annotations": {f"hyperscout.io/{key}": text for key, text in annotations.items()}}
    return msgspec.convert({"metadata": metadata, "spec": {"tier": tier, "members": list(members)}}, HyperNode)


def member(kind: str = "Node", **selector: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """A member; `name=...` is an exact one."""
    if "name" in selector:
        selector = {"exactMatch": {"name": selector["name"]}}
    return {"type": kind, "selector": selector}


def a_pod_group(name: str = "g", *, spec: dict[str, Any] | None = None, **more: Any) -> PodGroup:  # noqa: ANN401 - any JSON
    """A PodGroup in namespace ml."""
    metadata = {"name": name, "namespace": "ml", "uid": f"uid-{name}", **more.get("metadata", {})}
    body = {"metadata": metadata, "spec": spec or {}, "status": more.get("status", {})}
    return msgspec.convert(body, PodGroup)
