"""What we may do, asked before it is done. Source: `authorization/v1/types.go`, SelfSubjectAccessReview."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kube.client import Client
from kube.errors import NotFound
from kube.meta import ObjectMeta, Wire
from kube.resources import LEASES, Resource


class ReviewStatus(Wire, frozen=True, kw_only=True):
    """The answer."""

    allowed: bool = False


class AccessReview(Wire, frozen=True, kw_only=True):
    """A question that is answered when it is created, and kept nowhere."""

    metadata: ObjectMeta = ObjectMeta()
    status: ReviewStatus = ReviewStatus()


REVIEWS = Resource(
    "authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", False, AccessReview
)


REVIEWS_OF_OTHERS = Resource(
    "authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", False, AccessReview
)


@dataclass(frozen=True, slots=True)
class Account:
    """A ServiceAccount, as the API server sees who comes with its token."""

    namespace: str
    name: str

    @property
    def user(self) -> str:
        return f"system:serviceaccount:{self.namespace}:{self.name}"

    @property
    def groups(self) -> list[str]:
        return ["system:serviceaccounts", f"system:serviceaccounts:{self.namespace}", "system:authenticated"]


@dataclass(frozen=True, slots=True)
class Right:
    """One verb on one kind or a subresource of it; namespace "" is everywhere, name "" every object."""

    verb: str
    resource: Resource[Any]
    subresource: str = ""
    namespace: str = ""
    name: str = ""

    def __str__(self) -> str:
        group = f".{self.resource.group}" if self.resource.group else ""
        subresource = f"/{self.subresource}" if self.subresource else ""
        name = f" {self.name}" if self.name else ""
        inside = f" in namespace {self.namespace}" if self.namespace else ""
        return f"{self.verb} {self.resource.plural}{group}{subresource}{name}{inside}"


def rights(
    verbs: str, *resources: Resource[Any], subresource: str = "", namespace: str = "", name: str = ""
) -> list[Right]:
    """Every one of the verbs (separated by blanks) on every one of the kinds."""
    return [Right(verb, resource, subresource, namespace, name) for resource in resources for verb in verbs.split()]


def lease_rights(namespace: str, name: str) -> list[Right]:
    """To stand for one Lease. A creation cannot be limited by name: its request has none in its path."""
    held = rights("get update", LEASES, namespace=namespace, name=name)
    return [*rights("create", LEASES, namespace=namespace), *held]


async def missing_rights(client: Client, wanted: Iterable[Right], of: Account | None = None) -> list[Right]:
    """Those that the server would refuse us, or an account; none where it knows no such question."""
    asked = list(wanted)
    try:
        allowed = await asyncio.gather(*(_may(client, right, of) for right in asked))
    except NotFound:
        return []
    return [right for right, allows in zip(asked, allowed, strict=True) if not allows]


async def _may(client: Client, right: Right, of: Account | None) -> bool:
    attributes = {
        "verb": right.verb,
        "group": right.resource.group,
        "resource": right.resource.plural,
        "subresource": right.subresource,
        "namespace": right.namespace,
        "name": right.name,
    }
    question = {"resourceAttributes": attributes}
    if of is None:
        answer = await client.create(REVIEWS, {"spec": question})
    else:
        answer = await client.create(REVIEWS_OF_OTHERS, {"spec": question | {"user": of.user, "groups": of.groups}})
    return answer.status.allowed
