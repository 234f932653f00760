"""What can go wrong at the API server: one exception a cause, each saying what was asked, the answer and what to do."""
# ruff: noqa: N818 - errors are named as the server names them

from __future__ import annotations

import msgspec

from kube.meta import Status

READS = frozenset({"get", "list", "watch", "discover"})
"""The verbs that change nothing."""
LONGEST_RETRY_AFTER = 300.0
"""Seconds: whoever is told to come back tomorrow comes back sooner, or one wrong answer would silence it for a day."""


class ApiError(Exception):
    """A call that was not answered with success."""

    advice = "see the server's message"

    def __init__(self, verb: str, target: str, message: str, code: int = 0, retry_after: float | None = None) -> None:
        super().__init__(verb, target, message)
        self.verb = verb
        self.target = target
        self.message = message
        self.code = code
        self.retry_after = retry_after
        """Seconds the server asks to wait, `LONGEST_RETRY_AFTER` at most; None when it does not say."""

    def __str__(self) -> str:
        answer = f"{self.message} (HTTP {self.code})" if self.code else self.message
        return f"cannot {self.verb} {self.target}: {answer}; {self.advice}"


class NotFound(ApiError):
    """404: no such object, or no such kind."""

    advice = "check the name, and that the CustomResourceDefinition of the kind is installed"


class AlreadyExists(ApiError):
    """409 AlreadyExists: the name is taken."""

    advice = "read the object that is there, or choose another name"


class Conflict(ApiError):
    """409 Conflict: the object changed since it was read, or a precondition (uid, resourceVersion) does not hold."""

    advice = "read the object again and decide afresh"


class Gone(ApiError):
    """410: the resourceVersion or continue token is too old."""

    advice = "list again from the start"


class Forbidden(ApiError):
    """403: the credentials are known, the right is missing (or an admission rule or quota refuses)."""

    advice = "grant the right in a Role or ClusterRole, or see the admission rule that the message names"


class Unauthorized(ApiError):
    """401: the credentials are not accepted."""

    advice = "check the token or client certificate in use (they were read again once already)"


class Invalid(ApiError):
    """400, 405, 415, 422: the server does not accept the request as it is."""

    advice = "the request must be changed; the message names the field"


class Unavailable(ApiError):
    """No answer, or 429 or 5xx after all retries: the server may or may not have done it."""

    advice = "try again later; read the object first, for it may be done"

    def __init__(self, verb: str, target: str, message: str, code: int = 0, retry_after: float | None = None) -> None:
        super().__init__(verb, target, message, code, retry_after)
        if verb in READS:
            self.advice = "try again later"


class NotOurs(ApiError):
    """We lead no more, or are about to stop: nothing was sent."""

    advice = "whoever leads now decides afresh"


class ConfigurationError(Exception):
    """No usable way to reach a cluster: the message says what was looked for and where."""


_BY_CODE: dict[int, type[ApiError]] = {401: Unauthorized, 403: Forbidden, 404: NotFound, 410: Gone, 429: Unavailable}


def read_status(body: bytes) -> Status | None:
    """The server's Status; None when the body is something else (a proxy's HTML page)."""
    try:
        return msgspec.json.decode(body, type=Status)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def error_for(verb: str, target: str, code: int, body: bytes, retry_after: float | None = None) -> ApiError:
    """The typed error for an HTTP answer of 400 or more."""
    status = read_status(body)
    message = (status.message or status.reason) if status else body[:200].decode("utf-8", "replace").strip()
    if retry_after is None and status and status.details and status.details.retry_after_seconds:
        retry_after = float(status.details.retry_after_seconds)
    if retry_after is not None:
        retry_after = min(max(0.0, retry_after), LONGEST_RETRY_AFTER)
    kind: type[ApiError]
    if code == 409:
        kind = AlreadyExists if status and status.reason == "AlreadyExists" else Conflict
    elif code >= 500:
        kind = Unavailable
    else:
        kind = _BY_CODE.get(code, Invalid)
    return kind(verb, target, message or "the server gave no reason", code, retry_after)
