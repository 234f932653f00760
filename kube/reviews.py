"""Who somebody else is, and what he may do: questions that the API server answers and keeps nowhere.

Source: `authentication/v1/types.go` (TokenReview), `authorization/v1/types.go` (SubjectAccessReview).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from kube.access import ReviewStatus
from kube.client import Client
from kube.meta import ObjectMeta, Wire
from kube.resources import Resource


class User(Wire, frozen=True, kw_only=True):
    """Somebody whom the API server knows."""

    username: str = ""
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = {}


class TokenReviewStatus(Wire, frozen=True, kw_only=True):
    """Whose token it is, if it is good."""

    authenticated: bool = False
    user: User = User()


class TokenReview(Wire, frozen=True, kw_only=True):
    """The answer about a token."""

    metadata: ObjectMeta = ObjectMeta()
    status: TokenReviewStatus = TokenReviewStatus()


class SubjectAccessReview(Wire, frozen=True, kw_only=True):
    """The answer about a right of somebody."""

    metadata: ObjectMeta = ObjectMeta()
    status: ReviewStatus = ReviewStatus()


TOKEN_REVIEWS: Resource[TokenReview] = Resource(
    "authentication.k8s.io", "v1", "tokenreviews", "TokenReview", namespaced=False, type=TokenReview
)
SUBJECT_REVIEWS: Resource[SubjectAccessReview] = Resource(
    "authorization.k8s.io",
    "v1",
    "subjectaccessreviews",
    "SubjectAccessReview",
    namespaced=False,
    type=SubjectAccessReview,
)


async def owner_of(client: Client, token: str) -> User | None:
    """Whose token this is; None for one that the API server does not accept. ApiError when it cannot be asked."""
    answer = await client.create(TOKEN_REVIEWS, {"spec": {"token": token}})
    return answer.status.user if answer.status.authenticated else None


async def may_get_path(client: Client, user: User, path: str) -> bool:
    """Whether he may get a path that belongs to no kind (`nonResourceURLs`). ApiError when it cannot be asked."""
    attributes = {"nonResourceAttributes": {"path": path, "verb": "get"}}
    spec: dict[str, Any] = attributes | {"user": user.username, "uid": user.uid, "groups": list(user.groups)}
    spec["extra"] = msgspec.to_builtins(user.extra)
    return (await client.create(SUBJECT_REVIEWS, {"spec": spec})).status.allowed
