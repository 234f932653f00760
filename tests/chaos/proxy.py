"""Stands between a controller and its API server, and makes trouble when told: refuses, breaks, cuts, holds back."""

from __future__ import annotations

import http.client
import http.server
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from tests.cluster.control_plane import ControlPlane

HOP = {"transfer-encoding", "connection", "content-length"}


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer of the proxy's own."""

    status: HTTPStatus
    retry_after: int | None = None


Trouble = Callable[[str, str], Refusal | None]
"""By method and path: what is answered in the server's place."""


def no_trouble(method: str, path: str) -> Refusal | None:
    """Everything is passed on."""
    del method, path
    return None


class Proxy:
    """HTTPS on the loopback address with the certificate of the control plane; every request is counted."""

    def __init__(self, plane: ControlPlane) -> None:
        self.plane = plane
        self.trouble: Trouble = no_trouble
        self.asked: list[tuple[float, str, str]] = []
        """Time (monotonic), method and path of every request."""
        self.flowing = threading.Event()
        self.flowing.set()
        self.open: set[socket.socket] = set()
        """To clients and to the server."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(plane.credentials.certificate, plane.credentials.key)
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.proxy = self
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """Where it serves."""
        return f"https://127.0.0.1:{self._server.server_address[1]}"

    def cut(self) -> None:
        """End every connection, in the middle of whatever goes over it."""
        for one in list(self.open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def rate(self, since: float) -> float:
        """Requests a second since then, those for the Lease left out."""
        count = sum(at >= since and "/leases/" not in path for at, _, path in list(self.asked))
        return count / (time.monotonic() - since)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.flowing.set()
        self.cut()
        self._server.shutdown()
        self._server.server_close()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    proxy: Proxy

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as the library has it
        """Connections end in every way here: nobody has to be told."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    upstream: http.client.HTTPSConnection | None = None

    def setup(self) -> None:
        super().setup()
        self.server.proxy.open.add(self.connection)

    def finish(self) -> None:
        self.server.proxy.open.discard(self.connection)
        self._forget_upstream()
        super().finish()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401 - as the library has it
        """Nothing is logged."""

    def pass_on(self) -> None:
        """One request and its answer."""
        proxy = self.server.proxy
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        proxy.asked.append((time.monotonic(), self.command, self.path))
        refusal = proxy.trouble(self.command, self.path)
        if refusal is not None:
            self._refuse(refusal)
            return
        try:
            answer = self._ask(body)
        except (OSError, http.client.HTTPException):
            self._forget_upstream()
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self._relay(answer)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = pass_on  # noqa: N815 - as the library calls them

    def _refuse(self, refusal: Refusal) -> None:
        status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "the proxy makes trouble"}
        text = json.dumps(status | {"code": int(refusal.status)}).encode()
        self.send_response(refusal.status)
        if refusal.retry_after is not None:
            self.send_header("Retry-After", str(refusal.retry_after))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _ask(self, body: bytes) -> http.client.HTTPResponse:
        if self.upstream is None:
            plane = self.server.proxy.plane
            address = urlsplit(plane.url)
            self.upstream = http.client.HTTPSConnection(address.hostname or "", address.port, context=plane.tls())
            self.upstream.connect()
            self.server.proxy.open.add(self.upstream.sock)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP | {"host"}}
        self.upstream.request(self.command, self.path, body or None, headers)
        return self.upstream.getresponse()

    def _forget_upstream(self) -> None:
        upstream, self.upstream = self.upstream, None
        if upstream is not None:
            self.server.proxy.open.discard(upstream.sock)
            upstream.close()

    def _relay(self, answer: http.client.HTTPResponse) -> None:
        """In chunks as they come, so that a watch is passed on at once; held back while nothing may flow."""
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in HOP:
                self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while part := answer.read1(65536):
            self.server.proxy.flowing.wait()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.flush()
        answer.read()  # nothing more: now the connection may be used again
        self.wfile.write(b"0\r\n\r\n")
