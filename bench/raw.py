"""Plain requests to an API server, without our client: many at once, pages of a list as bytes, a watch with times."""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp

AT_ONCE = 32
PAGE = 500
_TELL_EVERY = 5.0


@dataclass(frozen=True, slots=True)
class Raw:
    """One server, as one user."""

    session: aiohttp.ClientSession
    url: str

    async def send(self, method: str, path: str, body: object = None, kind: str = "application/json") -> Any:  # noqa: ANN401 - any JSON value
        """One request; RuntimeError where the server does not do it."""
        data = json.dumps(body).encode() if body is not None else None
        async with self.session.request(
            method, self.url + path, data=data, headers={"Content-Type": kind}, params=None
        ) as answer:
            text = await answer.read()
            if answer.status >= 300:
                raise RuntimeError(f"{method} {path}: {answer.status} {text[:300].decode(errors='replace')}")
            return json.loads(text) if text else None

    async def apply(self, path: str, body: object) -> Any:  # noqa: ANN401 - any JSON value
        """Server-side apply, as agents and sweepers write."""
        return await self.send("PATCH", f"{path}?fieldManager=bench&force=true", body, "application/apply-patch+yaml")

    async def create_all(self, what: str, path: str, bodies: Iterable[object]) -> None:
        """POST all of them, many side by side, with progress on stderr."""
        began, done, left = time.monotonic(), 0, iter(bodies)
        told = began

        async def work() -> None:
            nonlocal done, told
            for body in left:
                await self.send("POST", path, body)
                done += 1
                if time.monotonic() - told > _TELL_EVERY:
                    told = time.monotonic()
                    say(f"{what}: {done:,} …")

        await asyncio.gather(*(work() for _ in range(AT_ONCE)))
        say(f"{what}: {done:,} in {time.monotonic() - began:.0f} s")

    async def receive(self, path: str) -> int:
        """A list page by page, as our client asks for it, without looking into it; how many bytes came."""
        size, rest = 0, ""
        while True:
            query = {"limit": str(PAGE), **({"continue": rest} if rest else {})}
            async with self.session.get(
                self.url + path, params=query, headers={"Accept": "application/json"}
            ) as answer:
                body = await answer.read()
            size += len(body)
            rest = _continue(body)
            if not rest:
                return size

    async def watch(self, path: str, version: str) -> AsyncIterator[tuple[float, dict[str, Any]]]:
        """Events with the time (monotonic) at which each came."""
        query = {"watch": "true", "resourceVersion": version}
        patience = aiohttp.ClientTimeout(total=None)
        async with self.session.get(self.url + path, params=query, timeout=patience) as answer:
            rest = b""
            async for chunk in answer.content.iter_any():
                now = time.monotonic()
                *whole, rest = (rest + chunk).split(b"\n")
                for line in whole:
                    yield now, json.loads(line)


def _continue(body: bytes) -> str:
    """The token is in the head of the page: the metadata come before the items."""
    head = body[:4096]
    at = head.find(b'"continue":"')
    return head[at + 12 : head.index(b'"', at + 12)].decode() if at >= 0 else ""


@asynccontextmanager
async def speak_to(url: str, token: str, tls: ssl.SSLContext) -> AsyncIterator[Raw]:
    """For as long as the context is open."""
    connector = aiohttp.TCPConnector(limit=0, ssl=tls)
    headers = {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:
        yield Raw(session, url)


def say(text: str) -> None:
    """One line of progress."""
    print(text, file=sys.stderr, flush=True)
