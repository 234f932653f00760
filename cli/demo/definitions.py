"""Custom resource definitions on a server: which are there, and creating those that are missing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from cli.demo.kinds import Named
from kube.client import Client
from kube.meta import Body, Condition, ObjectMeta, Wire
from kube.resources import Resource

PATIENCE = 30.0
"""Seconds until a definition that is not established is an error."""


class DefinitionStatus(Wire, frozen=True, kw_only=True):
    """What the server makes of it."""

    conditions: tuple[Condition, ...] | None = None
    """null in the answer to its creation."""


class Names(Wire, frozen=True, kw_only=True):
    """How its kind is called."""

    plural: str = ""
    kind: str = ""


class Version(Wire, frozen=True, kw_only=True):
    """One version of its kind."""

    name: str = ""
    served: bool = True


class DefinitionSpec(Wire, frozen=True, kw_only=True):
    """What it defines."""

    group: str = ""
    scope: str = ""
    names: Names = Names()
    versions: tuple[Version, ...] = ()


class Definition(Wire, frozen=True, kw_only=True):
    """A CustomResourceDefinition, as far as the demo looks at one."""

    metadata: ObjectMeta = ObjectMeta()
    spec: DefinitionSpec = DefinitionSpec()
    status: DefinitionStatus = DefinitionStatus()

    @property
    def is_established(self) -> bool:
        """Whether objects of its kind can be made."""
        return any(found.type == "Established" and found.status == "True" for found in self.status.conditions or ())

    def kind(self) -> Resource[Named]:
        """The kind that it defines, of whose objects only the metadata is read."""
        spec = self.spec
        version = next((version.name for version in spec.versions if version.served), "")
        return Resource(spec.group, version, spec.names.plural, spec.names.kind, spec.scope == "Namespaced", Named)


DEFINITIONS = Resource(
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", False, Definition
)


async def missing(client: Client, bodies: Iterable[Body]) -> list[Body]:
    """Those of the definitions that the server has not, by name."""
    there = {found.metadata.name for found in (await client.list(DEFINITIONS)).items}
    return [body for body in bodies if body["metadata"]["name"] not in there]


async def define(client: Client, bodies: Sequence[Body]) -> None:
    """Create these definitions and wait until objects of their kinds can be made. TimeoutError if they never can."""
    names = {body["metadata"]["name"] for body in bodies}
    for body in bodies:
        await client.create(DEFINITIONS, body)
    async with asyncio.timeout(PATIENCE):
        while True:
            found = (await client.list(DEFINITIONS)).items
            if names <= {one.metadata.name for one in found if one.is_established}:
                return
            await asyncio.sleep(0.05)
