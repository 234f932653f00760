"""Requests: rate limit, credentials, time-outs, retries of what may be repeated, typed errors.

Everything that goes to the API server passes here; what the requests mean is `kube.client`'s matter.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from enum import Enum
from time import time

import aiohttp
from aiohttp.abc import AbstractStreamWriter

from kube.connection import Access, Connection
from kube.errors import ApiError, ConfigurationError, NotOurs, Unauthorized, Unavailable, error_for
from kube.pace import BackOff, Limits, Pace
from kube.sockets import Sockets

RENEW_AFTER = 60.0
"""Seconds after which tokens and certificates are read again."""
_SECONDS = re.compile("[0-9]+")
_TLS_VALUE = re.compile(r" ssl:(?:<[^>]*>|\S+)")
"""What the HTTP library writes of its TLS settings: an address in memory, another one each time."""


class Repeat(Enum):
    """When a call may be sent a second time."""

    SAFE = "it reads, or doing it twice is doing it once"
    UNSENT = "only when the server certainly has not done it: no connection, or 429"
    NEVER = "a 429 is an answer (an eviction that a budget forbids)"


@dataclass(frozen=True, slots=True)
class Call:
    """One request, and the words for its errors: verb and target."""

    verb: str
    target: str
    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    content_type: str = "application/json"
    accept: str = "application/json"
    repeat: Repeat = Repeat.UNSENT


class _Guarded(aiohttp.BytesPayload):
    """A body that is asked about once more when its first byte is about to go: making a connection may take long."""

    def __init__(self, body: bytes, may_send: Callable[[], bool]) -> None:
        super().__init__(body)
        self._may_send = may_send

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:
        """Raise in place of sending; the server drops a request whose body never comes."""
        if not self._may_send():
            raise _TooLateError
        await super().write_with_length(writer, content_length)


class _TooLateError(Exception):
    """The permission ended on the way."""


@dataclass(frozen=True, slots=True)
class _Failed:
    """One attempt that failed, and whether the server may have done what was asked."""

    error: ApiError
    sent: bool
    cause: BaseException | None = None


class Transport:
    """The HTTP session with one API server."""

    def __init__(self, connection: Connection, limits: Limits) -> None:
        self._connection = connection
        self._limits = limits
        self._pace = Pace(limits)
        self._slots = asyncio.Semaphore(limits.in_flight)
        self._session: aiohttp.ClientSession | None = None
        self._sockets = Sockets()
        self._closed = False
        self._access: Access | None = None
        self._access_read = 0.0
        self._reading = asyncio.Lock()

    async def close(self) -> None:
        """End the session for good; open watches end with it. A call that still waits for its turn opens no other."""
        self._closed = True
        if self._session is not None:
            await self._session.close()
            self._session = None
            await self._sockets.end()

    async def send(self, call: Call, may_send: Callable[[], bool] = lambda: True) -> bytes:
        """The body of the answer; raises ApiError after the attempts that the call allows.

        `may_send` is asked just before every attempt, after all waiting; NotOurs when it says no.
        """
        back_off = BackOff(longest=10.0)
        refused = False
        attempt = 0
        while True:
            attempt += 1
            answer = await self._attempt(call, may_send)
            if isinstance(answer, bytes):
                return answer
            if isinstance(answer.error, Unauthorized) and not refused:
                refused = True
                attempt -= 1
                await self._renew(call, refused=True)
            elif attempt >= self._limits.attempts or not _may_repeat(call, answer):
                try:
                    raise answer.error from answer.cause
                finally:
                    del answer  # an error holds the frames that it passed: with it here neither would be freed
            else:
                await asyncio.sleep(self._wait(answer.error, back_off))

    @asynccontextmanager
    async def stream(self, call: Call) -> AsyncIterator[aiohttp.StreamReader]:
        """The open answer of a watch; raises ApiError when it cannot be opened. A second try is the caller's matter."""
        await self._pace.turn()
        access = await self._renew(call)
        patience = aiohttp.ClientTimeout(total=None, sock_connect=10.0, sock_read=self._limits.idle)
        try:
            response = await self._open(call, access, patience)
        except (aiohttp.ClientError, OSError) as error:
            raise Unavailable(call.verb, call.target, _words(error)) from error
        async with response:
            if response.status >= 400:
                async with asyncio.timeout(self._limits.timeout):
                    failed = await self._error(call, response)
                if isinstance(failed, Unauthorized):
                    await self._renew(call, refused=True)
                try:
                    raise failed
                finally:
                    del failed  # as in `send`
            try:
                yield response.content
            finally:
                _hang_up(response)

    async def _attempt(self, call: Call, may_send: Callable[[], bool]) -> bytes | _Failed:
        await self._pace.turn()
        access = await self._renew(call)
        patience = aiohttp.ClientTimeout(total=self._limits.timeout, sock_connect=self._limits.connect)
        try:
            async with self._slots:
                if not may_send():
                    raise _not_ours(call)
                async with await self._open(call, access, patience, may_send) as response:
                    if response.status >= 400:
                        return _Failed(await self._error(call, response), response.status not in (401, 429))
                    return await response.read()
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            return _Failed(Unavailable(call.verb, call.target, _words(error)), sent=False, cause=error)
        except (aiohttp.ClientError, OSError) as error:
            if isinstance(error.__cause__, _TooLateError):
                raise _not_ours(call) from error
            return _Failed(Unavailable(call.verb, call.target, _words(error)), sent=True, cause=error)

    async def _open(
        self, call: Call, access: Access, patience: aiohttp.ClientTimeout, may_send: Callable[[], bool] | None = None
    ) -> aiohttp.ClientResponse:
        if self._closed:
            raise Unavailable(call.verb, call.target, "the client is closed")
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=0, socket_factory=self._sockets.make)
            self._session = aiohttp.ClientSession(
                connector=connector, cookie_jar=aiohttp.DummyCookieJar(), trust_env=not self._connection.is_local
            )
        headers = {"Accept": call.accept, "User-Agent": self._connection.agent, **access.headers}
        if call.body is not None:
            headers["Content-Type"] = call.content_type
        tls: ssl.SSLContext | bool = access.tls if access.tls is not None else True
        return await self._session.request(
            call.method,
            self._connection.server + call.path,
            params=call.query,
            data=_Guarded(call.body, may_send) if call.body is not None and may_send is not None else call.body,
            headers=headers,
            timeout=patience,
            ssl=tls,
            server_hostname=access.server_name,
            proxy=self._connection.proxy,
            allow_redirects=False,
        )

    async def _error(self, call: Call, response: aiohttp.ClientResponse) -> ApiError:
        if response.status == 429:
            self._pace.pushed_back()
        body = await response.read()
        return error_for(
            call.verb, call.target, response.status, body, _retry_after(response.headers.get("Retry-After"))
        )

    async def _renew(self, call: Call, *, refused: bool = False) -> Access:
        """Access that is no older than a minute; read again at once when the server refused it."""
        asked = asyncio.get_running_loop().time()
        if self._access is not None and not refused and asked - self._access_read < RENEW_AFTER:
            return self._access
        async with self._reading:
            if self._access is None or self._access_read < asked - (0 if refused else RENEW_AFTER):
                try:
                    self._access = await self._connection.credentials.read(refused=refused)
                except ConfigurationError as error:
                    raise Unauthorized(call.verb, call.target, str(error)) from error
                self._access_read = asyncio.get_running_loop().time()
            return self._access

    def _wait(self, error: ApiError, back_off: BackOff) -> float:
        pause = back_off.pause()
        if error.retry_after is None:
            return pause
        return min(max(error.retry_after, pause), self._limits.longest_wait)


def _hang_up(response: aiohttp.ClientResponse) -> None:
    """End the connection of an answer that goes on; one that was read to its end has given it back already."""
    connection = response.connection
    if connection is not None and connection.transport is not None:
        connection.transport.abort()


def _not_ours(call: Call) -> NotOurs:
    return NotOurs(call.verb, call.target, "nothing was sent: this process may not write any more")


def _may_repeat(call: Call, failure: _Failed) -> bool:
    if not isinstance(failure.error, Unavailable) or call.repeat is Repeat.NEVER:
        return False
    return call.repeat is Repeat.SAFE or not failure.sent


def _retry_after(header: str | None) -> float | None:
    """Seconds of a Retry-After header, which holds a number or a date (RFC 9110, 10.2.3); None for what is neither."""
    if header is None:
        return None
    try:
        if _SECONDS.fullmatch(header.strip()):
            return float(header)
        return max(0.0, parsedate_to_datetime(header).timestamp() - time())
    except (ValueError, OverflowError):
        return None


def _words(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return _TLS_VALUE.sub("", str(error)) or type(error).__name__
