"""Who leads in a namespace that is none of those that hyperscout is installed in: started by hand, and forgotten."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from kube.client import Client
from kube.records import Lease
from kube.resources import LEASES

PROCESSES = ("hyperscout-controller", "hyperscout-scheduler")
SWEEPER = "hyperscout-sweeper-"
"""How the names of sweepers' Leases begin."""


async def find_leaders_elsewhere(client: Client, namespaces: Collection[str], now: datetime) -> list[Lease]:
    """Leases with our names outside of these namespaces that somebody renews. Forbidden where we may not look."""
    return [
        lease
        for lease in (await client.list(LEASES)).items
        if lease.metadata.name in PROCESSES or lease.metadata.name.startswith(SWEEPER)
        if lease.metadata.namespace not in namespaces and is_held(lease, now)
    ]


def is_held(lease: Lease, now: datetime) -> bool:
    """By this machine's clock, with as much patience again as the Lease itself has."""
    spec = lease.spec
    if not spec.holder_identity or not spec.renew_time:
        return False
    return now - datetime.fromisoformat(spec.renew_time) <= timedelta(seconds=2 * spec.lease_duration_seconds)
