"""A scheduler behind the same proxy, and gangs for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cli.demo.gangs import Job, pod_group, pods
from cli.demo.publishing import ALLOCATABLE
from tests.chaos.api import STRATEGIC
from tests.chaos.conftest import Weather
from tests.chaos.expectation import LEAF
from tests.chaos.publisher import NODES
from tests.chaos.replica import LEASE, Replica
from tests.security.installed import account_of
from tests.security.manifests import SYSTEM

GROUPS = "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups"
PODS = "/api/v1/namespaces/default/pods"
GANGS = [Job(f"training-{number}", 3, LEAF) for number in range(3)]


@contextmanager
def scheduling(weather: Weather) -> Iterator[Replica]:
    """One that leads, behind the same proxy; the nodes have room."""
    plane, api = weather.site.plane, weather.site.api
    ready = {"type": "Ready", "status": "True", "reason": "Played", "message": "by the test"}
    for name in sorted(weather.site.churn.ledger.present):
        room = {"status": {"allocatable": dict(ALLOCATABLE), "conditions": [ready]}}
        assert api.send("PATCH", f"{NODES}/{name}/status", room, STRATEGIC).status == 200
    kubeconfig = plane.folder / "scheduler.kubeconfig"
    text = plane.kubeconfig(account_of(plane, "hyperscout-scheduler").token(), SYSTEM)
    kubeconfig.write_text(text.replace(plane.url, weather.proxy.url))
    found = Replica(kubeconfig, plane.folder / "scheduler.log", LEASE, "scheduler")
    try:
        found.start()
        found.leads()
        yield found
    finally:
        found.kill()
        for job in GANGS:
            for pod in pods(job):
                api.send("DELETE", f"{PODS}/{pod['metadata']['name']}?gracePeriodSeconds=0")
            api.send("DELETE", f"{GROUPS}/{job.name}")


def are_bound(weather: Weather) -> bool:
    """Whether every pod of every gang has its node."""
    nodes = placed(weather)
    return all(len(nodes[job.name]) == job.pods and all(nodes[job.name]) for job in GANGS)


def placed(weather: Weather) -> dict[str, list[str]]:
    """The nodes of the pods of each gang; nothing for one that is not bound."""
    found = weather.site.api.items(PODS).values()
    return {
        job.name: [pod["spec"].get("nodeName", "") for pod in found if pod["metadata"]["labels"].get("job") == job.name]
        for job in GANGS
    }


def submit(weather: Weather, job: Job) -> None:
    """The group and its pods."""
    for path, body in [(GROUPS, pod_group(job)), *((PODS, pod) for pod in pods(job))]:
        assert weather.site.api.send("POST", path, body).status == 201
