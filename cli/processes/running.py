"""One process from its start to its end: checks, HTTP, election, the room at work, a stop that is clean and in time."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any, TypeVar
from uuid import uuid4

import structlog
from prometheus_client import CollectorRegistry

from cli.ending import UNREACHABLE, CommandError
from cli.namespaces import SYSTEM
from cli.processes import logs
from cli.processes.authentication import gate_for, rights_for
from cli.processes.health import Health
from cli.processes.metrics import ProcessMetrics
from cli.processes.preflight import Needs, check
from cli.processes.sections import Cluster, Http, Lease, Log
from cli.processes.serving import served
from cli.processes.stacks import tell_when_asked
from kube.client import Client
from kube.config import load_connection
from kube.connection import Connection
from kube.errors import ConfigurationError
from kube.lease import Candidacy, Election
from kube.pace import Limits
from kube.tenure import ALONE, Leading, Tenure

T = TypeVar("T")

log = structlog.get_logger(__name__)

STOP_SECONDS = 3.5
"""For what is under way at a stop; with releasing the Lease and closing connections it is over within five seconds."""
RELEASE_SECONDS = 1.0
FAILED = 1
IMPATIENT = Limits(attempts=2, timeout=10.0)
"""Of the checks at the start: who starts us tries again anyhow."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a room at work is given."""

    client: Client
    stop: asyncio.Event
    tenure: Leading
    health: Health
    metrics: ProcessMetrics
    registry: CollectorRegistry
    namespace: str
    """Of the Lease, and of what the process keeps beside it."""


Room = Callable[[Surroundings], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class Process:
    """A kind of process, and the settings that all kinds have."""

    name: str
    needs: Callable[[str], Needs] | None
    """By the namespace of the Lease. None: what is missing is told when it is needed, and waited for."""
    room: Room
    cluster: Cluster
    http: Http
    log: Log
    lease: Lease | None
    """None: it leads nobody, for there is one of its kind a node."""
    connect: Callable[[str | None], Connection] = load_connection
    home: str = SYSTEM
    """The namespace that it is installed in, where neither settings nor its pod say another: so that one that is
    started by hand stands for the same Lease."""


def run_process(process: Process) -> int:
    """Run until SIGTERM or SIGINT, and return the exit code; CommandError where it cannot begin."""
    logs.configure(process.log, process.name)
    return asyncio.run(_run(process))


async def _run(process: Process) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    tell_when_asked()
    try:
        connection = await asyncio.to_thread(process.connect, process.cluster.kubeconfig or None)
    except ConfigurationError as error:
        raise CommandError(str(error), UNREACHABLE) from error
    namespace = process.cluster.namespace or (connection.namespace if connection.of_pod else process.home)
    if process.needs is not None:
        async with Client(connection, IMPATIENT) as client:
            await _unless(stop, check(client, process.needs(namespace).and_also(rights_for(process.http.listen))))
    return 0 if stop.is_set() else await _work(process, connection, namespace, stop)


async def _work(process: Process, connection: Connection, namespace: str, stop: asyncio.Event) -> int:
    identity = f"{socket.gethostname()}_{uuid4().hex[:12]}"
    connection = replace(connection, agent=f"hyperscout-{process.name}/{version('hyperscout')} ({identity})")
    tenure: Leading = ALONE
    election: Election | None = None
    if process.lease is not None:
        times = process.lease.times()
        own = tenure = Tenure(times.renew_deadline)
        election = Election(connection, Candidacy(namespace, f"hyperscout-{process.name}", identity, times), own)
    health = Health(
        process.http.stale_after,
        electing=lambda: election is None or election.alive,
        unseen=lambda: election.unseen() if election is not None else "",
    )
    registry = CollectorRegistry()
    metrics = ProcessMetrics(registry, tenure if election is not None else None)
    async with (
        Client(connection) as client,
        gate_for(process.http.listen, connection) as gate,
        served(process.http, health, registry, gate) as address,
    ):
        if election is not None:
            election.start()
        log.info("started", version=version("hyperscout"), server=connection.address, http=address, identity=identity)
        work = asyncio.create_task(
            process.room(Surroundings(client, stop, tenure, health, metrics, registry, namespace))
        )
        return await _until_stopped(work, stop, health, election)


async def _until_stopped(
    work: asyncio.Task[None], stop: asyncio.Event, health: Health, election: Election | None
) -> int:
    """The exit code. The Lease is released only when nothing can be written any more; else it runs out."""
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({work, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    health.stopping = True
    if not work.done():
        log.info("stopping")
        await asyncio.wait({work}, timeout=STOP_SECONDS)
    if election is not None:
        await asyncio.to_thread(election.stop, RELEASE_SECONDS, release=work.done())
    if not work.done():
        log.error("cut off", why=f"what was under way did not end within {STOP_SECONDS:g} s")
        _end_at_once()
    failure = work.exception()
    if failure is not None:
        log.error("failed", exc_info=failure)
        return FAILED
    log.info("stopped")
    return 0


def _end_at_once() -> None:
    """A thread that concludes cannot be cancelled, and nobody waits for it."""
    sys.stderr.flush()
    os._exit(FAILED)


async def _unless(stop: asyncio.Event, work: Awaitable[T]) -> None:
    """Wait for the work, or give it up when we are to stop."""
    tasks = [asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if tasks[0].done():
            tasks[0].result()
    finally:
        for task in tasks:
            task.cancel()
