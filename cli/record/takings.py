"""What has been recorded so far, in memory: texts by path below the moment, and what could not be recorded."""

from __future__ import annotations

from dataclasses import dataclass, field

from cli.output import say
from discovery.recording.manifest import Failure


@dataclass(slots=True)
class Takings:
    """Grows while it is recorded."""

    texts: dict[str, str] = field(default_factory=dict)
    failed: list[Failure] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)

    def fail(self, what: str, reason: str) -> None:
        """Tell it, and go on."""
        self.failed.append(Failure(what=what, reason=reason))
        say(f"not recorded: {what}: {reason}")
