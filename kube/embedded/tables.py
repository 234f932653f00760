"""What `kubectl get` prints: columns and cells, for custom kinds from their printer columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from kube.embedded.jsonpath import find
from kube.embedded.kinds import Column, JsonObject, Kind

Cells = list[object]

_NAME = Column("Name", "string", ".metadata.name", 0, "name", "Name must be unique within a namespace.")
_UNSET = "<none>"
_UNKNOWN = "<unknown>"


def column_definitions(kind: Kind) -> list[JsonObject]:
    """The columns of a kind as a Table states them."""
    return [
        {
            "name": column.name,
            "type": column.type,
            "format": column.format,
            "description": column.description or f"{column.name} ({column.path})",
            "priority": column.priority,
        }
        for column in _columns(kind)
    ]


def row(kind: Kind, value: JsonObject) -> Cells:
    """The cells of one object, one for each column."""
    name: object = value["metadata"].get("name", "")
    if kind.custom:
        return [name, *(_cell(column, value) for column in kind.columns)]
    columns, cells = _BUILT_IN[kind.kind]
    return [name, *cells(value)] if columns[0] is _NAME else cells(value)


def age(text: object, now: datetime | None = None) -> str:
    """How long ago a time was, as kubectl writes it: 42s, 3m5s, 7h, 2d."""
    if not isinstance(text, str):
        return _UNKNOWN
    try:
        since = (now or datetime.now(UTC)) - datetime.fromisoformat(text.replace("Z", "+00:00"))
    except (ValueError, TypeError):
        return _UNKNOWN
    return _duration(max(int(since.total_seconds()), 0))


def _duration(seconds: int) -> str:
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if seconds < 120:
        return f"{seconds}s"
    if minutes < 10:
        return f"{minutes}m" + (f"{seconds % 60}s" if seconds % 60 else "")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return f"{hours}h" + (f"{minutes % 60}m" if minutes % 60 else "")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return f"{days}d" + (f"{hours % 24}h" if hours % 24 else "")
    if days < 365 * 2:
        return f"{days}d"
    return f"{days // 365}y" + (f"{days % 365}d" if days < 365 * 8 and days % 365 else "")


def _columns(kind: Kind) -> tuple[Column, ...]:
    if kind.custom:
        return (_NAME, *kind.columns)
    return _BUILT_IN[kind.kind][0]


def _cell(column: Column, value: JsonObject) -> object:
    found = find(column.path, value)
    if not found:
        return None
    if column.type == "date":
        return age(found[0])
    if column.type == "string":
        return ",".join(str(item).lower() if isinstance(item, bool) else str(item) for item in found)
    return found[0]


def _age_only(value: JsonObject) -> Cells:
    return [age(value["metadata"].get("creationTimestamp"))]


def _pod(value: JsonObject) -> Cells:
    spec, status = value["spec"], value.get("status", {})
    containers = status.get("containerStatuses", [])
    ready = f"{sum(bool(c.get('ready')) for c in containers)}/{len(spec.get('containers', ()))}"
    gated = bool(spec.get("schedulingGates")) and not spec.get("nodeName")
    phase = "SchedulingGated" if gated else status.get("reason") or status.get("phase", _UNKNOWN)
    restarts = str(sum(c.get("restartCount", 0) for c in containers))
    gates = _UNSET
    wide = [status.get("podIP"), spec.get("nodeName"), status.get("nominatedNodeName")]
    return [ready, phase, restarts, *_age_only(value), *(cell or _UNSET for cell in wide), gates]


def _node(value: JsonObject) -> Cells:
    status, spec = value.get("status", {}), value.get("spec", {})
    conditions = {c.get("type"): c.get("status") for c in status.get("conditions", ())}
    state = {"True": "Ready", None: "Unknown"}.get(conditions.get("Ready"), "NotReady")
    state += ",SchedulingDisabled" if spec.get("unschedulable") else ""
    prefix = "node-role.kubernetes.io/"
    roles = sorted(key.removeprefix(prefix) for key in value["metadata"].get("labels", {}) if key.startswith(prefix))
    addresses = {entry.get("type"): entry.get("address") for entry in status.get("addresses", ())}
    info = status.get("nodeInfo", {})
    wide = [addresses.get("InternalIP", _UNSET), addresses.get("ExternalIP", _UNSET)]
    wide += [info.get(field) or _UNKNOWN for field in ("osImage", "kernelVersion", "containerRuntimeVersion")]
    return [state, ",".join(roles) or _UNSET, *_age_only(value), info.get("kubeletVersion", ""), *wide]


def _event(value: JsonObject) -> Cells:

    involved = value.get("involvedObject", {})
    seen = value.get("lastTimestamp") or value.get("eventTime") or value.get("firstTimestamp")
    subject = f"{str(involved.get('kind', '')).lower()}/{involved.get('name', '')}"
    source = value.get("source") or {}
    reported = [value.get("reportingComponent"), value.get("reportingInstance")]
    source_text = ", ".join(filter(None, [source.get("component"), source.get("host")] if source else reported))
    first = value.get("firstTimestamp") or seen
    message = str(value.get("message", "")).strip()
    cells = [age(seen), value.get("type", ""), value.get("reason", ""), subject, involved.get("fieldPath", "")]
    return [*cells, source_text, message, age(first), value.get("count", 1), value["metadata"]["name"]]


def _namespace(value: JsonObject) -> Cells:
    return [value.get("status", {}).get("phase", ""), *_age_only(value)]


def _config_map(value: JsonObject) -> Cells:
    return [len(value.get("data", {})) + len(value.get("binaryData", {})), *_age_only(value)]


def _lease(value: JsonObject) -> Cells:
    return [value.get("spec", {}).get("holderIdentity", ""), *_age_only(value)]


def _priority_class(value: JsonObject) -> Cells:
    policy = value.get("preemptionPolicy", "PreemptLowerPriority")
    return [value.get("value", 0), bool(value.get("globalDefault")), *_age_only(value), policy]


def _definition(value: JsonObject) -> Cells:
    spec, made = value["spec"], value["metadata"].get("creationTimestamp", _UNKNOWN)
    versions = ",".join(
        f"{version['name']}(storage)" if version.get("storage") else version["name"] for version in spec["versions"]
    )
    names = spec["names"]
    conditions = {c.get("type"): c.get("status") for c in value.get("status", {}).get("conditions", ())}
    short = ",".join(names.get("shortNames", ()))
    return [spec["scope"], versions, made, spec["group"], names["kind"], short, conditions.get("Established") == "True"]


_TYPES = {"Value": "integer", "Global-Default": "boolean", "Created At": "date", "Established": "boolean"}


def _named(*names: str, wide: tuple[str, ...] = ()) -> tuple[Column, ...]:
    columns = (Column(name, _TYPES.get(name, "string"), "", int(name in wide)) for name in names)
    return tuple(_NAME if column.name == "Name" else column for column in columns)


_POD_WIDE = ("IP", "Node", "Nominated Node", "Readiness Gates")
_NODE_WIDE = ("Internal-IP", "External-IP", "OS-Image", "Kernel-Version", "Container-Runtime")
_EVENT = _named(
    "Last Seen", "Type", "Reason", "Object", "Subobject", "Source", "Message", "First Seen", "Count",
    wide=("Subobject", "Source", "First Seen", "Count"),
)  # fmt: skip
_DEFINITION_WIDE = ("Group", "Kind", "ShortNames", "Established")
_DEFINITION = _named("Name", "Scope", "Versions", "Created At", *_DEFINITION_WIDE, wide=_DEFINITION_WIDE)
_BUILT_IN: dict[str, tuple[tuple[Column, ...], Callable[[JsonObject], Cells]]] = {
    "Pod": (_named("Name", "Ready", "Status", "Restarts", "Age", *_POD_WIDE, wide=_POD_WIDE), _pod),
    "Node": (_named("Name", "Status", "Roles", "Age", "Version", *_NODE_WIDE, wide=_NODE_WIDE), _node),
    "Event": ((*_EVENT, replace(_NAME, priority=1)), _event),
    "Namespace": (_named("Name", "Status", "Age"), _namespace),
    "ConfigMap": (_named("Name", "Data", "Age"), _config_map),
    "Lease": (_named("Name", "Holder", "Age"), _lease),
    "PriorityClass": (_named("Name", "Value", "Global-Default", "Age", "PreemptionPolicy"), _priority_class),
    "CustomResourceDefinition": (_DEFINITION, _definition),
}
