"""Refusals: every answer that is not a success, as the Kubernetes Status object that clients understand.

Texts, reasons and codes follow k8s.io/apimachinery (api/errors), so that clients that look at them keep working.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kube.embedded.kinds import JsonObject, Kind


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing wrong with one field. Reasons are FieldValueInvalid, FieldValueRequired and their like."""

    field: str
    reason: str
    message: str


class StatusError(Exception):
    """A request that is not carried out, and why."""

    def __init__(self, code: int, reason: str, message: str, details: JsonObject | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details or {}

    def status(self) -> JsonObject:
        """The Status object on the wire."""
        body: JsonObject = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
            "code": self.code,
        }
        if self.details:
            body["details"] = self.details
        return body


def success(kind: Kind, name: str, uid: str = "") -> JsonObject:
    """The Status that answers a deletion."""
    details = _details(kind, name)
    if uid:
        details["uid"] = uid
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}


def _details(kind: Kind, name: str) -> JsonObject:
    details: JsonObject = {"name": name} if name else {}
    details["kind"] = kind.resource.plural
    if kind.resource.group:
        details["group"] = kind.resource.group
    return details


def bad_request(message: str) -> StatusError:
    """The request itself cannot be understood."""
    return StatusError(400, "BadRequest", message)


def unauthorized() -> StatusError:
    """No token, or another one."""
    return StatusError(401, "Unauthorized", "Unauthorized")


def forbidden(kind: Kind, name: str, why: str) -> StatusError:
    """Understood, and never allowed."""
    return StatusError(403, "Forbidden", f'{kind.resource} "{name}" is forbidden: {why}', _details(kind, name))


def not_found(kind: Kind, name: str) -> StatusError:
    """No object of that name."""
    return StatusError(404, "NotFound", f'{kind.resource} "{name}" not found', _details(kind, name))


def no_such_path() -> StatusError:
    """Nothing is served there."""
    return StatusError(404, "NotFound", "the server could not find the requested resource", {})


def method_not_allowed(method: str) -> StatusError:
    """The path exists, the verb does not."""
    message = "the server does not allow this method on the requested resource"
    return StatusError(405, "MethodNotAllowed", f"{message}: {method}")


def already_exists(kind: Kind, name: str) -> StatusError:
    """A create of a name that is taken."""
    return StatusError(409, "AlreadyExists", f'{kind.resource} "{name}" already exists', _details(kind, name))


def conflict(kind: Kind, name: str, why: str, subresource: str = "") -> StatusError:
    """The object is not what the request takes it to be."""
    where = f"{kind.resource.plural}/{subresource}" if subresource else str(kind.resource)
    message = f'Operation cannot be fulfilled on {where} "{name}": {why}'
    return StatusError(409, "Conflict", message, _details(kind, name) | ({"kind": where} if subresource else {}))


def stale(kind: Kind, name: str) -> StatusError:
    """The resourceVersion sent is not the newest."""
    why = "the object has been modified; please apply your changes to the latest version and try again"
    return conflict(kind, name, why)


def expired(message: str) -> StatusError:
    """A revision that is not kept any more: list again."""
    return StatusError(410, "Expired", message)


def too_large_resource_version(asked: int, current: int) -> StatusError:
    """A revision from the future, for instance of a server that ran before this one."""
    cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
    details = {"causes": [cause], "retryAfterSeconds": 1}
    return StatusError(504, "Timeout", f"Too large resource version: {asked}, current: {current}", details)


def unsupported_media_type(sent: str, accepted: Iterable[str], advice: str = "") -> StatusError:
    """A body in a form that is not read here."""
    expected = ", ".join(accepted)
    message = f"the body of the request was in an unknown format - {sent} - accepted media types include: {expected}"
    return StatusError(415, "UnsupportedMediaType", message + advice)


def invalid(kind: Kind, name: str, causes: Iterable[Cause]) -> StatusError:
    """An object that breaks its schema or a rule of its kind; every cause is named."""
    causes = list(causes)
    qualified = f"{kind.kind}.{kind.resource.group}" if kind.resource.group else kind.kind
    texts = [f"{cause.field}: {cause.message}" for cause in causes]
    text = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    details = _details(kind, name) | {"kind": kind.kind}
    details["causes"] = [{"reason": c.reason, "message": c.message, "field": c.field} for c in causes]
    return StatusError(422, "Invalid", f'{qualified} "{name}" is invalid: {text}', details)


def invalid_options(kind: str, field: str, reason: str, message: str) -> StatusError:
    """Options of a request (ListOptions, PatchOptions) that cannot be."""
    text = f'{kind}.meta.k8s.io "" is invalid: {field}: {message}'
    cause = {"reason": reason, "message": message, "field": field}
    return StatusError(422, "Invalid", text, {"group": "meta.k8s.io", "kind": kind, "causes": [cause]})
