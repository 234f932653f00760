"""What runs our processes: found by its name, stopped, and waited for until no pod of it and no leader is left."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from cli.ending import REFUSED, CommandError
from cli.uninstall.kinds import DAEMON_SETS, DEPLOYMENTS, Workload
from cli.uninstall.places import PREFIX, Places
from kube.client import Client
from kube.errors import NotFound
from kube.meta import Key
from kube.records import Lease
from kube.requests import Patch, Selection
from kube.resources import LEASES, PODS, Resource
from kube.tenure import steady

LOOK_AGAIN = 0.5
"""Seconds between two looks at what is still there."""
SCALED = ("controller", "scheduler", "sweeper")
"""Deployments; a sweeper's name goes on with that of its fabric."""
DELETED = ("agent",)
"""DaemonSets, which have no number of replicas that could be nought."""
OURS = f"app.kubernetes.io/name=hyperscout,app.kubernetes.io/component in ({', '.join((*SCALED, *DELETED))})"
"""The labels of their pods, in the manifests as in the chart; the removal's own pod is none of them."""
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Running:
    """One of them."""

    resource: Resource[Workload]
    workload: Workload

    @property
    def stop_sentence(self) -> str:
        """What is done to stop it."""
        name = f"{self.resource.kind} {self.workload.metadata.key}"
        return f"scale {name} to 0" if self.resource is DEPLOYMENTS else f"delete {name}"

    async def stop(self, client: Client) -> None:
        """Done at once by the server; its pods go later."""
        metadata = self.workload.metadata
        try:
            if self.resource is DEPLOYMENTS:
                none = Patch({"spec": {"replicas": 0}}, subresource="scale")
                await client.patch(DEPLOYMENTS, metadata.name, none, metadata.namespace)
            else:
                await client.delete(self.resource, metadata)
        except NotFound:
            return

    @property
    def pods(self) -> Selection:
        """Those that it made."""
        labels = ",".join(f"{name}={value}" for name, value in self.workload.spec.selector.match_labels.items())
        return Selection(self.workload.metadata.namespace, labels=labels)


async def find_running(client: Client, places: Places) -> list[Running]:
    """Everything of ours that runs processes, controllers first: they are the ones that write most."""
    found: list[Running] = []
    for resource, names in ((DEPLOYMENTS, SCALED), (DAEMON_SETS, DELETED)):
        for namespace in places.namespaces:
            listed = (await client.list(resource, Selection(namespace))).items
            found += [Running(resource, one) for one in listed if _is_one_of(one.metadata.name, names)]
    return found


def _is_one_of(name: str, kinds: Iterable[str]) -> bool:
    return any(name == PREFIX + kind or name.startswith(f"{PREFIX}{kind}-") for kind in kinds)


async def find_pods(client: Client, places: Places, running: Sequence[Running]) -> list[Key]:
    """Those that are still there: of what runs, and all with our labels, for pods outlive what made them."""
    found: set[Key] = set()
    for selection in (*(one.pods for one in running), *(Selection(name, labels=OURS) for name in places.namespaces)):
        listing = await client.list(PODS, selection)
        found.update(pod.metadata.key for pod in listing.items if not pod.finished)
        found.update(one.key for one in listing.unreadable)
    return sorted(found)


async def find_leases(client: Client, places: Places) -> list[Lease]:
    """The Leases of our processes."""
    listed = [(await client.list(LEASES, Selection(namespace))).items for namespace in places.namespaces]
    return [lease for leases in listed for lease in leases if lease.metadata.name.startswith(PREFIX)]


@dataclass(slots=True)
class Holders:
    """Who holds a Lease, judged by our own clock: a Lease that nobody renews for its duration is held by nobody."""

    seen: dict[Key, tuple[str, float]] = field(default_factory=dict)

    def among(self, leases: Iterable[Lease]) -> Iterator[str]:
        """A sentence for each Lease that is still held."""
        now = steady()
        for lease in leases:
            key, version = lease.metadata.key, lease.metadata.resource_version
            if self.seen.get(key, ("", 0.0))[0] != version:
                self.seen[key] = (version, now)
            holder = lease.spec.holder_identity
            if holder and now - self.seen[key][1] < lease.spec.lease_duration_seconds:
                yield f"Lease {key} is held by {holder}"


async def wait_until_stopped(client: Client, places: Places, running: Sequence[Running], seconds: float) -> None:
    """Return when no pod and no leader is left; CommandError when some still are after so many seconds."""
    holders, until = Holders(), steady() + seconds
    while True:
        left = [f"Pod {key} still runs" for key in await find_pods(client, places, running)]
        left += holders.among(await find_leases(client, places))
        if not left:
            return
        if steady() >= until:
            more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
            raise CommandError(
                f"after {seconds:g} s {', '.join(left[:_NAMED])}{more}; whatever runs would put back what is removed: "
                "stop it and try again, or wait longer with --timeout",
                REFUSED,
            )
        await asyncio.sleep(LOOK_AGAIN)
