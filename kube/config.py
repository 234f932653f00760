"""The connection of a kubeconfig or of a pod, loaded by the official client's loader (exec plugins included).

The `kubernetes` package is imported only when it is needed: it takes long, and a process that is given URL and token
does without.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kube.connection import Access, Connection
from kube.errors import ConfigurationError


class Configuration(Protocol):
    """What is used of the official client's Configuration."""

    host: str
    ssl_ca_cert: str | None
    cert_file: str | None
    key_file: str | None
    verify_ssl: bool
    tls_server_name: str | None
    proxy: str | None

    def get_api_key_with_prefix(self, identifier: str) -> str | None:
        """The Authorization header's value, renewed where it ends soon."""
        ...


Load = Callable[[], Configuration]
"""Gives the configuration, read afresh."""


class LoadedCredentials:
    """Access from a loaded configuration: a token renews itself near its end; when refused, all is read again."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._configuration = load()
        self._tls: tuple[_TlsFiles, ssl.SSLContext] | None = None

    @property
    def configuration(self) -> Configuration:
        return self._configuration

    async def read(self, *, refused: bool) -> Access:
        """Headers and TLS of now, read in a thread; ConfigurationError when the files or the plugin fail."""
        return await asyncio.to_thread(self._read, refused)

    def _read(self, refused: bool) -> Access:
        if refused:
            self._configuration = self._load()
        try:
            token = self._configuration.get_api_key_with_prefix("BearerToken")
        except Exception as error:  # the loader raises anything, an exec plugin's own failures included
            raise ConfigurationError(f"cannot renew the credentials: {error}") from error
        headers = {"Authorization": _canonical(token)} if token else {}
        if not str(self._configuration.host).startswith("https"):
            return Access(headers)
        return Access(headers, self._context(), self._configuration.tls_server_name)

    def _context(self) -> ssl.SSLContext:
        """The TLS context, built again only when one of its files changed (rotation)."""
        files = _TlsFiles.of(self._configuration)
        if self._tls is None or self._tls[0] != files:
            self._tls = (files, _tls_context(self._configuration))
        return self._tls[1]


@dataclass(frozen=True, slots=True)
class _TlsFiles:
    """The bytes that a TLS context was made of."""

    authority: bytes
    certificate: bytes
    key: bytes
    verify: bool

    @classmethod
    def of(cls, configuration: Configuration) -> _TlsFiles:
        parts = (configuration.ssl_ca_cert, configuration.cert_file, configuration.key_file)
        try:
            authority, certificate, key = (Path(part).read_bytes() if part else b"" for part in parts)
        except OSError as error:
            raise ConfigurationError(f"cannot read a certificate of the cluster's configuration: {error}") from error
        return cls(authority, certificate, key, bool(configuration.verify_ssl))


def _tls_context(configuration: Configuration) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=configuration.ssl_ca_cert or None)
        if configuration.cert_file:
            context.load_cert_chain(configuration.cert_file, configuration.key_file or None)
    except (OSError, ssl.SSLError) as error:
        raise ConfigurationError(f"cannot use the certificates of the cluster's configuration: {error}") from error
    if not configuration.verify_ssl:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _canonical(token: str) -> str:
    """The loader writes `bearer` in small letters; some proxies insist on the spelling of RFC 6750."""
    scheme, _, rest = token.strip().partition(" ")
    return f"Bearer {rest}" if scheme.lower() == "bearer" else token.strip()


def load_connection(kubeconfig: str | None = None, context: str | None = None) -> Connection:
    """The cluster to talk to: the given kubeconfig, else $KUBECONFIG or ~/.kube/config, else the pod's own cluster.

    Raises ConfigurationError when there is none or it cannot be used. Blocks (files, an exec plugin).
    """
    in_pod = "KUBERNETES_SERVICE_HOST" in os.environ
    path = kubeconfig or os.environ.get("KUBECONFIG") or _home_configuration(in_pod)
    of_pod = False
    if path:
        credentials = LoadedCredentials(lambda: _load_kubeconfig(path, context))
        namespace = _namespace_of(path, context)
    elif in_pod:
        credentials = LoadedCredentials(_load_in_cluster)
        namespace, of_pod = _pod_namespace(), True
    else:
        raise ConfigurationError(
            "no cluster to talk to: no kubeconfig is given, KUBECONFIG is not set, ~/.kube/config does not exist and "
            "this is no pod (KUBERNETES_SERVICE_HOST is not set); name a kubeconfig file"
        )
    configuration = credentials.configuration
    return Connection(
        str(configuration.host).rstrip("/"), credentials, configuration.proxy or None, namespace, of_pod=of_pod
    )


def _home_configuration(in_pod: bool) -> str | None:
    """~/.kube/config where it is. A pod whose user may not look into the home folder goes by its own account, for
    nobody named that file."""
    path = os.path.expanduser("~/.kube/config")
    try:
        return path if _is_there(path) else None
    except ConfigurationError:
        if in_pod:
            return None
        raise


def _is_there(path: str) -> bool:
    """ConfigurationError where nobody can tell: the loader would pass over a file that is perhaps there."""
    try:
        os.stat(os.path.expanduser(path))
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigurationError(f"the kubeconfig {path} cannot be read: {reason}; name one that can be") from error
    return True


def _load_kubeconfig(path: str, context: str | None) -> Configuration:
    from kubernetes import client, config

    # The loader takes several files, as kubectl does, and passes over those that are not there.
    there = [_is_there(one) for one in path.split(os.pathsep) if one]
    if not any(there):
        raise ConfigurationError(f"the kubeconfig {path} does not exist; name one that does")
    configuration = client.Configuration()
    try:
        config.load_kube_config(  # type: ignore[no-untyped-call]  # the loader has no annotations
            path, context=context, client_configuration=configuration, persist_config=False
        )
    except Exception as error:  # ConfigException, YAML errors, an exec plugin's failure: all mean "not usable"
        raise ConfigurationError(f"cannot use the kubeconfig {path}: {error}") from error
    return configuration


def _load_in_cluster() -> Configuration:
    from kubernetes import client, config

    configuration = client.Configuration()
    try:
        config.load_incluster_config(configuration)  # type: ignore[no-untyped-call]  # the loader has no annotations
    except (config.ConfigException, OSError) as error:
        raise ConfigurationError(f"cannot use the pod's service account: {error}") from error
    return configuration


def _namespace_of(path: str, context: str | None) -> str:
    from kubernetes import config

    contexts, active = config.list_kube_config_contexts(path)  # type: ignore[no-untyped-call]  # no annotations
    chosen = next((item for item in contexts if item["name"] == context), active) or {}
    return str(chosen.get("context", {}).get("namespace") or "default")


def _pod_namespace() -> str:
    try:
        return Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace").read_text().strip() or "default"
    except OSError:
        return "default"
