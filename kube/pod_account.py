"""The connection of a pod by its mounted service account, without the official client: what the agent can afford.

Token and authority are read again whenever they are asked for (`kube.transport` asks every minute and on 401), for the
kubelet rotates both. Source: Kubernetes, "Accessing the Kubernetes API from a Pod".
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kube.connection import Access, Connection
from kube.errors import ConfigurationError

FOLDER = Path("/var/run/secrets/kubernetes.io/serviceaccount")


@dataclass(slots=True)
class PodAccount:
    """Credentials from the files that the kubelet keeps in a folder."""

    folder: Path
    _tls: tuple[str, ssl.SSLContext] | None = field(default=None)

    async def read(self, *, refused: bool) -> Access:
        """Headers and TLS of now; ConfigurationError when a file is missing or no certificate."""
        del refused  # the files are read afresh anyhow
        return await asyncio.to_thread(self._read)

    def namespace(self) -> str:
        """That of the pod, `default` where no file tells it; ConfigurationError when the file cannot be read."""
        try:
            return self._text("namespace")
        except ConfigurationError as error:
            if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
                return "default"
            raise

    def _read(self) -> Access:
        token, authority = self._text("token"), self._text("ca.crt")
        if self._tls is None or self._tls[0] != authority:
            try:
                self._tls = (authority, ssl.create_default_context(cadata=authority))
            except (ssl.SSLError, ValueError) as error:
                raise ConfigurationError(f"cannot use {self.folder / 'ca.crt'}: {error}") from error
        return Access({"Authorization": f"Bearer {token}"}, self._tls[1])

    def _text(self, name: str) -> str:
        try:
            return (self.folder / name).read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"cannot use the pod's service account: {self.folder / name}: {error}") from error


def pod_connection(environment: Mapping[str, str], folder: Path = FOLDER) -> Connection:
    """The cluster that this pod runs in. ConfigurationError where this is no pod."""
    host, port = environment.get("KUBERNETES_SERVICE_HOST", ""), environment.get("KUBERNETES_SERVICE_PORT", "443")
    if not host:
        raise ConfigurationError(
            "no cluster to talk to: this is no pod (KUBERNETES_SERVICE_HOST is not set); name a kubeconfig file"
        )
    bracketed = f"[{host}]" if ":" in host else host
    account = PodAccount(folder)
    return Connection(f"https://{bracketed}:{port}", account, namespace=account.namespace(), of_pod=True)
