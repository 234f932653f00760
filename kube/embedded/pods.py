"""What happens to pods through their own subresources: binding to a node, and eviction."""

from __future__ import annotations

from kube.embedded.cluster import Cluster, Located
from kube.embedded.conform import conforming
from kube.embedded.deleting import delete
from kube.embedded.kinds import JsonObject
from kube.embedded.metadata import now_text
from kube.embedded.refusals import Cause, bad_request, conflict, invalid
from kube.embedded.requests import Target, WriteOptions, parse_propagation
from kube.embedded.verbs import check_preconditions

_SUCCESS: JsonObject = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def bind(cluster: Cluster, target: Target, body: object, options: WriteOptions) -> JsonObject:
    """Bind a pod to a node, once. Raises 400, 404 or 409. As in Kubernetes the node need not exist."""
    binding = _body_of(target, body, "Binding", "v1")
    node = binding["target"].get("name")
    if not node:
        raise invalid(target.kind, target.name, [Cause("target.name", "FieldValueRequired", "Required value")])
    live = cluster.live(target)
    check_preconditions(target.kind, live, _named(binding["metadata"]))
    pod = live.decode()
    bound = pod["spec"].get("nodeName")
    if bound:
        why = f'pod {target.name} is already assigned to node "{bound}"'
        raise conflict(target.kind, target.name, why, "binding")
    if pod["spec"].get("schedulingGates"):
        why = f"pod {target.name} has non-empty .spec.schedulingGates"
        raise conflict(target.kind, target.name, why, "binding")
    pod["spec"]["nodeName"] = node
    annotations = binding["metadata"].get("annotations")
    if annotations:
        pod["metadata"]["annotations"] = pod["metadata"].get("annotations", {}) | annotations
    scheduled = {"type": "PodScheduled", "status": "True", "lastTransitionTime": now_text()}
    others = [c for c in pod["status"].get("conditions", ()) if c.get("type") != "PodScheduled"]
    pod["status"]["conditions"] = [scheduled, *others]
    if not options.dry_run:
        cluster.put(target.kind, live.key, pod)
    return _SUCCESS


def evict(cluster: Cluster, target: Target, body: object, options: WriteOptions) -> JsonObject:
    """Evict a pod: it is removed at once, for there are no disruption budgets here. Raises 400, 404 or 409."""
    eviction = _body_of(target, body, "Eviction", "policy/v1")
    live = cluster.live(target)
    wishes = eviction.get("deleteOptions", {})
    check_preconditions(target.kind, live, wishes.get("preconditions"))
    if not options.dry_run and not wishes.get("dryRun"):
        delete(cluster, Located(target.kind, live.key), parse_propagation(wishes))
    return _SUCCESS


def _body_of(target: Target, body: object, kind: str, api_version: str) -> JsonObject:
    value = conforming(f"V1{kind}", body)
    if value.get("kind", kind) != kind or value.get("apiVersion", api_version) != api_version:
        raise bad_request(f"expected a {kind} of {api_version}, not {value.get('kind')} of {value.get('apiVersion')}")
    metadata = value.setdefault("metadata", {})
    for field, expected in (("name", target.name), ("namespace", target.namespace)):
        if metadata.get(field, expected) != expected:
            raise bad_request(f"the {field} in the {kind} does not match the pod in the URL: {expected}")
    return value


def _named(metadata: JsonObject) -> JsonObject:
    return {field: metadata[field] for field in ("uid", "resourceVersion") if metadata.get(field)}
