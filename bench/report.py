"""`bench report`: ten thousand agents that start at once, beside the API server's raw rate of the same writes.

    python -m bench.report [--agents N]

It starts etcd and kube-apiserver with our kinds, rights and queues for agents. Raw is a plain HTTP client that applies
as many reports of the same size as the same account, half of them before and half after, each as a client of its own,
as ten thousand machines do; what one client does that keeps its connections is told beside it. The agents are
`Reporter`s as they run on nodes, with the random waits of their start: each connects, reads what it wrote before, and
registers. The exit code is 1 if that takes longer than their writes take at 90 % of the raw rate.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import logging
import signal
import ssl
import sys
import time
from asyncio.sslproto import SSLProtocol
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import structlog
import yaml

from agent.node.evidence import PROBES
from agent.node.reporting import Reporter, Spreads
from agent.publishing import node_object
from bench.raw import Raw, say, speak_to
from bench.reference import Figure, report
from discovery.identity import Guid, NodeName
from discovery.reports import FOUND, UP, Interface, Neighbour, NodeReport, Port, ProbeOutcome
from kube.connection import Access, Connection, FixedCredentials
from kube.errors import ApiError
from tests.cluster.control_plane import NO_KUBELET, ControlPlane, Settings
from tests.cluster.tokens import account
from tests.security.installed import install
from tests.security.manifests import BASE, NODE

REPORTS = "/apis/hyperscout.io/v1alpha1/nodereports"
BINDINGS = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
NAME = "bench-agents"
"""An account like that of the agents, which is bound to no node: it may write all reports."""
SHARE = 0.9
AT_ONCE = 32
"""Raw writes side by side."""
PATIENCE = 300.0
BUFFER = 1 << 14
"""Bytes that a TLS connection of this process reads at once, in place of 256 KiB that are cleared for each: thousands
wait here in one process, and on a node there is one."""
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def a_report(number: int) -> NodeReport:
    """Of a node with 8 HCAs and 2 interfaces, both with a neighbour."""
    guids = (Guid(f"a088c2{number:06x}{rail:04x}") for rail in range(8))
    return NodeReport(
        ports=tuple(_port(f"mlx5_{rail}", guid) for rail, guid in enumerate(guids)),
        interfaces=tuple(_interface(one) for one in range(2)),
        probes=tuple(ProbeOutcome(name=name, outcome=FOUND) for name in PROBES),
        bootId="0b9f6b1e-4a53-4b0e-8b55-2f1f3f0d9a11",
        heartbeat=NOON,
    )


def _port(device: str, guid: Guid) -> Port:
    return Port(
        device=device, port=1, nodeGuid=guid, portGuid=guid, systemImageGuid=guid, lastUp=NOON, verdict=UP,
        linkLayer="InfiniBand", state="Active", physicalState="LinkUp", width=4, speed="NDR",
    )  # fmt: skip


def _interface(number: int) -> Interface:
    heard = Neighbour(portId=f"swp{number}", portIdSubtype="ifname", systemName="tor-17.example.com")
    mac = f"02:00:00:00:00:0{number}"
    return Interface(name=f"eth{number}", mac=mac, speed=100_000, carrier=True, neighbours=(heard,))


@dataclass(slots=True)
class Scripted:
    """An agent's eyes that always see the same."""

    report: NodeReport

    def remember(self, report: NodeReport) -> None:
        """It knew."""


@dataclass(slots=True)
class Register:
    """Counts what becomes of the agents' calls."""

    wanted: int
    done: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    all_done: asyncio.Event = field(default_factory=asyncio.Event)

    def wrote(self, verb: str, error: ApiError | None, size: int) -> None:
        """One call is over."""
        del size
        if error is not None:
            self.failures[f"{verb}: {type(error).__name__} {error.code or ''}".strip()] += 1
            return
        self.done += 1
        if self.done == self.wanted:
            self.all_done.set()


@dataclass(frozen=True, slots=True)
class Server:
    """Whom all speak to, and as whom."""

    plane: ControlPlane
    token: str
    tls: ssl.SSLContext

    def speaking(self) -> AbstractAsyncContextManager[Raw]:
        """A plain client with connections of its own."""
        return speak_to(self.plane.url, self.token, self.tls)

    @property
    def connection(self) -> Connection:
        """For clients of ours."""
        access = Access({"Authorization": f"Bearer {self.token}"}, self.tls)
        return Connection(self.plane.url, FixedCredentials(access))

    def cpu(self) -> tuple[float, float]:
        """Seconds that kube-apiserver and etcd have taken, and those of this process."""
        own = psutil.Process()
        served = [one for one in own.children(recursive=True) if one.name() in ("etcd", "kube-apiserver")]
        return sum(map(_seconds, served)), _seconds(own)


def _seconds(process: psutil.Process) -> float:
    used = process.cpu_times()
    return used.user + used.system


async def raw_seconds(server: Server, numbers: Iterable[int], *, kept: Raw | None = None) -> float:
    """How long plain applies of these reports take, as many side by side as the server is quickest with: each by a
    client of its own, or all by one that keeps its connections."""
    left = iter([node_object(NodeName(f"raw-{number}"), a_report(number)).document() for number in numbers])
    began = time.monotonic()

    async def work() -> None:
        for document in left:
            path = f"{REPORTS}/{document['metadata']['name']}"
            if kept is not None:
                await kept.apply(path, document)
            else:
                async with server.speaking() as raw:
                    await raw.apply(path, document)

    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    return time.monotonic() - began


async def agents_seconds(connection: Connection, number: int, spread: float) -> float:
    """From the moment at which all start until the last has registered."""
    stop, told = asyncio.Event(), Register(number)
    reporters = [
        Reporter(
            replace(connection, agent=f"hyperscout-agent/{one}"), NodeName(f"node-{one}"), Scripted(a_report(one)),
            Spreads(start=spread), stop, told,
        )
        for one in range(number)
    ]  # fmt: skip
    began = time.monotonic()
    tasks = [asyncio.create_task(reporter.run()) for reporter in reporters]
    for reporter in reporters:
        reporter.offer()
    try:
        async with asyncio.timeout(PATIENCE):
            while not told.all_done.is_set():
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(5.0):
                        await told.all_done.wait()
                say(f"{told.done:,} agents registered after {time.monotonic() - began:.1f} s")
    finally:
        taken = time.monotonic() - began
        stop.set()
        await asyncio.gather(*tasks)
        for what, times in told.failures.most_common():
            print(f"  tried again: {times:,}: {what}")
    return taken


async def measure(plane: ControlPlane, number: int, spread: float) -> int:
    """Everything, and the exit code."""
    server = Server(plane, account(plane, NODE, NAME).token(), plane.tls())
    half, few = number // 2, number // 10
    gc.disable()  # here and there: what one process holds of thousands shall cost none of them
    async with server.speaking() as kept:
        await raw_seconds(server, range(10**6, 10**6 + few), kept=kept)  # the server warms up
        cpu = [server.cpu()]
        before = await raw_seconds(server, range(half))
        cpu.append(server.cpu())
        agents = await agents_seconds(server.connection, number, spread)
        cpu.append(server.cpu())
        after = await raw_seconds(server, range(half, 2 * half))
        few_kept = await raw_seconds(server, range(10**7, 10**7 + few), kept=kept)
    print(f"raw: {half / before:,.0f} writes/s before, {half / after:,.0f} after; {few / few_kept:,.0f} if kept")
    print(f"agents: {number / agents:,.0f}/s")
    for what, (start, written, registered) in zip(("the server", "all clients"), zip(*cpu, strict=True), strict=True):
        raw_cpu, agent_cpu = 1000 * (written - start) / half, 1000 * (registered - written) / number
        print(f"{what}: {raw_cpu:.1f} ms of CPU for a raw write, {agent_cpu:.1f} ms for an agent that registers")
    limit = number / (SHARE * 2 * half / (before + after))
    return report([Figure(f"{number:,} agents register", agents, limit, "s")])


def allow(plane: ControlPlane) -> None:
    """The account may what agents may, and waits in their queues."""
    account(plane, NODE, NAME)
    plane.ask("POST", BINDINGS, {
        "metadata": {"name": NAME},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "hyperscout-agent"},
        "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": NODE}],
    })  # fmt: skip
    kinds = {"PriorityLevelConfiguration": "prioritylevelconfigurations", "FlowSchema": "flowschemas"}
    for one in yaml.safe_load_all((BASE / "flow-control.yaml").read_text()):
        answer = plane.ask("POST", f"/apis/flowcontrol.apiserver.k8s.io/v1/{kinds[one['kind']]}", one)
        assert answer.status == 201, answer.body


def control_plane(folder: Path) -> Iterator[ControlPlane]:
    """With our kinds, rights, policies and queues."""
    with ControlPlane(folder, Settings(api_server_flags=(NO_KUBELET,))) as plane:
        install(plane)
        allow(plane)
        yield plane


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench report")
    parser.add_argument("--agents", type=int, default=10_000)
    parser.add_argument("--spread", type=float, default=Spreads().start, help="seconds; that of an agent by default")
    chosen = parser.parse_args(arguments)
    SSLProtocol.max_size = BUFFER
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))  # so that what it started ends with it
    with TemporaryDirectory() as folder, contextlib.contextmanager(control_plane)(Path(folder)) as plane:
        return asyncio.run(measure(plane, chosen.agents, chosen.spread))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
