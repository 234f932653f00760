"""A real Kubernetes control plane on the loopback address, for as long as its context is open.

    with ControlPlane(folder, Settings(controllers=("*",), scheduler=True, kwok=True)) as plane:
        plane.url, plane.token            # an administrator's
        plane.kubeconfig()                # text; of another token: plane.kubeconfig(token)
        plane.ask("GET", "/api/v1/nodes")
        plane.audit.requests()
        plane["kube-apiserver"].stop()    # and .start(), .wait_ready(): same port, same data

Several stand side by side: each has a folder, ports, keys and data of its own. Programs are found as `programs` says.
There is no kubelet: kwok plays the nodes where it is asked for.
"""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.cluster import commands, kwok
from tests.cluster.audit import AuditLog
from tests.cluster.commands import Ports
from tests.cluster.credentials import ADMIN, Credentials
from tests.cluster.kwok import ALL_NODES
from tests.cluster.ports import HOST, free_ports
from tests.cluster.process import Process
from tests.cluster.programs import (
    API_SERVER,
    CONTROLLER_MANAGER,
    ETCD,
    KWOK,
    SCHEDULER,
    Program,
    find,
    how_to_get,
)

NO_KUBELET = "--disable-admission-plugins=TaintNodesByCondition,ServiceAccount"
"""New nodes stay free of the not-ready taint, and pods need no ServiceAccount that a controller has to make first."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What runs beside etcd and kube-apiserver."""

    controllers: tuple[str, ...] = ()
    """Of kube-controller-manager, which does not run without any; "*" are those that are on by default."""
    controller_manager_flags: tuple[str, ...] = ()
    scheduler: bool = False
    kwok: bool = False
    kwok_flags: tuple[str, ...] = (ALL_NODES,)
    api_server_flags: tuple[str, ...] = (NO_KUBELET,)

    @property
    def programs(self) -> tuple[Program, ...]:
        """The programs that this takes."""
        optional = ((CONTROLLER_MANAGER, bool(self.controllers)), (SCHEDULER, self.scheduler), (KWOK, self.kwok))
        return (ETCD, API_SERVER, *(program for program, wanted in optional if wanted))


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer with a JSON object in it."""

    status: int
    body: dict[str, Any]


class ControlPlane:
    """Starts the programs in a context, and ends exactly these."""

    def __init__(self, folder: Path, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.folder = folder
        self.credentials = Credentials(folder / "credentials")
        self.audit = AuditLog(folder / "audit.log")
        self._ports = Ports(*free_ports(6))
        self._processes: dict[str, Process] = {}
        self._stack = ExitStack()

    @property
    def url(self) -> str:
        """Where kube-apiserver serves."""
        return f"https://{HOST}:{self._ports.api_server}"

    @property
    def token(self) -> str:
        """An administrator's (system:masters)."""
        return self.credentials.tokens[ADMIN]

    def tls(self) -> ssl.SSLContext:
        """Trusts the authority of this control plane alone."""
        return ssl.create_default_context(cafile=str(self.credentials.authority))

    def kubeconfig(self, token: str = "", namespace: str = "default") -> str:
        """The text of a kubeconfig: an administrator's, or of the token."""
        return self.credentials.kubeconfig(self.url, token or self.token, namespace)

    @cached_property
    def _opener(self) -> urllib.request.OpenerDirector:
        """Asks this control plane and no proxy."""
        return urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=self.tls())
        )

    def ask(self, method: str, path: str, body: object = None, token: str = "") -> Answer:
        """One request and its answer, as the administrator or with a token. It waits: not for busy event loops."""
        headers = {"Authorization": f"Bearer {token or self.token}", "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body is not None else None
        return self._send(urllib.request.Request(f"{self.url}{path}", data, headers, method=method))

    def __getitem__(self, name: str) -> Process:
        """One of the programs, by its name."""
        return self._processes[name]

    def last_words(self) -> str:
        """The end of every program's log."""
        return "\n\n".join(process.last_words() for process in self._processes.values())

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.credentials.write()
        self._processes = {process.name: process for process in self._programs()}
        with ExitStack() as stack:
            self._launch(stack, ETCD.name)
            self._launch(stack, API_SERVER.name)
            self._launch(stack, *(name for name in self._processes if name not in (ETCD.name, API_SERVER.name)))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _launch(self, stack: ExitStack, *names: str) -> None:
        """Start the programs together, and wait until each serves."""
        for name in names:
            self._processes[name].start()
            stack.callback(self._processes[name].stop)
        for name in names:
            self._processes[name].wait_ready()

    def _programs(self) -> list[Process]:
        who, ports, settings = self.credentials, self._ports, self.settings
        found = [
            self._process(ETCD, commands.etcd(self.folder, ports), f"http://{HOST}:{ports.etcd}/readyz"),
            self._process(
                API_SERVER,
                commands.api_server(self.folder, ports, who, settings.api_server_flags),
                f"{self.url}/readyz",
                f"{self.url}/api/v1/namespaces/default",
            ),
        ]
        if settings.controllers:
            arguments = commands.controller_manager(ports, who, self.url, settings.controllers)
            arguments += settings.controller_manager_flags
            found.append(
                self._process(CONTROLLER_MANAGER, arguments, f"https://{HOST}:{ports.controller_manager}/healthz")
            )
        if settings.scheduler:
            arguments = commands.scheduler(self.folder, ports, who, self.url)
            found.append(self._process(SCHEDULER, arguments, f"https://{HOST}:{ports.scheduler}/healthz"))
        if settings.kwok:
            arguments = kwok.arguments(self.folder, who.write_kubeconfig(ADMIN, self.url), ports.kwok)
            arguments += settings.kwok_flags
            found.append(self._process(KWOK, arguments, f"http://{HOST}:{ports.kwok}/healthz"))
        return found

    def _process(self, program: Program, arguments: list[str], *health: str) -> Process:
        path = find(program)
        if path is None:
            raise RuntimeError(f"the control plane {how_to_get(program)}")
        log = self.folder / f"{program.name}.log"
        return Process(program.name, [str(path), *arguments], log, lambda: self._are_well(health))

    def _are_well(self, addresses: tuple[str, ...]) -> bool:
        headers = {"Authorization": f"Bearer {self.token}"}
        return all(self._send(urllib.request.Request(address, headers=headers)).status == 200 for address in addresses)

    def _send(self, request: urllib.request.Request) -> Answer:
        try:
            with self._opener.open(request, timeout=30) as answer:
                return Answer(answer.status, _json(answer.read()))
        except urllib.error.HTTPError as refused:
            with refused:
                return Answer(refused.code, _json(refused.read()))


def _json(text: bytes) -> dict[str, Any]:
    read = json.loads(text) if text.startswith(b"{") else {"text": text.decode(errors="replace")}
    return dict(read)
