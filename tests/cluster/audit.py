"""The audit log of a control plane: what the API server says was asked of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [{"level": "Metadata"}]}
"""Who asked for what and when, of every request, without bodies."""

_LONGEST_LINE = 1 << 20

WRITES = ("create", "update", "patch", "delete", "deletecollection")


@dataclass(frozen=True, slots=True)
class Request:
    """One request that the server answered; a watch is told where it begins and, with its code, where it ends."""

    stage: str
    user: str
    agent: str
    """The User-Agent header."""
    verb: str
    group: str
    resource: str
    subresource: str
    namespace: str
    name: str
    code: int
    time: str
    """RFC 3339 with microseconds, when the request came in."""

    @property
    def writes(self) -> bool:
        """Whether it asked for a change and got it."""
        return self.verb in WRITES and self.code < 300


@dataclass(frozen=True, slots=True)
class AuditLog:
    """The file that kube-apiserver appends to."""

    path: Path

    def requests(self, user: str = "", agent: str = "", after: int = 0) -> list[Request]:
        """The answered requests in the order of the log; of one user, of agents that begin so, from `size` on."""
        return [
            request
            for request in self._read(after)
            if (not user or request.user == user) and request.agent.startswith(agent)
        ]

    def size(self) -> int:
        """How long the log is now, in bytes, without a line in the making: where later requests will begin."""
        if not self.path.exists():
            return 0
        with self.path.open("rb") as log:
            end = log.seek(0, os.SEEK_END)
            start = log.seek(max(0, end - _LONGEST_LINE))
            return start + log.read(end - start).rfind(b"\n") + 1

    def _read(self, after: int) -> Iterator[Request]:
        if not self.path.exists():
            return
        with self.path.open("rb") as log:
            log.seek(after)
            for line in log:
                if line.endswith(b"\n"):  # the last line may be in the making
                    event = json.loads(line)
                    if event["stage"] in ("ResponseComplete", "ResponseStarted"):
                        yield _request(event)


def _request(event: dict[str, Any]) -> Request:
    what = event.get("objectRef", {})
    return Request(
        stage=event["stage"],
        user=event["user"].get("username", ""),
        agent=event.get("userAgent", ""),
        verb=event["verb"],
        group=what.get("apiGroup", ""),
        resource=what.get("resource", ""),
        subresource=what.get("subresource", ""),
        namespace=what.get("namespace", ""),
        name=what.get("name", ""),
        code=event.get("responseStatus", {}).get("code", 0),
        time=event["requestReceivedTimestamp"],
    )
