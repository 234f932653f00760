"""CustomResourceDefinitions: those that are missing, and the fields that one lacks which somebody else brought."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cli.advice import bring_kinds
from cli.doctor.finding import Finding, fine, named, wrong
from cli.doctor.kinds import DEFINITIONS
from kube.client import Client
from kube.crds import crds
from kube.errors import NotFound
from kube.meta import Body

TOPIC = "definitions"
OURS = "hyperscout.io"


async def look_at_definitions(client: Client) -> list[Finding]:
    """A finding for each of the kinds that we need."""
    return [await _look(client, wanted) for wanted in crds()]


async def _look(client: Client, wanted: Body) -> Finding:
    name = str(wanted["metadata"]["name"])
    try:
        present = await client.get_document(DEFINITIONS, name)
    except NotFound:
        return wrong(TOPIC, f"{name} is not installed", bring_kinds([name]))
    version = wanted["spec"]["versions"][0]
    served = [one for one in present["spec"]["versions"] if one["name"] == version["name"] and one.get("served")]
    if not served:
        return wrong(TOPIC, f"{name} does not serve {version['name']}", _mend(wanted))
    lacking = list(missing_fields(_schema(version), _schema(served[0])))
    if lacking:
        return wrong(TOPIC, f"{name} lacks {named(lacking)}", _mend(wanted))
    return fine(TOPIC, f"{name} has every field that is used")


def _schema(version: Body) -> Body:
    found: Body = version.get("schema", {}).get("openAPIV3Schema", {})
    return found


def _mend(wanted: Body) -> str:
    if wanted["spec"]["group"] == OURS:
        return f"it is older than this program: {bring_kinds([wanted['metadata']['name']])}"
    return "hyperscout leaves it as it is: upgrade Volcano, which brought it"


def missing_fields(wanted: Body, present: Body, path: str = "") -> Iterator[str]:
    """Paths of fields of one structural schema that another would drop: `spec.members[].selector`."""
    if present.get("x-kubernetes-preserve-unknown-fields"):
        return
    have: dict[str, Any] = present.get("properties", {})
    for name, schema in wanted.get("properties", {}).items():
        here = f"{path}.{name}" if path else name
        if name in have:
            yield from missing_fields(schema, have[name], here)
        elif not isinstance(present.get("additionalProperties"), dict):
            yield here
    for field, sign in (("items", "[]"), ("additionalProperties", "{}")):
        inner, other = wanted.get(field), present.get(field)
        if isinstance(inner, dict) and isinstance(other, dict):
            yield from missing_fields(inner, other, path + sign)
