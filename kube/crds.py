"""The custom resource definitions: ours, generated from the evidence types, and Volcano's two that we understand.

`python -m kube.crds` writes them into `crds/`; a test holds the files equal to what is generated here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import yaml

from discovery import reports
from kube.crds_structural import structural_schema
from kube.crds_volcano import hyper_node_schema, pod_group_schema
from kube.resources import HYPER_NODES, NODE_REPORTS, POD_GROUPS, SWEEP_REPORTS, SWITCH_REPORTS, Resource

Schema = dict[str, Any]

FOLDER = Path(__file__).resolve().parent.parent / "crds"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of `kubectl get`; a wide one shows with -o wide only."""

    name: str
    type: str
    path: str
    wide: bool = False

    def as_json(self) -> Schema:
        return {"name": self.name, "type": self.type, "jsonPath": self.path, **({"priority": 1} if self.wide else {})}


_AGE = Column("Age", "date", ".metadata.creationTimestamp")


def _condition(name: str, field: str = "status") -> str:
    return f'.status.conditions[?(@.type=="{name}")].{field}'


@dataclass(frozen=True, slots=True)
class Definition:
    """What a definition says beyond the resource's own names."""

    resource: Resource[Any]
    short_names: tuple[str, ...]
    columns: tuple[Column, ...]
    spec: Schema
    status: Schema | None = None
    status_subresource: bool = False
    spec_required: bool = False

    @property
    def file_name(self) -> str:
        return f"{self.resource.group}_{self.resource.plural}.yaml"


def crds(*, cel: bool = True) -> tuple[Schema, ...]:
    """All five definitions as JSON, ready to create; without `cel` they carry no x-kubernetes-validations."""
    return msgspec.json.decode(_encoded(cel=cel), type=tuple[Schema, ...])


def crd_files() -> dict[str, str]:
    """File name to YAML text, as they stand in `crds/`."""
    head = "# Written by `python -m kube.crds`; changes go into that module or into discovery/reports.py.\n---\n"
    return {
        definition.file_name: head + yaml.safe_dump(_object(definition), sort_keys=False, width=120)
        for definition in _definitions()
    }


@cache
def _encoded(*, cel: bool) -> bytes:
    """As JSON, for each caller gets documents of its own; to make a schema of a type takes long."""
    definitions = [_object(definition) for definition in _definitions()]
    return msgspec.json.encode(definitions if cel else _without_cel(definitions))


@cache
def _definitions() -> tuple[Definition, ...]:
    hyper_node, hyper_node_status = hyper_node_schema()
    pod_group, pod_group_status = pod_group_schema()
    return (
        Definition(HYPER_NODES, ("hn",), _HYPER_NODE_COLUMNS, hyper_node, hyper_node_status, status_subresource=True),
        Definition(POD_GROUPS, ("pg", "podgroup-v1beta1"), _POD_GROUP_COLUMNS, pod_group, pod_group_status),
        Definition(
            NODE_REPORTS, ("nr",), _NODE_REPORT_COLUMNS,
            _bounded(structural_schema(reports.NodeReport), ports=reports.MAX_PORTS, interfaces=reports.MAX_INTERFACES),
            structural_schema(reports.NodeReportStatus), status_subresource=True, spec_required=True,
        ),
        Definition(
            SWITCH_REPORTS, ("swr",), _SWITCH_REPORT_COLUMNS, structural_schema(reports.SwitchReport),
            spec_required=True,
        ),
        Definition(
            SWEEP_REPORTS, ("swp",), _SWEEP_REPORT_COLUMNS,
            _bounded(structural_schema(reports.SweepReport), missing=reports.MAX_MISSING, reasons=reports.MAX_REASONS),
            spec_required=True,
        ),
    )  # fmt: skip


_HYPER_NODE_COLUMNS = (
    Column("Tier", "string", ".spec.tier"),
    Column("TierName", "string", ".spec.tierName"),
    Column("NodeCount", "integer", ".status.nodeCount"),
    Column("Ready", "string", _condition("Ready")),
    _AGE,
)
_POD_GROUP_COLUMNS = (
    Column("STATUS", "string", ".status.phase"),
    Column("minMember", "integer", ".spec.minMember"),
    Column("RUNNINGS", "integer", ".status.running"),
    Column("AGE", "date", ".metadata.creationTimestamp"),
    Column("QUEUE", "string", ".spec.queue", wide=True),
)
_NODE_REPORT_COLUMNS = (
    Column("Placed", "string", _condition("Placed")),
    Column("Reason", "string", _condition("Placed", "reason")),
    Column("HyperNode", "string", ".status.hyperNode"),
    Column("Heartbeat", "date", ".spec.heartbeat"),
    _AGE,
)
_SWITCH_REPORT_COLUMNS = (
    Column("Description", "string", ".spec.description"),
    Column("Fabric", "string", ".spec.fabric"),
    Column("Ports", "integer", ".spec.portCount"),
    Column("Model", "string", ".spec.model", wide=True),
    _AGE,
)
_SWEEP_REPORT_COLUMNS = (
    Column("Sequence", "integer", ".spec.sequence"),
    Column("Outcome", "string", ".spec.outcome"),
    Column("Switches", "integer", ".spec.switches"),
    Column("Hosts", "integer", ".spec.hosts"),
    Column("Ended", "date", ".spec.end"),
    Column("Tool", "string", ".spec.toolVersion", wide=True),
    _AGE,
)


def _object(definition: Definition) -> Schema:
    resource = definition.resource
    names = {
        "kind": resource.kind,
        "listKind": f"{resource.kind}List",
        "plural": resource.plural,
        "singular": resource.kind.lower(),
        "shortNames": list(definition.short_names),
    }
    spec = {
        "group": resource.group,
        "names": names,
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "versions": [_version(definition)],
    }
    # Definitions stay when a chart is removed: with them would go every HyperNode.
    metadata = {
        "name": f"{resource.plural}.{resource.group}",
        "annotations": {"helm.sh/resource-policy": "keep"},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": spec,
    }


def _version(definition: Definition) -> Schema:
    text = {"type": "string"}
    properties: Schema = {"apiVersion": text, "kind": dict(text), "metadata": {"type": "object"}}
    properties["spec"] = definition.spec
    if definition.status is not None:
        properties["status"] = definition.status
    schema: Schema = {"type": "object", "properties": properties}
    if definition.spec_required:
        schema["required"] = ["spec"]
    return {
        "name": definition.resource.version,
        "served": True,
        "storage": True,
        **({"subresources": {"status": {}}} if definition.status_subresource else {}),
        "additionalPrinterColumns": [column.as_json() for column in definition.columns],
        "schema": {"openAPIV3Schema": schema},
    }


def _bounded(schema: Schema, **items: int) -> Schema:
    bounded = {name: {**schema["properties"][name], "maxItems": count} for name, count in items.items()}
    return {**schema, "properties": {**schema["properties"], **bounded}}


def _without_cel(schema: Any) -> Any:  # noqa: ANN401 - any part of a JSON document
    match schema:
        case dict():
            return {key: _without_cel(value) for key, value in schema.items() if key != "x-kubernetes-validations"}
        case list():
            return [_without_cel(item) for item in schema]
        case _:
            return schema


def main() -> None:
    """Write all definitions into `crds/`."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in crd_files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
