"""A bare HTTP client for the contract tests: no logic of ours between the test and the server."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp

Json = dict[str, Any]

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer, its body read as JSON."""

    status: int
    body: Json
    headers: Mapping[str, str]

    @property
    def reason(self) -> str:
        """The reason of a Status object."""
        return str(self.body.get("reason", ""))


@dataclass(frozen=True, slots=True)
class _Body:
    text: str
    media_type: str = "application/json"


@dataclass(slots=True)
class Stream:
    """An open watch."""

    response: aiohttp.ClientResponse
    seen: list[Json] = field(default_factory=list)

    async def next(self, seconds: float = 5.0) -> Json:
        """The next event. Raises TimeoutError where none comes, StopAsyncIteration where the server ends the watch."""
        async with asyncio.timeout(seconds):
            line = await self.response.content.readline()
        if not line:
            raise StopAsyncIteration
        event: Json = json.loads(line)
        self.seen.append(event)
        return event


@dataclass(slots=True)
class Api:
    """Requests to one server."""

    session: aiohttp.ClientSession
    url: str

    async def get(self, path: str, accept: str = "application/json", **query: str) -> Answer:
        """GET; a query parameter `continue_` is sent as `continue`."""
        return await self._ask("GET", path, query, accept=accept)

    async def post(self, path: str, body: object, **query: str) -> Answer:
        """POST of a JSON body."""
        return await self._ask("POST", path, query, _Body(json.dumps(body)))

    async def put(self, path: str, body: object, **query: str) -> Answer:
        """PUT of a JSON body."""
        return await self._ask("PUT", path, query, _Body(json.dumps(body)))

    async def patch(self, path: str, body: object, media_type: str = MERGE, **query: str) -> Answer:
        """PATCH; the media type says which."""
        return await self._ask("PATCH", path, query, _Body(json.dumps(body), media_type))

    async def apply(self, path: str, body: object, manager: str, **query: str) -> Answer:
        """Server-side apply."""
        return await self.patch(path, body, APPLY, fieldManager=manager, **query)

    async def delete(self, path: str, body: object = None, **query: str) -> Answer:
        """DELETE, with DeleteOptions as the body."""
        return await self._ask("DELETE", path, query, _Body(json.dumps(body) if body else ""))

    async def created(self, path: str, body: object) -> Json:
        """POST that must succeed; the object."""
        answer = await self.post(path, body)
        assert answer.status == 201, answer.body
        return answer.body

    @asynccontextmanager
    async def watch(self, path: str, **query: str) -> AsyncIterator[Stream]:
        """An open watch on a collection."""
        query = {"watch": "true"} | query
        timeout = aiohttp.ClientTimeout(total=None)
        async with self.session.get(f"{self.url}{path}", params=query, timeout=timeout) as response:
            assert response.status == 200, await response.text()
            try:
                yield Stream(response)
            finally:  # TLS would say goodbye in the background, and outlive the test's loop
                if (transport := _transport_of(response)) is not None:
                    transport.abort()

    async def _ask(
        self, method: str, path: str, query: Json, body: _Body | None = None, accept: str = "application/json"
    ) -> Answer:
        params = {name.rstrip("_"): value for name, value in query.items()}
        headers = {"Accept": accept}
        if body is not None and body.text:
            headers["Content-Type"] = body.media_type
        data = io.BytesIO(body.text.encode()) if body is not None else None
        request = self.session.request(method, f"{self.url}{path}", params=params, data=data, headers=headers)
        async with request as response:
            transport = _transport_of(response)
            text = await response.text()
            if response.status == 413 and transport is not None:  # the server reads the rest of the body no more
                transport.abort()
            body_read: Json = json.loads(text) if text.startswith("{") else {"text": text}
            return Answer(response.status, body_read, response.headers)


def _transport_of(response: aiohttp.ClientResponse) -> asyncio.WriteTransport | None:
    """What the answer comes through, while it does."""
    connection = response.connection
    transport = connection.transport if connection is not None else None
    return transport if isinstance(transport, asyncio.WriteTransport) else None
