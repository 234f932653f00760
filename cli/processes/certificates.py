"""The certificate that a process serves with, read again for the next connection when its files have changed."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from cli.ending import CommandError

log = structlog.get_logger(__name__)

Stamp = tuple[tuple[int, int, int], ...]
"""Of each file its inode, size and time of change: a Secret that is mounted changes by a link to other files."""


@dataclass(slots=True)
class Certificate:
    """Certificate and key, as PEM files."""

    certificate: Path
    key: Path
    _stamp: Stamp = ()
    _context: ssl.SSLContext | None = None
    _said: str = field(default="")

    def server_context(self) -> ssl.SSLContext:
        """A TLS context that serves each new connection with what the files hold by then. CommandError: unusable."""
        try:
            stamp = self._look()
            context = self._load()
        except (OSError, ssl.SSLError) as error:
            raise CommandError(f"cannot serve TLS: {self._trouble(error)}") from error
        self._stamp, self._context = stamp, context
        outer = self._load()
        outer.sni_callback = self._choose
        return outer

    def _choose(self, connection: ssl.SSLObject, name: str | None, outer: ssl.SSLContext) -> None:
        """Called at the start of every handshake; it must not fail, so what cannot be read is logged once."""
        del name, outer
        try:
            stamp = self._look()
            if stamp != self._stamp:
                self._context, self._stamp, self._said = self._load(), stamp, ""
                log.info("read the certificate again", certificate=str(self.certificate))
        except (OSError, ssl.SSLError) as error:
            trouble = self._trouble(error)
            if trouble != self._said:
                log.error("the certificate of before is kept", why=trouble)
            self._said = trouble
        if self._context is not None:
            connection.context = self._context

    def _look(self) -> Stamp:
        found = [path.stat() for path in (self.certificate, self.key)]
        return tuple((one.st_ino, one.st_size, one.st_mtime_ns) for one in found)

    def _load(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self.certificate, self.key)
        return context

    def _trouble(self, error: OSError | ssl.SSLError) -> str:
        return f"http.tlsCertificate {self.certificate} and http.tlsKey {self.key}: {error}"
