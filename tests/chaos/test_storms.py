"""Servers that go and come back, broken watches, refusals, conflicts: the controller recovers alone and asks calmly."""

from __future__ import annotations

import itertools
import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from tests.chaos.api import Api, Body
from tests.chaos.conftest import Weather
from tests.chaos.gangs import GANGS, are_bound, placed, scheduling, submit
from tests.chaos.proxy import Refusal, Trouble
from tests.chaos.publisher import NODES
from tests.chaos.watcher import HYPER_NODES
from tests.cluster.audit import Request

CALM = 100.0
"""Requests a second, the Lease's left out, that are no hot loop: a look writes at most 13 HyperNodes, their statuses,
32 Nodes and 32 NodeReports, which is 90, and a quick churn is over in few seconds (51 a second were seen); looks that
fail are half a second apart after the third; five watches that break are opened again 10 times a second at most, and
soon less often. A loop without pauses asks some 500 times."""

IN_TROUBLE = 60
"""Requests before the trouble is over."""
NARROW = (
    "--enable-priority-and-fairness=false",
    "--max-requests-inflight=3",
    "--max-mutating-requests-inflight=2",
)


def churn(weather: Weather, steps: int) -> None:
    for _ in range(steps):
        weather.site.churn.step()
    weather.site.churn.publish()


def test_watches_that_are_cut_again_and_again_lose_nothing(weather: Weather) -> None:
    begin = time.monotonic()
    for _ in range(5):
        churn(weather, 2)
        weather.proxy.cut()
    assert weather.proxy.rate(begin) < CALM
    weather.calm()


def test_a_server_that_is_busy_or_broken_is_asked_calmly(weather: Weather) -> None:
    weather.proxy.trouble = trouble(5)
    weather.proxy.cut()
    begin = time.monotonic()
    while time.monotonic() < begin + 3.0:
        churn(weather, 1)
    assert weather.proxy.rate(begin) < CALM
    weather.calm()


def test_an_api_server_that_starts_again_and_is_overloaded_is_found_again(weather: Weather) -> None:
    """It has room for few requests at a time, and others who write all the time."""
    server, audit = weather.site.plane["kube-apiserver"], weather.site.plane.audit
    churn(weather, 3)
    usual, server.command = server.command, [*server.command, *NARROW]
    server.stop(signal.SIGKILL)
    server.start()
    server.command = usual
    server.wait_ready()
    size, begin = audit.size(), time.monotonic()
    with annotating(weather):
        weather.site.churn.change_every_leaf_group()
        weather.controller.until(lambda: any(one.code == 429 for one in asked_since(weather, size)), "it is let in")
        churn(weather, 3)
    weather.calm()
    asked = asked_since(weather, size)
    assert len(asked) < CALM * (time.monotonic() - begin)


def test_versions_that_the_server_has_forgotten_are_read_anew(weather: Weather) -> None:
    """Frozen, it misses changes, deletions among them; then etcd forgets them, and both servers start again."""
    plane = weather.site.plane
    weather.controller.freeze()
    churn(weather, 8)
    compact(weather)
    for name in ("kube-apiserver", "etcd"):
        plane[name].stop(signal.SIGKILL)
    for name in ("etcd", "kube-apiserver"):
        plane[name].start()
        plane[name].wait_ready()
    weather.controller.resume()
    relisted = len([line for line in weather.controller.lines() if line["event"] == "relist"])
    weather.controller.until(lambda: relists(weather) > relisted, "it never listed again")
    weather.calm()


def test_another_writer_of_the_same_objects_hinders_nothing_and_loses_nothing(weather: Weather) -> None:
    begin = time.monotonic()
    with annotating(weather) as written:
        for _ in range(3):
            churn(weather, 4)
            weather.calm()
        assert weather.proxy.rate(begin) < CALM
    assert written
    for path in (HYPER_NODES, NODES):
        for name, found in weather.site.api.items(path).items():
            theirs = found["metadata"].get("annotations", {}).get("team")
            assert theirs == written.get(f"{path}/{name}", theirs)


def test_gangs_are_placed_whole_and_each_in_one_leaf_group(weather: Weather) -> None:
    ledger = weather.site.churn.ledger
    with scheduling(weather) as scheduler:
        weather.proxy.trouble = trouble(3)
        begin = len(weather.proxy.asked)
        for job in GANGS:
            submit(weather, job)
            weather.proxy.cut()
        scheduler.until(lambda: len(weather.proxy.asked) >= begin + IN_TROUBLE, "it asks for nothing")
        weather.calm()
        scheduler.until(lambda: are_bound(weather), "a gang is not bound")
        for nodes in placed(weather).values():
            assert (len(set(nodes)), len({ledger.unit(node) for node in nodes})) == (len(nodes), 1)


def trouble(seed: int) -> Trouble:
    """Every third request is refused, every third breaks."""
    dice = random.Random(seed)
    busy, broken = Refusal(HTTPStatus.TOO_MANY_REQUESTS, retry_after=1), Refusal(HTTPStatus.INTERNAL_SERVER_ERROR)
    return lambda *_: dice.choice((busy, broken, None))


def asked_since(weather: Weather, size: int) -> list[Request]:
    """What the controller asked for since the audit log had that size, its Lease left out."""
    found = weather.site.plane.audit.requests(agent=weather.controller.agent, after=size)
    return [one for one in found if one.resource != "leases"]


def relists(weather: Weather) -> int:
    return len([line for line in weather.controller.lines() if line["event"] == "relist"])


def compact(weather: Weather) -> None:
    """etcd forgets all versions but the newest."""
    import json
    import urllib.request

    address = next(part for part in weather.site.plane["etcd"].command if part.startswith("--listen-client-urls="))
    url = address.partition("=")[2]

    def ask(path: str, body: Body) -> Body:
        request = urllib.request.Request(f"{url}{path}", json.dumps(body).encode())
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10) as answer:
            found: Body = json.load(answer)
            return found

    newest = ask("/v3/kv/range", {"key": "AA=="})["header"]["revision"]
    ask("/v3/kv/compaction", {"revision": newest, "physical": True})


@contextmanager
def annotating(weather: Weather) -> Iterator[dict[str, str]]:
    """Somebody who writes annotations of its own on all HyperNodes and Nodes, as fast as the server lets it.

    The last value of each, by path.
    """
    ended, written = threading.Event(), dict[str, str]()

    def run(path: str) -> None:
        api = Api(weather.site.plane)
        for number in itertools.count():
            if ended.is_set():
                break
            for name in api.items(path):
                body = {"metadata": {"annotations": {"team": str(number)}}}
                if api.send("PATCH", f"{path}/{name}", body, "application/merge-patch+json").status == 200:
                    written[f"{path}/{name}"] = str(number)
        api.close()

    threads = [threading.Thread(target=run, args=(path,), daemon=True) for path in (HYPER_NODES, NODES)]
    for thread in threads:
        thread.start()
    try:
        yield written
    finally:
        ended.set()
        for thread in threads:
            thread.join()
