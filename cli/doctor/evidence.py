"""How old the evidence is, by this machine's clock, and who leads."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta
from typing import Any

from cli.doctor.finding import Finding, fine, named, unknown, wrong
from cli.leaders import PROCESSES, find_leaders_elsewhere
from cli.uninstall.kinds import DAEMON_SETS
from cli.uninstall.places import Places
from discovery.reports import COMPLETE
from kube.client import Client
from kube.errors import Forbidden, NotFound
from kube.listing import Listing
from kube.resources import LEASES, NODE_REPORTS, NODES, SWEEP_REPORTS
from kube.types import LeaseSpec, NodeReportObject, SweepReportObject

OLD = timedelta(minutes=15)
"""Three periods of agents and sweepers, as they are set where nobody sets them otherwise."""
AGENTS = "hyperscout-agent"
"""The DaemonSet."""
SWEEPS = "docs/infiniband.md and docs/switches.md say what makes a sweep so; look at the log of its sweeper, too"


async def look_at_evidence(client: Client, places: Places, now: datetime) -> list[Finding]:
    """Of the nodes, and of the fabrics."""
    findings: list[Finding] = []
    if await client.serves(NODE_REPORTS):
        reports, nodes = await client.list(NODE_REPORTS), _names(await client.list(NODES))
        findings.append(_of_reports(reports.items, now))
        findings += _missing(_names(reports), nodes, await _wanted_agents(client, places, nodes))
    if await client.serves(SWEEP_REPORTS):
        sweeps = (await client.list(SWEEP_REPORTS)).items
        left = [one.metadata.name for one in sweeps if await _is_left(client, places, one, now)]
        findings += _of_sweeps(sweeps, left, now)
    return findings


async def _is_left(client: Client, places: Places, one: SweepReportObject, now: datetime) -> bool:
    """Whether the report is old and no sweeper holds the Lease of that name. False: that is not for us to see."""
    if one.spec.end is not None and now - one.spec.end <= OLD:
        return False
    try:
        spec = (await client.get(LEASES, f"hyperscout-sweeper-{one.metadata.name}", places.nodes)).spec
    except NotFound:
        return True
    except Forbidden:
        return False
    return not spec.holder_identity or _since_renewal(spec, now) > timedelta(seconds=2 * spec.lease_duration_seconds)


def _since_renewal(spec: LeaseSpec, now: datetime) -> timedelta:
    return now - datetime.fromisoformat(spec.renew_time) if spec.renew_time else timedelta.max


async def _wanted_agents(client: Client, places: Places, nodes: AbstractSet[str]) -> int:
    """On how many nodes agents are to run; on all where no DaemonSet says otherwise."""
    try:
        agents = await client.get(DAEMON_SETS, AGENTS, places.nodes)
    except (NotFound, Forbidden):
        return len(nodes)
    return agents.status.desired_number_scheduled


def _names(listing: Listing[Any]) -> set[str]:
    """Also of what cannot be read: it is there."""
    return {one.metadata.name for one in listing.items} | {one.key.name for one in listing.unreadable}


def _missing(reported: AbstractSet[str], nodes: AbstractSet[str], wanted: int) -> Iterator[Finding]:
    """Nodes without a report, and reports without a Node."""
    silent = sorted(nodes - reported)
    if reported and silent:
        which = f"{len(silent):,} of {len(nodes):,} Nodes have no NodeReport: {named(silent)}"
        if len(nodes & reported) < wanted:
            yield wrong("evidence", which, f"agents are to run on {wanted:,}, look at those that do not")
        else:
            yield fine("evidence", f"{which}; agents are to run on {wanted:,} only")
    lonely = sorted(reported - nodes)
    if lonely:
        which = f"{len(lonely):,} of {len(reported):,} NodeReports are of no Node: {named(lonely)}"
        yield wrong("evidence", which, "give the agent its Node's name (host.node), or delete the report")


def _of_reports(reports: Sequence[NodeReportObject], now: datetime) -> Finding:
    ages = {one.metadata.name: now - one.spec.heartbeat for one in reports if one.spec.heartbeat is not None}
    if not ages:
        advice = "look at the agents: kubectl get pods -A | grep hyperscout-agent"
        return wrong("evidence", "no node has reported yet", advice)
    old = sorted((name for name, age in ages.items() if age > OLD), key=lambda name: ages[name], reverse=True)
    if old:
        which = named([f"{name} ({spelled(ages[name])})" for name in old])
        what = f"{len(old):,} of {len(ages):,} NodeReports are old: {which}"
        return wrong("evidence", what, "look at the agents there")
    return fine("evidence", f"{len(ages):,} NodeReports, the oldest of {spelled(max(ages.values()))}")


def _of_sweeps(sweeps: Sequence[SweepReportObject], left: Container[str], now: datetime) -> list[Finding]:
    """`left`: the names of those that no sweeper goes on with."""
    if not sweeps:
        advice = "look at the sweepers, or run none where no fabric is"
        return [wrong("evidence", "no fabric has been swept yet", advice)]
    return [_of_sweep(one, now, left=one.metadata.name in left) for one in sweeps]


def _of_sweep(one: SweepReportObject, now: datetime, *, left: bool) -> Finding:
    name, spec = one.metadata.name, one.spec
    age = now - spec.end if spec.end is not None else None
    gone = f"no sweeper holds its Lease; if it is gone: kubectl delete sweepreport {name}"
    if spec.outcome != COMPLETE:
        told = f"the last sweep of {name} is {spec.outcome}: {'; '.join(spec.reasons[:3]) or 'no reason'}"
        return wrong("evidence", told, gone if left else SWEEPS)
    if age is None or age > OLD:
        how = "never ended" if age is None else f"is {spelled(age)} old"
        return wrong("evidence", f"the last sweep of {name} {how}", gone if left else "look at the log of its sweeper")
    return fine("evidence", f"{name} swept its fabric wholly {spelled(age)} ago")


async def look_at_leaders(client: Client, places: Places, now: datetime) -> list[Finding]:
    """Whether controller and scheduler are at work."""
    here = [await _leader(client, places.system, name, now) for name in PROCESSES]
    return [*here, *await _leaders_elsewhere(client, places, now)]


async def _leaders_elsewhere(client: Client, places: Places, now: datetime) -> list[Finding]:
    """Two that hold Leases of two namespaces both write."""
    try:
        others = await find_leaders_elsewhere(client, places.namespaces, now)
    except Forbidden:
        what = "whether others lead in other namespaces is not for us to see"
        return [unknown("leaders", what, "ask as somebody who may list leases in all of them")]
    return [
        wrong("leaders", f"{one.spec.holder_identity} leads by the Lease {one.metadata.key} too", "stop one of both")
        for one in others
    ]


async def _leader(client: Client, namespace: str, name: str, now: datetime) -> Finding:
    pods = f"look at its pods: kubectl get pods -n {namespace}"
    try:
        spec = (await client.get(LEASES, name, namespace)).spec
    except NotFound:
        what = f"there is no Lease {namespace}/{name}: no {name} has ever run there"
        return wrong("leaders", what, f"{pods}; where it runs elsewhere say so by --namespace")
    renewed = datetime.fromisoformat(spec.renew_time) if spec.renew_time else None
    if not spec.holder_identity or renewed is None:
        return wrong("leaders", f"nobody holds the Lease {namespace}/{name}: no {name} runs", pods)
    age = now - renewed
    if age > timedelta(seconds=2 * spec.lease_duration_seconds):
        what = f"{spec.holder_identity} renewed the Lease {namespace}/{name} {spelled(age)} ago: {name} hangs"
        advice = f"look at its log, then start it anew: kubectl rollout restart -n {namespace} deployment/{name}"
        return wrong("leaders", what, advice)
    return fine("leaders", f"{spec.holder_identity} leads as {name}")


def spelled(age: timedelta) -> str:
    """`40 s`, `12 min`, `3 h`, `5 d`; a clock that is ahead gives `0 s`."""
    seconds = max(0, int(age.total_seconds()))
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"
