"""A plain client of the API server on one connection, for those who judge ours: JSON in and out, with patience."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.cluster.control_plane import Answer, ControlPlane

Body = dict[str, Any]

APPLY = "application/apply-patch+yaml"
STRATEGIC = "application/strategic-merge-patch+json"
PATIENCE = 60.0
"""Seconds that a server may be away."""


@dataclass(slots=True)
class Api:
    """For one thread. What it asks for may be asked for twice."""

    plane: ControlPlane
    _context: ssl.SSLContext | None = None
    _connection: http.client.HTTPSConnection | None = field(default=None, repr=False)

    def send(self, method: str, path: str, body: Body | None = None, content: str = "application/json") -> Answer:
        """The answer, whatever its status; a server that is away or too busy is waited for."""
        until = time.monotonic() + PATIENCE
        while True:
            with suppress(OSError, http.client.HTTPException):
                answer = self._once(method, path, body, content)
                if answer.status not in (429, 500, 503, 504):
                    return answer
            assert time.monotonic() < until, f"{method} {path} is not answered:\n{self.plane.last_words()}"
            time.sleep(0.05)

    def items(self, path: str) -> dict[str, Body]:
        """All objects of a collection by name."""
        return {item["metadata"]["name"]: item for item in self.send("GET", path).body["items"]}

    def lines(self, path: str) -> Iterator[Body]:
        """The events of a watch until it ends; raises OSError or HTTPException where it breaks."""
        connection = self._connect()
        connection.request("GET", path, headers=self._headers())
        response = connection.getresponse()
        if response.status != 200:
            raise http.client.HTTPException(f"the watch is answered with {response.status}")
        for line in iter(response.readline, b""):
            yield json.loads(line)
        self.close()

    def interrupt(self) -> None:
        """End what another thread reads."""
        connection = self._connection
        if connection is not None and connection.sock is not None:
            with suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _once(self, method: str, path: str, body: Body | None, content: str) -> Answer:
        data = json.dumps(body).encode() if body is not None else None
        try:
            connection = self._connect()
            connection.request(method, path, data, {"Content-Type": content, **self._headers()})
            response = connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        return Answer(response.status, json.loads(text) if text.startswith(b"{") else {"text": text.decode()})

    def _connect(self) -> http.client.HTTPSConnection:
        if self._connection is None:
            self._context = self._context or self.plane.tls()
            address = urlsplit(self.plane.url)
            host, port = address.hostname or "", address.port
            self._connection = http.client.HTTPSConnection(host, port, context=self._context, timeout=60)
        return self._connection

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.plane.token}", "User-Agent": "chaos"}
