"""Volcano beside a control plane: its definitions, its scheduler and its controllers, as processes of their own.

    with Volcano(plane) as volcano:
        volcano.scheduler.log        # where it says what it does

The scheduler's configuration names the plugin network-topology-aware: by default it has none, and ignores topology.
"""

from __future__ import annotations

import json
import urllib.request
from contextlib import ExitStack
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self

import yaml

from tests.cluster.control_plane import ControlPlane
from tests.cluster.credentials import ADMIN
from tests.cluster.ports import HOST, free_ports
from tests.cluster.process import Process
from tests.cluster.programs import VOLCANO_CONTROLLERS, VOLCANO_SCHEDULER, Program, find, how_to_get

CONTROLLERS = ("queue-controller", "job-controller", "pg-controller", "hyperNode-controller")
"""The last one writes `nodeCount` of every HyperNode, whoever made it."""

_CONFIGURATION = {
    "actions": "enqueue, allocate, backfill",
    "tiers": [
        {"plugins": [{"name": name} for name in ("priority", "gang", "conformance")]},
        {"plugins": [{"name": name} for name in ("predicates", "nodeorder", "binpack", "network-topology-aware")]},
    ],
}


def definitions() -> list[dict[str, Any]]:
    """Volcano's own custom resource definitions."""
    files = sorted(VOLCANO_SCHEDULER.cached_definitions.glob("*.yaml"))
    return [found for file in files for found in yaml.load_all(file.read_text(), yaml.CSafeLoader) if found]


class Volcano:
    """Starts both in a context, on a plane that has Volcano's definitions, and ends exactly these."""

    def __init__(self, plane: ControlPlane, controllers: tuple[str, ...] = CONTROLLERS) -> None:
        self.folder = plane.folder / "volcano"
        self.folder.mkdir(parents=True, exist_ok=True)
        self._kubeconfig = plane.credentials.write_kubeconfig(ADMIN, plane.url)
        self.scheduler = self._process(VOLCANO_SCHEDULER, self._scheduling())
        named = ",".join(f"+{name}" for name in controllers)
        self.controllers = self._process(VOLCANO_CONTROLLERS, [f"--controllers={named}"])
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for process in (self.controllers, self.scheduler):
                process.start()
                stack.callback(process.stop)
            for process in (self.controllers, self.scheduler):
                process.wait_ready()
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _scheduling(self) -> list[str]:
        configuration = self.folder / "configuration" / "scheduler.json"  # a folder that it watches
        configuration.parent.mkdir(exist_ok=True)
        configuration.write_text(json.dumps(_CONFIGURATION))
        return [f"--scheduler-conf={configuration}", "--csi-storage=false", "--schedule-period=200ms"]

    def _process(self, program: Program, arguments: list[str]) -> Process:
        path = find(program)
        if path is None:
            raise RuntimeError(f"Volcano {how_to_get(program)}")
        serving, health = (f"{HOST}:{port}" for port in free_ports(2))
        command = [
            *("env", f"DEBUG_SOCKET_DIR={self.folder}"),
            str(path),
            f"--kubeconfig={self._kubeconfig}",
            "--leader-elect=false",
            *("--kube-api-qps=2000", "--kube-api-burst=2000", "--v=4"),
            *(f"--listen-address={serving}", "--enable-healthz=true", f"--healthz-address={health}"),
            *arguments,
        ]
        return Process(program.name, command, self.folder / f"{program.name}.log", lambda: _is_well(health))


def _is_well(address: str) -> bool:
    with urllib.request.urlopen(f"http://{address}/healthz", timeout=5) as answer:
        return bool(answer.status == HTTPStatus.OK)
