"""Servers that go and come back, broken watches, refusals, conflicts: the controller recovers alone and asks calmly."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from tests.chaos.api import Api, Body
from tests.chaos.conftest import Weather
from tests.chaos.proxy import Refusal
from tests.chaos.publisher import NODES
from tests.chaos.watcher import HYPER_NODES

CALM = 40.0
"""Requests a second, the Lease's left out, that are no hot loop: a look writes at most 13 HyperNodes, their statuses,
32 Nodes and 32 NodeReports, and looks that fail are half a second apart after the third; five watches that break are
opened again 10 times a second at most, and soon less often. A loop without pauses asks some 500 times."""


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
    dice = random.Random(5)
    busy, broken = Refusal(HTTPStatus.TOO_MANY_REQUESTS, retry_after=1), Refusal(HTTPStatus.INTERNAL_SERVER_ERROR)
    weather.proxy.trouble = lambda *_: dice.choice((busy, broken, None))
    weather.proxy.cut()
    begin = time.monotonic()
    while time.monotonic() < begin + 3.0:
        churn(weather, 1)
    assert weather.proxy.rate(begin) < CALM
    weather.calm()


def test_an_api_server_that_starts_again_is_found_again(weather: Weather) -> None:
    server = weather.site.plane["kube-apiserver"]
    churn(weather, 3)
    server.stop(signal.SIGKILL)
    server.start()
    server.wait_ready()
    churn(weather, 3)
    weather.calm()
    assert_calm_since_now(weather)


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
        while time.monotonic() < begin + 3.0:
            churn(weather, 1)
            time.sleep(0.1)
        weather.calm()
        assert weather.proxy.rate(begin) < CALM
    assert written
    for path in (HYPER_NODES, NODES):
        for name, found in weather.site.api.items(path).items():
            theirs = found["metadata"].get("annotations", {}).get("team")
            assert theirs == written.get(f"{path}/{name}", theirs)


def relists(weather: Weather) -> int:
    return len([line for line in weather.controller.lines() if line["event"] == "relist"])


def assert_calm_since_now(weather: Weather) -> None:
    """For a second, as the audit log counts it; nothing changes, so hardly anything is asked."""
    audit = weather.site.plane.audit
    begin = audit.size()
    time.sleep(1.0)
    asked = [one for one in audit.requests(agent=weather.controller.agent, after=begin) if one.resource != "leases"]
    assert len(asked) < CALM


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
    """Somebody who writes annotations of its own on every HyperNode and Node all the time; the last value of each."""
    ended, written = threading.Event(), dict[str, str]()

    def run() -> None:
        api, number = Api(weather.site.plane), 0
        while not ended.is_set():
            for path in (HYPER_NODES, NODES):
                for name in list(api.items(path)):
                    number += 1
                    body = {"metadata": {"annotations": {"team": str(number)}}}
                    if api.send("PATCH", f"{path}/{name}", body, "application/merge-patch+json").status == 200:
                        written[f"{path}/{name}"] = str(number)
                    if ended.wait(0.005):
                        break
        api.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield written
    finally:
        ended.set()
        thread.join()
