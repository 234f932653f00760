"""How a server is reached and how we say who we are; where that comes from is `kube.config`'s matter."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit, urlunsplit


@dataclass(frozen=True, slots=True)
class Access:
    """What goes with every request: headers, and for https the TLS context and the name in the certificate."""

    headers: Mapping[str, str] = field(default_factory=dict)
    tls: ssl.SSLContext | None = None
    server_name: str | None = None


class Credentials(Protocol):
    """Where Access comes from."""

    async def read(self, *, refused: bool) -> Access:
        """Access as of now; `refused`: the server did not accept the last one, so nothing cached may be used."""
        ...


@dataclass(frozen=True, slots=True)
class FixedCredentials:
    """Access that never changes: a test or demo server's."""

    access: Access

    async def read(self, *, refused: bool) -> Access:
        """The same, always."""
        return self.access


@dataclass(frozen=True, slots=True)
class Connection:
    """One API server."""

    server: str
    """The base URL, without a slash at its end."""
    credentials: Credentials
    proxy: str | None = None
    namespace: str = "default"
    """The namespace of the context, for commands that are given none."""
    of_pod: bool = False
    """Whether it is the account of the pod that this process runs in; then the namespace is the pod's."""
    agent: str = "hyperscout"
    """The User-Agent: how audit logs tell one process of an account from another."""

    @property
    def address(self) -> str:
        """The base URL as it may be logged: without a name and password in it."""
        parts = urlsplit(self.server)
        return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))

    @property
    def is_local(self) -> bool:
        """Whether the server is on this machine: then the proxies of the environment are not for it."""
        host = urlsplit(self.server).hostname or ""
        return host in ("localhost", "::1") or host.startswith("127.")


def connect_to(url: str, token: str = "") -> Connection:
    """A server by URL and bearer token (the embedded one)."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return Connection(url.rstrip("/"), FixedCredentials(Access(headers)))
