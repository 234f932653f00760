"""Who may read what a process serves to the network: whoever the API server knows and lets get the path.

On the loopback address everybody may. Elsewhere a bearer token is asked for; the API server says whose it is
(TokenReview) and whether he may get the path (SubjectAccessReview). Its answers are kept for a short time, and few are
asked for at once. Where it cannot be asked, nobody may.
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

from cli.processes.sections import split_address
from kube.access import Right, rights
from kube.client import Client
from kube.connection import Connection
from kube.errors import ApiError, Forbidden
from kube.pace import Limits
from kube.reviews import SUBJECT_REVIEWS, TOKEN_REVIEWS, may_get_path, owner_of
from kube.tenure import steady

LIMITS = Limits(attempts=1, timeout=5.0)
AT_ONCE, WAITING = 2, 32
"""Tokens that are asked about side by side, and those that may wait for it."""
ALLOWED_SECONDS, REFUSED_SECONDS = 60.0, 10.0
"""How long an answer is kept."""
KEPT = 128
"""Answers of either kind."""
LONGEST_TOKEN = 16_384


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why somebody may not read, as an HTTP status and a sentence."""

    status: int
    sentence: str


class Gate(Protocol):
    """Asked before every answer that is not for everybody."""

    async def refusal(self, path: str, authorization: str) -> Refusal | None:
        """Why the bearer of this Authorization header ("" for none) may not get the path; None: he may."""
        ...


class Open:
    """Everybody may."""

    async def refusal(self, path: str, authorization: str) -> Refusal | None:
        """Never."""
        del path, authorization
        return None


@dataclass(slots=True)
class Answers:
    """What was found out about a path and a token, by a hash of both, for some seconds; the oldest make room."""

    seconds: float
    clock: Callable[[], float]
    kept: dict[bytes, tuple[Refusal | None, float]] = field(default_factory=dict)

    def put(self, key: bytes, answer: Refusal | None) -> None:
        """Keep this one."""
        self.kept.pop(key, None)
        while len(self.kept) >= KEPT:
            del self.kept[next(iter(self.kept))]
        self.kept[key] = (answer, self.clock() + self.seconds)

    def get(self, key: bytes) -> tuple[Refusal | None] | None:
        """The answer, or None where there is none any more."""
        answer, until = self.kept.get(key, (None, 0.0))
        return (answer,) if self.clock() < until else None


class Reviewing:
    """The gate that asks the API server."""

    def __init__(self, client: Client, clock: Callable[[], float] = steady) -> None:
        self._client = client
        self._allowed, self._refused = Answers(ALLOWED_SECONDS, clock), Answers(REFUSED_SECONDS, clock)
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    async def refusal(self, path: str, authorization: str) -> Refusal | None:
        """Whose token it is and whether he may, as far as it is not known from before."""
        scheme, _, token = authorization.strip().partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token or len(token) > LONGEST_TOKEN:
            return Refusal(401, f"{path} asks for a bearer token whose account may get it ({_ADVICE})")
        if not token.isascii():  # bytes that are no text come as halves of characters, which nothing can encode
            return Refusal(401, "the bearer token has other characters than letters, digits and signs of ASCII")
        key = hashlib.sha256(f"{path} {token}".encode()).digest()
        known = self._known(key)
        if known is not None:
            return known[0]
        if self._waiting >= WAITING:
            return Refusal(503, "too many tokens are being checked; try again later")
        self._waiting += 1
        try:
            async with self._slots:
                known = self._known(key) or (await self._ask(key, path, token),)
        finally:
            self._waiting -= 1
        return known[0]

    def _known(self, key: bytes) -> tuple[Refusal | None] | None:
        return self._allowed.get(key) or self._refused.get(key)

    async def _ask(self, key: bytes, path: str, token: str) -> Refusal | None:
        try:
            answer = await _review(self._client, path, token)
        except Forbidden as error:
            advice = "bind the ClusterRole hyperscout-metrics-server to the account of this process"
            return Refusal(503, f"cannot find out who asks: {error.message}; {advice}")
        except ApiError as error:
            return Refusal(503, f"cannot find out who asks: {error}")
        (self._refused if answer else self._allowed).put(key, answer)
        return answer


_ADVICE = "ClusterRole hyperscout-metrics-reader"


async def _review(client: Client, path: str, token: str) -> Refusal | None:
    user = await owner_of(client, token)
    if user is None:
        return Refusal(401, "the API server does not accept this token")
    if await may_get_path(client, user, path):
        return None
    return Refusal(403, f"{user.username} may not get {path}; bind the {_ADVICE} to it")


def is_loopback(listen: str) -> bool:
    """Whether only this host can reach HOST:PORT."""
    host, _ = split_address(listen)
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def rights_for(listen: str) -> tuple[Right, ...]:
    """What a process that serves there must be allowed to ask."""
    return () if is_loopback(listen) else tuple(rights("create", TOKEN_REVIEWS, SUBJECT_REVIEWS))


@asynccontextmanager
async def gate_for(listen: str, connection: Connection) -> AsyncIterator[Gate]:
    """The gate of what is served there, as long as the context is open."""
    if is_loopback(listen):
        yield Open()
        return
    async with Client(connection, LIMITS) as client:
        yield Reviewing(client)
