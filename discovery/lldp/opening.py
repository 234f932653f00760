"""Opens and closes ports in a thread, for the kernel may take any time: a driver that resets its adapter holds the lock
of all links, and whoever joins a group waits for that lock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from discovery.lldp.port import Port, open_port

PATIENCE = 0.5
"""Seconds that anybody waits. It takes far less than a millisecond where nothing hangs."""


@dataclass(slots=True)
class Opener:
    """At most one thread opens at a time, however often it is asked."""

    patience: float = PATIENCE
    open: Callable[[str], Port] = open_port
    _answers: dict[str, Port | OSError] = field(default_factory=dict)
    _thread: threading.Thread | None = None

    def ask(self, names: Iterable[str]) -> dict[str, Port | OSError]:
        """Open these. What is not in the answer is not open yet: ask again for what is wanted then."""
        wanted = list(names)
        if wanted and (self._thread is None or not self._thread.is_alive()):
            missing = [name for name in wanted if name not in self._answers]
            self._thread = _started(lambda: self._work(missing), self.patience)
        found = {name: self._answers.pop(name) for name in wanted if name in self._answers}
        for name in [name for name in list(self._answers) if name not in wanted]:
            late = self._answers.pop(name)
            if isinstance(late, Port):
                self.close(late)
        return found

    def close(self, port: Port) -> None:
        """Close the port; return even where the kernel does not."""
        _started(port.socket.close, self.patience)

    def _work(self, names: Iterable[str]) -> None:
        for name in names:
            try:
                self._answers[name] = self.open(name)
            except OSError as error:
                self._answers[name] = error


def _started(work: Callable[[], None], patience: float) -> threading.Thread:
    """Run it in a thread of its own, and wait a little."""
    thread = threading.Thread(target=work, name="lldp-port", daemon=True)
    thread.start()
    thread.join(patience)
    return thread
