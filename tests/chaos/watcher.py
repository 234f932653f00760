"""Follows every event of every HyperNode from the first version on, and holds each state against the laws."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tests.chaos.api import Api
from tests.chaos.laws import Seen, below, broken
from tests.chaos.ledger import Ledger

HYPER_NODES = "/apis/topology.volcano.sh/v1alpha1/hypernodes"
PATIENCE = 60.0
MOST = 20
"""So many faults are kept."""


@dataclass(slots=True)
class Watcher:
    """A thread. `objects` are the HyperNodes as they stand; `faults` what should never have been seen."""

    api: Api
    ledger: Ledger
    objects: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    tree: dict[str, Seen] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    events: int = 0
    changes: int = 0
    """Events that changed members, or made or removed an object."""
    _version: str = ""
    _ended: bool = False
    _below: dict[str, frozenset[str]] = field(default_factory=dict)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """From the version that the collection has now, which holds nothing."""
        listing = self.api.send("GET", HYPER_NODES).body
        assert not listing["items"], "the watch has to begin before the first HyperNode"
        self._version = listing["metadata"]["resourceVersion"]
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)
        self._thread.start()

    def catch_up(self, api: Api) -> None:
        """Wait until it has seen all that stands in the API now."""
        wanted = {name: document["metadata"]["resourceVersion"] for name, document in api.items(HYPER_NODES).items()}
        until = time.monotonic() + PATIENCE
        while not all(self._reached(name, version) for name, version in wanted.items()):
            assert time.monotonic() < until, f"the watcher has fallen behind: {self.faults}"
            time.sleep(0.01)

    def _reached(self, name: str, version: str) -> bool:
        found = self.objects.get(name)
        seen = int(found["metadata"]["resourceVersion"]) if found is not None else int(self._version)
        return seen >= int(version)

    def stop(self) -> None:
        """End the thread."""
        self._ended = True
        self.api.interrupt()
        if self._thread is not None:
            self._thread.join(10)

    def _run(self) -> None:
        while not self._ended:
            path = f"{HYPER_NODES}?watch=true&allowWatchBookmarks=true&resourceVersion={self._version}"
            with suppress(OSError, http.client.HTTPException, ValueError):  # a line may be cut in its middle
                for event in self.api.lines(path):
                    self._take(event["type"], event["object"])
            self.api.close()
            time.sleep(0.02)

    def _take(self, kind: str, document: Mapping[str, Any]) -> None:
        if kind == "ERROR":
            self._begin_anew()
            return
        self._version = document["metadata"]["resourceVersion"]
        if kind == "BOOKMARK":
            return
        name = document["metadata"]["name"]
        before = self.tree.get(name)
        if kind == "DELETED":
            self.objects.pop(name, None)
            self.tree.pop(name, None)
        else:
            self.objects[name], self.tree[name] = document, Seen.of(document)
        self.events += 1
        if self.tree.get(name) != before:
            self.changes += 1
            self._judge(f"{kind} {name} at {self._version}")

    def _begin_anew(self) -> None:
        """A server that started again has forgotten where we were; what changed meanwhile is judged as one change."""
        api = Api(self.api.plane)
        listing = api.send("GET", HYPER_NODES).body
        api.close()
        self._version = listing["metadata"]["resourceVersion"]
        self.objects = {document["metadata"]["name"]: document for document in listing["items"]}
        self.tree = {name: Seen.of(document) for name, document in self.objects.items()}
        self._judge(f"all at {self._version}")

    def _judge(self, event: str) -> None:
        now = below(self.tree)
        for sentence in broken(self.tree):
            self._complain(f"{event}: {sentence}")
        for name, nodes in self._below.items():
            for node in nodes - now.get(name, frozenset()):
                if not self.ledger.may_leave(node):
                    self._complain(f"{event}: {node} left {name} without evidence")
        for name, found in self.tree.items():
            units = [self.ledger.units(node) for node in found.nodes]
            if units and not set.intersection(*units):
                self._complain(f"{event}: {name} holds nodes of several leaf groups: {sorted(found.nodes)}")
        self._below = now

    def _complain(self, sentence: str) -> None:
        if len(self.faults) < MOST:
            self.faults.append(sentence)
