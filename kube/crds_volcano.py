"""The schemas of Volcano's kinds that we install where Volcano is not: HyperNode and PodGroup.

They accept and refuse what Volcano's own definitions do (volcano-sh/volcano, config/crd/volcano/bases), so that a
cluster may go from one to the other with its objects. Where Volcano's CRDs exist they are never touched.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_QUANTITY = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)


def _object(properties: dict[str, Schema], *required: str, **more: Any) -> Schema:  # noqa: ANN401 - schema keywords
    return {"type": "object", **more, **({"required": list(required)} if required else {}), "properties": properties}


def _text(description: str = "", **more: Any) -> Schema:  # noqa: ANN401 - schema keywords
    return {"type": "string", **({"description": description} if description else {}), **more}


def _number(description: str = "", **more: Any) -> Schema:  # noqa: ANN401 - schema keywords
    return {"type": "integer", **({"description": description} if description else {}), **more}


def _list(items: Schema, description: str = "", **more: Any) -> Schema:  # noqa: ANN401 - schema keywords
    return {"type": "array", **({"description": description} if description else {}), **more, "items": items}


def _map(values: Schema, description: str = "") -> Schema:
    return {
        "type": "object",
        **({"description": description} if description else {}),
        "additionalProperties": values,
    }


def _atomic(items: Schema) -> Schema:
    return _list(items, **{"x-kubernetes-list-type": "atomic"})


def _label_selector(description: str) -> Schema:
    requirement = _object(
        {"key": _text(), "operator": _text("In, NotIn, Exists or DoesNotExist."), "values": _atomic(_text())},
        "key",
        "operator",
    )
    properties = {"matchExpressions": _atomic(requirement), "matchLabels": _map(_text())}
    return _object(properties, description=description, **{"x-kubernetes-map-type": "atomic"})


def _selector() -> Schema:
    exact = _object({"name": _text(minLength=1, maxLength=253, pattern=f"^{_SUBDOMAIN}$")}, "name")
    pattern = _object({"pattern": _text("Go RE2, searched in the name.", minLength=1)}, "pattern")
    labels = _label_selector("Nodes with these labels; for members of type Node only.")
    rules = [
        {
            "rule": "has(self.exactMatch) || has(self.regexMatch) || has(self.labelMatch)",
            "message": "one of exactMatch, regexMatch and labelMatch is needed",
        },
        {
            "rule": "!(has(self.exactMatch) && has(self.regexMatch)) && !(has(self.exactMatch) && has(self.labelMatch))"
            " && !(has(self.regexMatch) && has(self.labelMatch))",
            "message": "exactMatch, regexMatch and labelMatch exclude each other",
        },
    ]
    properties = {"exactMatch": exact, "regexMatch": pattern, "labelMatch": labels}
    return _object(properties, description="Which nodes, or which HyperNode.", **{"x-kubernetes-validations": rules})


def _conditions() -> Schema:
    condition = _object(
        {
            "type": _text(maxLength=316, pattern=f"^({_SUBDOMAIN}/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"),
            "status": _text(enum=["True", "False", "Unknown"]),
            "reason": _text(minLength=1, maxLength=1024, pattern="^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"),
            "message": _text(maxLength=32768),
            "lastTransitionTime": _text(format="date-time"),
            "observedGeneration": _number(format="int64", minimum=0),
        },
        "type", "status", "reason", "message", "lastTransitionTime",
    )  # fmt: skip
    return _list(condition, "Conditions such as Ready, LinksHealthy, CablingConsistent and EvidenceFresh.")


def hyper_node_schema() -> tuple[Schema, Schema]:
    """Spec and status of HyperNode (topology.volcano.sh/v1alpha1)."""
    member = _object({"type": _text(enum=["Node", "HyperNode"]), "selector": _selector()}, "type")
    spec = _object(
        {
            "tier": _number("How wide: 1 is the narrowest, a parent's is above its children's.", minimum=0),
            "tierName": _text("The name that goes with the tier number, one in the cluster.", maxLength=253),
            "members": _list(member, "The nodes, or the HyperNodes one level below.", minItems=1),
        },
        "tier",
        description="One performance domain of the fabric.",
    )
    status = _object(
        {
            "conditions": _conditions(),
            "nodeCount": _number("So many members, as Volcano counts them.", format="int64", minimum=0),
        }
    )
    return spec, status


def _topology() -> Schema:
    return _object(
        {
            "mode": _text("hard: inside one HyperNode, or not at all. soft: as narrow as it goes.",
                          enum=["hard", "soft"], default="hard"),
            "highestTierAllowed": _number("The widest tier that a hard gang may span.", minimum=0),
            "highestTierName": _text("The same by its name; not both.", maxLength=253),
        },
        description="How close together the members have to be.",
    )  # fmt: skip


def _sub_group_policy() -> Schema:
    return _object(
        {
            "name": _text(maxLength=253),
            "labelSelector": _label_selector("The pods that this policy is for."),
            "matchLabelKeys": _atomic(_text()),
            "subGroupSize": _number("Pods a subgroup.", format="int32", minimum=1, default=1),
            "minSubGroups": _number("So many subgroups at least.", format="int32", minimum=0, default=0),
            "networkTopology": _topology(),
        }
    )


def pod_group_schema() -> tuple[Schema, Schema]:
    """Spec and status of PodGroup (scheduling.volcano.sh/v1beta1)."""
    quantity = {
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": _QUANTITY,
        "x-kubernetes-int-or-string": True,
    }
    spec = _object(
        {
            "minMember": _number("So many pods start together, or none does.", format="int32", minimum=0),
            "minTaskMember": _map(_number(format="int32"), "The same by task."),
            "minResources": _map(quantity, "What the gang needs at least before its pods are made."),
            "networkTopology": _topology(),
            "preemptable": {"type": "boolean", "description": "False: none of its pods may be preempted."},
            "priorityClassName": _text("The PriorityClass of the gang."),
            "queue": _text("The queue that it waits in.", default="default"),
            "subGroupPolicy": _list(_sub_group_policy(), "Subgroups that are placed each by itself."),
        },
        description="A gang of pods.",
    )
    condition = _object(
        {
            "type": _text("Scheduled or Unschedulable."),
            "status": _text(),
            "reason": _text(),
            "message": _text(),
            "lastTransitionTime": _text(format="date-time"),
            "transitionID": _text("The scheduling session that set it."),
        }
    )
    status = _object(
        {
            "phase": _text("Pending, Inqueue, Running, Unknown or Completed."),
            "running": _number(format="int32"),
            "succeeded": _number(format="int32"),
            "failed": _number(format="int32"),
            "conditions": _list(condition),
        }
    )
    return spec, status
