"""A process of ours from outside, as a rule a controller: started, frozen, resumed, killed; its log and its HTTP."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.architecture.sources import ROOT
from tests.cluster.process import Process

PROGRAM = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from cli.main import main; raise SystemExit(main())"
PATIENCE = 60.0
"""Seconds: other programs of the machine may be busy."""

LEASE = {"lease.duration": "1", "lease.renewDeadline": "0.7", "lease.retryPeriod": "0.1"}
QUICK = {
    **LEASE,
    "debounce.quiet": "0.05",
    "debounce.longest": "0.3",
    "times.nodeHold": "1",
    "times.lookAgain": "0.3",
    "patience.missing": "3",
}
"""Everything that takes minutes in a cluster takes a second here; sweeps for moves stay three."""

_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(slots=True)
class Replica:
    """One process after the other with the same kubeconfig; the log of all of them goes on in one file."""

    kubeconfig: Path
    log: Path
    settings: Mapping[str, str] = field(default_factory=lambda: QUICK)
    name: str = "controller"
    _process: Process | None = None
    _begin: int = 0
    """Where the log of the present process begins."""

    def start(self) -> None:
        """A new process; it is not waited for."""
        options = [part for key, value in self.settings.items() for part in ("--set", f"{key}={value}")]
        command = [sys.executable, "-c", PROGRAM, self.name, "--kubeconfig", str(self.kubeconfig)]
        self._begin = self.log.stat().st_size if self.log.exists() else 0
        self._process = Process(self.name, [*command, "--listen", "127.0.0.1:0", *options], self.log, lambda: True)
        self._process.start()

    @property
    def pid(self) -> int:
        """Of the process that runs."""
        assert self._process is not None
        return self._process.pid

    def freeze(self) -> None:
        """It stands still, and its clock goes on."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """It goes on where it stood."""
        os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        """Without a word; nothing where it never ran."""
        if self._process is not None:
            self._process.stop(signal.SIGKILL)

    def terminate(self) -> None:
        """It ends by itself, within five seconds on a machine that is not busy."""
        assert self._process is not None
        self._process.stop(signal.SIGTERM)

    def lines(self) -> Iterator[dict[str, Any]]:
        """The log of the present process, as far as it is written."""
        with self.log.open("rb") as log:
            log.seek(self._begin)
            for line in log:
                if line.endswith(b"\n"):
                    yield json.loads(line) if line.startswith(b"{") else {"event": line.decode().strip()}

    def said(self, event: str) -> dict[str, Any]:
        """The first line with this event, waited for."""
        found: list[dict[str, Any]] = []

        def look() -> bool:
            found.extend(line for line in self.lines() if line["event"] == event)
            return bool(found)

        self.until(look, f"it never said {event!r}")
        return found[0]

    @property
    def agent(self) -> str:
        """What the audit log calls this process."""
        started = self.said("started")
        return f"hyperscout-{self.name}/{started['version']} ({started['identity']})"

    def figure(self, sample: str) -> float:
        """One sample of its metrics; 0 where there is none or nobody answers."""
        started = next((line for line in self.lines() if line["event"] == "started"), None)
        if started is None:
            return 0.0
        try:
            with _opener.open(f"http://{started['http']}/metrics", timeout=5) as answer:
                text = answer.read().decode()
        except OSError:
            return 0.0
        return next((float(line.split()[-1]) for line in text.splitlines() if line.startswith(f"{sample} ")), 0.0)

    def leads(self) -> None:
        """Wait until it leads."""
        self.until(lambda: self.figure("hyperscout_leader") == 1.0, "it does not lead")

    def looks(self) -> float:
        """How often it has looked."""
        return self.figure("hyperscout_reconcile_duration_seconds_count")

    def until(self, holds: Callable[[], bool], otherwise: str, pause: float = 0.03) -> None:
        """Wait for something, but not for ever."""
        end = time.monotonic() + PATIENCE
        while not holds():
            alive = self._process is not None and self._process.alive
            assert alive, f"{otherwise}, it ended:\n{self.last_words()}"
            assert time.monotonic() < end, f"{otherwise}:\n{self.last_words()}"
            time.sleep(pause)

    def ask(self) -> None:
        """Where it stands in its work comes into the log; nothing where it has ended."""
        if self._process is not None and self._process.alive:
            os.kill(self.pid, signal.SIGUSR1)
            time.sleep(1.0)

    def last_words(self) -> str:
        """The end of the log."""
        return self._process.last_words() if self._process is not None else "never started"
