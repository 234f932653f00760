"""`bench controller`: the controller on a real API server with 10,000 nodes of 8 rails, as it runs on a cluster.

    python -m bench.controller [--nodes N] [--cuts N] [--pods N]

It starts etcd and kube-apiserver, installs our kinds, rights and admission policies, writes all Nodes and reports, and
runs `hyperscout controller` with the token of its own account. Measured are the cold start; then the time from the
first write of a cable's cut (NodeReport or second switch, SwitchReport, SweepReport) until a watcher sees the condition
of the HyperNode, beside the time from a bare write to its watcher at the same moments; the objects that the controller
writes, by the audit log; its memory; and lists by our client beside receiving the same bytes. The exit code is 1 if a
figure is over its limit.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.large_site import NODES, REPORTS, SWEEPS, SWITCHES, Cut, LargeSite, a_pod
from bench.raw import Raw, say, speak_to
from bench.reference import MEGABYTE, Figure, report
from controller.settings import Debounce
from kube.client import Client
from kube.connection import Access, Connection, FixedCredentials
from kube.resources import Resource
from kube.types import NODES as NODE_KIND
from kube.types import PODS as POD_KIND
from tests.cluster.audit import Request
from tests.cluster.control_plane import NO_KUBELET, ControlPlane, Settings
from tests.security.installed import account_of, install

HYPER_NODES = "/apis/topology.volcano.sh/v1alpha1/hypernodes"
BARE = "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups"
PODS = "/api/v1/namespaces/default/pods"
AGENT = "hyperscout-controller"
FLAGS = (NO_KUBELET, "--audit-log-maxsize=4000")
"""One audit log, however long."""
SLACK = Debounce().quiet + 1.0
"""Seconds that a cut may take beyond a bare write: the debounce, and one more."""
MOST_MEMORY, LEAST_SPEED = 1000, 2.0
PATIENCE = 600.0
QUIET = 5.0
ROUNDS = 5


@dataclass(slots=True)
class Seen:
    """What a watcher has seen of one kind: by name the last object and when it came."""

    last: dict[str, tuple[float, dict[str, Any]]] = field(default_factory=dict)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def follow(self, raw: Raw, path: str) -> None:
        """Until it is cancelled."""
        listed = await raw.send("GET", path)
        for item in listed["items"]:
            self.last[item["metadata"]["name"]] = (time.monotonic(), item)
        async for now, event in raw.watch(path, listed["metadata"]["resourceVersion"]):
            self.last[event["object"]["metadata"]["name"]] = (now, event["object"])
            self.news.set()

    async def until(self, name: str, holds: Any) -> float:  # noqa: ANN401 - a predicate of JSON
        """When the object was first seen so."""
        async with asyncio.timeout(PATIENCE):
            while True:
                self.news.clear()
                at, found = self.last.get(name, (0.0, None))
                if found is not None and holds(found):
                    return at
                await self.news.wait()


@dataclass(slots=True)
class Bench:
    """One run."""

    plane: ControlPlane
    raw: Raw
    site: LargeSite
    process: asyncio.subprocess.Process | None = None
    figures: list[Figure] = field(default_factory=list)
    hyper_nodes: Seen = field(default_factory=Seen)
    bare: Seen = field(default_factory=Seen)

    def memory(self, line: str) -> float:
        """Of the controller, in megabytes: VmRSS or VmHWM."""
        assert self.process is not None
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(text.split()[1] for text in status.splitlines() if text.startswith(line))) * 1024 / MEGABYTE

    def writes(self, after: int) -> list[Request]:
        """What the controller wrote since then, its Lease, journal and Events apart."""
        beside = ("leases", "configmaps", "events")
        return [
            request
            for request in self.plane.audit.requests(agent=AGENT, after=after)
            if request.writes and request.resource not in beside
        ]

    async def quiet(self) -> float:
        """Wait until the controller writes nothing any more; when (monotonic) it wrote last, at most a second off."""
        size, last = self.plane.audit.size(), time.monotonic()
        while time.monotonic() - last < QUIET:
            await asyncio.sleep(0.5)
            found = await asyncio.to_thread(self.writes, size)
            size = self.plane.audit.size()
            if found:
                last = time.monotonic()
        return last

    async def fill(self) -> None:
        """All Nodes and reports, the SweepReport last."""
        site = self.site
        await self.raw.create_all("Nodes", NODES, site.nodes())
        await self.raw.create_all("NodeReports", REPORTS, site.node_reports())
        await self.raw.create_all("SwitchReports", SWITCHES, site.switch_reports())
        await self.raw.send("POST", SWEEPS, site.sweep_report())

    async def cold_start(self) -> None:
        """From the start of the process to all HyperNodes with their conditions, and to all of its writes."""
        expected = {found.name for found in self.site.tree}
        began = time.monotonic()
        self.process = await start(self.plane)
        done = await self._alive(self._all_stand(expected))
        say(f"all {len(expected)} HyperNodes stand after {done - began:.1f} s, {self.memory('VmRSS'):.0f} MB")
        rest = await self.quiet()
        say(f"every write of the cold start is done after {rest - began:.0f} s, {self.memory('VmRSS'):.0f} MB")
        count = Counter(request.resource for request in self.writes(0))
        print(
            f"cold start: {done - began:.1f} s to all {len(expected)} HyperNodes, {rest - began:.0f} s to all writes:"
        )
        print("  " + ", ".join(f"{number:,} of {kind}" for kind, number in sorted(count.items())), flush=True)
        self.figures.append(Figure("controller: memory after the cold start", self.memory("VmRSS"), MOST_MEMORY, "MB"))

    async def _all_stand(self, names: set[str]) -> float:
        return max([await self.hyper_nodes.until(name, _links_are_judged) for name in sorted(names)])

    async def _alive(self, work: Coroutine[Any, Any, float]) -> float:
        """What comes of the work; RuntimeError as soon as the controller ends."""
        assert self.process is not None
        working, ended = asyncio.create_task(work), asyncio.create_task(self.process.wait())
        await asyncio.wait({working, ended}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            working.cancel()
            raise RuntimeError(f"the controller ended with code {ended.result()}")
        ended.cancel()
        return working.result()

    async def cut_all(self, number: int) -> None:
        """One cable after the other, with a bare write before each."""
        size, expected, lost = self.plane.audit.size(), Counter[tuple[str, str]](), Counter[str]()
        cuts, bare = [], []
        for turn, cut in enumerate(self.site.cuts()):
            if turn == number:
                break
            bare.append(await self._bare(turn))
            lost[cut.hyper_node] += 1
            cuts.append(await self._cut(cut, lost[cut.hyper_node]))
            expected["hypernodes", cut.hyper_node] += 2  # the annotation and the condition
            if cut.node:
                expected["nodes", cut.node] += 1
            if (turn + 1) % 20 == 0:
                say(f"{turn + 1} cuts, the last took {cuts[-1]:.2f} s")
        slowest = sorted(((seconds, turn + 1) for turn, seconds in enumerate(cuts)), reverse=True)[:5]
        print("the slowest: " + ", ".join(f"cut {turn} took {seconds:.2f} s" for seconds, turn in slowest))
        await self.quiet()
        written = Counter((request.resource, request.name) for request in self.writes(size))
        self._judge(sorted(cuts), sorted(bare))
        wrong = (written - expected) + (expected - written)
        print(
            f"{number} cuts: {written.total():,} writes to {len(written):,} objects; changed: {len(expected):,} objects"
        )
        for what, times in list(wrong.items())[:5]:
            print(f"  not as expected: {what[0]} {what[1]}: {written[what]} writes for {expected[what]} ({times} off)")
        self.figures.append(Figure("writes that nothing asked for, or that are missing", wrong.total(), 0, ""))

    def _judge(self, cuts: list[float], bare: list[float]) -> None:
        for name, share in (("p50", 0.5), ("p99", 0.99)):
            at = min(len(cuts) - 1, int(share * len(cuts)))
            print(f"{name}: a bare write is seen after {bare[at] * 1000:.1f} ms, a cut as a condition {cuts[at]:.2f} s")
            self.figures.append(
                Figure(f"cut to condition, {name}, beyond a bare write", cuts[at] - bare[at], SLACK, "s")
            )

    async def _bare(self, turn: int) -> float:
        began = time.monotonic()
        body = {"metadata": {"annotations": {"turn": str(turn)}}}
        await self.raw.send("PATCH", f"{BARE}/bare", body, "application/merge-patch+json")
        text = str(turn)
        return await self.bare.until("bare", lambda found: _turn(found) == text) - began

    async def _cut(self, cut: Cut, lost: int) -> float:
        began = time.monotonic()
        for path, body in cut.writes:
            await self.raw.apply(path, body)
        return await self.hyper_nodes.until(cut.hyper_node, lambda found: _lost(found) == lost) - began

    async def lists(self, pods: int) -> None:
        """Our client beside plain receiving, by turns. The garbage collector leaves the site's own objects alone."""
        gc.collect()
        gc.freeze()
        nodes = list(self.site.reports)
        bodies = (a_pod(number, nodes[number % len(nodes)]) for number in range(pods))
        await self.raw.create_all("Pods", PODS, bodies)
        access = Access({"Authorization": f"Bearer {self.plane.token}"}, self.plane.tls())
        async with Client(Connection(self.plane.url, FixedCredentials(access))) as client:
            await self._list(client, NODE_KIND, NODES)
            await self._list(client, POD_KIND, "/api/v1/pods")

    async def _list(self, client: Client, kind: Resource[Any], path: str) -> None:
        alone, ours, size, number = float("inf"), float("inf"), 0, 0
        for _ in range(ROUNDS):
            gc.collect()
            began = time.perf_counter()
            size = await self.raw.receive(path)
            between = time.perf_counter()
            number = len((await client.list(kind)).items)
            alone, ours = min(alone, between - began), min(ours, time.perf_counter() - between)
        print(f"{number:,} {kind.plural}, {size / MEGABYTE:.0f} MB: bytes {alone:.2f} s, client {ours:.2f} s")
        self.figures.append(Figure(f"list of {number:,} {kind.plural} / bytes alone", ours / alone, LEAST_SPEED))


def _condition(found: dict[str, Any], kind: str) -> dict[str, Any]:
    conditions = (found.get("status") or {}).get("conditions") or ()
    return next((condition for condition in conditions if condition["type"] == kind), {})


def _turn(found: dict[str, Any]) -> str:
    return str(found["metadata"].get("annotations", {}).get("turn", ""))


def _links_are_judged(found: dict[str, Any]) -> bool:
    return bool(_condition(found, "LinksHealthy"))


def _lost(found: dict[str, Any]) -> int:
    """As many links as the condition says are unhealthy."""
    links = _condition(found, "LinksHealthy")
    return int(links["message"].split()[0]) if links.get("status") == "False" else 0


async def start(plane: ControlPlane) -> asyncio.subprocess.Process:
    """`hyperscout controller` with its own account's token and its settings, but for the periods of evidence."""
    kubeconfig = plane.folder / "controller.kubeconfig"
    kubeconfig.write_text(plane.kubeconfig(account_of(plane, AGENT).token(), "hyperscout-system"))
    command = [str(Path(sys.executable).with_name("hyperscout")), "controller", "--kubeconfig", str(kubeconfig)]
    for period in ("times.reportPeriod", "times.sweepPeriod"):
        command += ["--set", f"{period}=3600"]  # no evidence comes of age in the middle: that writes every HyperNode
    environment = {key: value for key, value in os.environ.items() if not key.startswith("HYPERSCOUT")}
    with (plane.folder / "controller.log").open("wb") as words:
        return await asyncio.create_subprocess_exec(
            *command, "--listen", "127.0.0.1:0", stderr=words, stdout=words, env=environment
        )


async def measure(plane: ControlPlane, arguments: argparse.Namespace) -> int:
    """Everything, and the exit code."""
    site = LargeSite(arguments.nodes)
    cables = len(site.drawing.cables)
    print(f"{arguments.nodes:,} nodes, {len(site.switches):,} switches, {cables:,} cables; {len(site.tree)} HyperNodes")
    async with speak_to(plane.url, plane.token, plane.tls()) as raw:
        bench = Bench(plane, raw, site)
        await bench.fill()
        group = {"metadata": {"name": "bare"}, "spec": {"minMember": 1}}
        await raw.send("POST", BARE, {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", **group})
        watches = [asyncio.create_task(bench.hyper_nodes.follow(raw, HYPER_NODES))]
        watches.append(asyncio.create_task(bench.bare.follow(raw, BARE)))
        try:
            await bench.cold_start()
            await bench.cut_all(arguments.cuts)
            peak, now = bench.memory("VmHWM"), bench.memory("VmRSS")
            print(f"controller: {now:.0f} MB at the end, {peak:.0f} MB at its peak")
            bench.figures.append(Figure("controller: memory at its peak", peak, MOST_MEMORY, "MB"))
        except BaseException:
            say(_last_words(plane))
            raise
        finally:
            for task in watches:
                task.cancel()
            await _stop(bench.process)
        await bench.lists(arguments.pods or 2 * arguments.nodes)
    return report(bench.figures)


def _last_words(plane: ControlPlane) -> str:
    log = plane.folder / "controller.log"
    return log.read_text()[-3000:] if log.exists() else ""


async def _stop(process: asyncio.subprocess.Process | None) -> None:
    if process is not None and process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


def control_plane(folder: Path) -> Iterator[ControlPlane]:
    """With our kinds, rights and policies."""
    with ControlPlane(folder, Settings(api_server_flags=FLAGS)) as plane:
        install(plane)
        yield plane


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench controller")
    parser.add_argument("--nodes", type=int, default=10_000, help="at least 320")
    parser.add_argument("--cuts", type=int, default=200)
    parser.add_argument("--pods", type=int, default=0, help="for the lists; twice the nodes where it is not given")
    chosen = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))  # so that what it started ends with it
    with TemporaryDirectory() as folder, contextlib.contextmanager(control_plane)(Path(folder)) as plane:
        return asyncio.run(measure(plane, chosen))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
