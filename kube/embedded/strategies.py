"""What is particular to a built-in kind when one of its objects is created or changed: defaults and immutable parts.

(Kubernetes calls these the strategies of a resource.)
"""

from __future__ import annotations

import re

from kube.embedded.constraints import json_text
from kube.embedded.kinds import DEFINITIONS, EVENTS, NAMESPACES, NODES, PODS, JsonObject, Kind
from kube.embedded.metadata import now_text
from kube.embedded.refusals import Cause, bad_request, invalid

_POD_DEFAULTS: JsonObject = {
    "restartPolicy": "Always",
    "dnsPolicy": "ClusterFirst",
    "schedulerName": "default-scheduler",
    "terminationGracePeriodSeconds": 30,
    "enableServiceLinks": True,
    "preemptionPolicy": "PreemptLowerPriority",
    "priority": 0,
}
_CONTAINER_DEFAULTS: JsonObject = {
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}
_QUANTITY = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+|[KMGTPE]i|[numkMGTPE])?")
_MUTABLE_IN_POD = ("activeDeadlineSeconds", "terminationGracePeriodSeconds", "tolerations", "schedulingGates")


def created(kind: Kind, value: JsonObject) -> None:
    """Complete a new object of a built-in kind."""
    if kind.resource == PODS:
        _complete_pod(value)
        value["status"] = {"phase": "Pending", "qosClass": _qos_class(value["spec"])}
        if value["spec"].get("schedulingGates"):
            gated = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}
            gated["message"] = "Scheduling is blocked due to non-empty scheduling gates"
            value["status"]["conditions"] = [gated]
        _tolerate_failing_nodes(value["spec"])
    elif kind.resource == NAMESPACES:
        value["status"] = {"phase": "Active"}
        value.setdefault("spec", {})
        labels = value["metadata"].setdefault("labels", {})
        labels["kubernetes.io/metadata.name"] = value["metadata"]["name"]
    elif kind.resource == NODES:
        value.setdefault("spec", {})
        _complete_node(value.setdefault("status", {}))
    elif kind.resource == EVENTS:
        _check_event(kind, value)
    elif kind.custom and "status" in kind.subresources:
        value.pop("status", None)


def updated(kind: Kind, live: JsonObject, value: JsonObject) -> None:
    """Complete a changed object of a built-in kind. Raises a 422 where it changes what is fixed at creation."""
    if kind.resource == PODS:
        _complete_pod(value)
        value.setdefault("status", {})
        _check_pod_update(kind, live, value)
    elif kind.resource == NODES:
        _complete_node(value.setdefault("status", {}))
    elif kind.resource == NAMESPACES:
        value["metadata"].setdefault("labels", {})["kubernetes.io/metadata.name"] = value["metadata"]["name"]
    elif kind.resource == DEFINITIONS:
        for field in ("group", "scope"):
            if value["spec"].get(field) != live["spec"].get(field):
                cause = Cause(f"spec.{field}", "FieldValueInvalid", "Invalid value: field is immutable")
                raise invalid(kind, value["metadata"]["name"], [cause])


def running(pod: JsonObject) -> JsonObject:
    """The pod as a kubelet would report it once all containers run."""
    now = now_text()
    status = pod["status"]
    old = [condition for condition in status.get("conditions", ()) if condition.get("type") == "PodScheduled"]
    ready = ("PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready")
    new = [{"type": kind, "status": "True", "lastTransitionTime": now} for kind in ready]
    status |= {"phase": "Running", "startTime": now, "conditions": [*old, *new]}
    status["containerStatuses"] = [
        {"name": container["name"], "image": container["image"], "imageID": "", "ready": True, "started": True,
         "restartCount": 0, "state": {"running": {"startedAt": now}}}
        for container in pod["spec"]["containers"]
    ]  # fmt: skip
    return pod


def _complete_pod(pod: JsonObject) -> None:
    spec: JsonObject = pod["spec"]
    for field, default in _POD_DEFAULTS.items():
        spec.setdefault(field, default)
    spec.setdefault("securityContext", {})
    for container in (*spec.get("containers", ()), *spec.get("initContainers", ())):
        for field, default in _CONTAINER_DEFAULTS.items():
            container.setdefault(field, default)
        tag = container.get("image", "").rpartition("/")[2].partition(":")[2]
        container.setdefault("imagePullPolicy", "Always" if tag in ("", "latest") else "IfNotPresent")
        for port in container.get("ports", ()):
            port.setdefault("protocol", "TCP")
        resources = container["resources"] = {k: _quantities(v) for k, v in container.get("resources", {}).items()}
        if "limits" in resources:
            resources["requests"] = resources["limits"] | resources.get("requests", {})


def _tolerate_failing_nodes(spec: JsonObject) -> None:
    """Every pod stays 300 s on a node that fails, unless it says otherwise (admission DefaultTolerationSeconds)."""
    tolerations = spec.setdefault("tolerations", [])
    for state in ("not-ready", "unreachable"):
        key = f"node.kubernetes.io/{state}"
        said = (t for t in tolerations if t.get("key", key) == key and t.get("effect", "NoExecute") == "NoExecute")
        if not any(said):
            default = {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
            tolerations.append(default)


def _complete_node(status: JsonObject) -> None:
    for field in ("capacity", "allocatable"):
        if field in status:
            status[field] = _quantities(status[field])
    if "capacity" in status:
        status.setdefault("allocatable", status["capacity"])


def _quantities(amounts: object) -> JsonObject:
    """Quantities as text: `cpu: 2` is read as a number and kept as "2". Raises a 400 for what is none."""
    if not isinstance(amounts, dict):
        return {}
    for name, amount in amounts.items():
        if isinstance(amount, bool) or not _QUANTITY.fullmatch(str(amount)):
            raise bad_request(f"{name}: quantities must match the regular expression {_QUANTITY.pattern!r}: {amount!r}")
    return {name: str(amount) for name, amount in amounts.items()}


def _qos_class(spec: JsonObject) -> str:
    resources = [container["resources"] for container in spec.get("containers", ())]
    if not any(entry.get("requests") or entry.get("limits") for entry in resources):
        return "BestEffort"
    full = all(
        {"cpu", "memory"} <= entry.get("limits", {}).keys() and entry.get("requests") == entry.get("limits")
        for entry in resources
    )
    return "Guaranteed" if full else "Burstable"


def _check_event(kind: Kind, event: JsonObject) -> None:
    """An event stands in the namespace of its object, that of a cluster-scoped object in `default`."""
    metadata = event["metadata"]
    causes = []
    if event["involvedObject"].get("namespace", "default") != metadata["namespace"]:
        found = json_text(event["involvedObject"].get("namespace", ""))
        message = f"Invalid value: {found}: does not match event.namespace"
        causes.append(Cause("involvedObject.namespace", "FieldValueInvalid", message))
    if event.get("eventTime"):
        needed = ("reportingComponent", "reportingInstance", "action", "reason")
        missing = (field for field in needed if not event.get(field))
        causes += [Cause(field, "FieldValueRequired", "Required value") for field in missing]
        if event.get("type") not in ("Normal", "Warning"):
            causes.append(Cause("type", "FieldValueInvalid", f"Invalid value: {json_text(event.get('type', ''))}"))
    if causes:
        raise invalid(kind, metadata["name"], causes)


def _check_pod_update(kind: Kind, live: JsonObject, pod: JsonObject) -> None:
    gated = bool(live["spec"].get("schedulingGates"))
    if _fixed_part(live["spec"], gated) != _fixed_part(pod["spec"], gated):
        message = "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
        message += "`spec.initContainers[*].image`," + ",".join(f"`spec.{field}`" for field in _MUTABLE_IN_POD)
        raise invalid(kind, pod["metadata"]["name"], [Cause("spec", "FieldValueForbidden", message)])
    before = {gate["name"] for gate in live["spec"].get("schedulingGates", ())}
    if {gate["name"] for gate in pod["spec"].get("schedulingGates", ())} - before:
        message = "Forbidden: only deletion is allowed, but found new scheduling gates"
        raise invalid(kind, pod["metadata"]["name"], [Cause("spec.schedulingGates", "FieldValueForbidden", message)])


def _fixed_part(spec: JsonObject, gated: bool) -> JsonObject:
    free = (*_MUTABLE_IN_POD, *(("nodeSelector", "affinity") if gated else ()))
    fixed = {field: value for field, value in spec.items() if field not in free}
    for field in ("containers", "initContainers"):
        fixed[field] = [{k: v for k, v in container.items() if k != "image"} for container in spec.get(field, ())]
    return fixed
