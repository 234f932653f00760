"""An agent that claims the ports of another node: by real tokens on a real API server, under the controller's account.

Its token lets it write the report of its own node and in it whatever it likes, so what it says must move nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace

import msgspec
import pytest

from agent.publishing import node_object, switch_object
from controller.running import run_controller, wall_clock
from discovery.identity import NodeName
from discovery.reports import NodeReport
from kube.client import Client
from kube.requests import FieldManager
from kube.types import EVENTS, HYPER_NODES, NODE_REPORTS, NODES, SWEEP_REPORTS, SWITCH_REPORTS
from tests.cluster.control_plane import ControlPlane
from tests.controller.cluster import PATIENCE, QUICK, Watched
from tests.controller.site import SWEEPER, Site
from tests.security.asking import client_with
from tests.security.installed import account_of, add_sweeper

AGENT, SWEEPS = FieldManager("hyperscout-agent", force=True), FieldManager("hyperscout-sweeper", force=True)
THIEF, VICTIM = "node-00000", "node-00003"
"""Of the two units of the site."""


@dataclass(slots=True)
class Fleet:
    """Every agent and the sweeper of a site, each with its own token; `lies`: what an agent makes of its report."""

    agents: dict[str, Client]
    sweeper: Client
    controller: Client
    admin: Client
    site: Site
    lies: dict[str, Callable[[NodeReport], NodeReport]] = field(default_factory=dict)

    async def sweep(self) -> None:
        """One more sweep, and a report of every node."""
        self.site.sweep()
        for found in self.site.switch_objects():
            document = switch_object(SWEEPER, found.spec).document()
            document["metadata"]["name"] = found.metadata.name
            await self.sweeper.apply(SWITCH_REPORTS, document, SWEEPS)
        for report in self.site.node_report_objects():
            node = report.metadata.name
            spec = self.lies[node](report.spec) if node in self.lies else report.spec
            await self.agents[node].apply(NODE_REPORTS, node_object(NodeName(node), spec).document(), AGENT)
        swept = msgspec.to_builtins(self.site.sweep_object().spec)
        metadata = {"name": SWEEPER, "labels": {"hyperscout.io/sweeper": SWEEPER}}
        await self.sweeper.apply(SWEEP_REPORTS, {"metadata": metadata, "spec": swept}, SWEEPS)

    async def places(self) -> dict[str, str | None]:
        """The HyperNode in which each node stands, as its report's status says."""
        found = (await self.admin.list(NODE_REPORTS)).items
        return {report.metadata.name: report.status.hyperNode for report in found}

    async def members(self) -> dict[str, list[str]]:
        """The members of each HyperNode."""
        found = (await self.admin.list(HYPER_NODES)).items
        return {one.metadata.name: [str(member.selector) for member in one.spec.members] for one in found}


@pytest.fixture
async def fleet(guarded: ControlPlane) -> AsyncIterator[Fleet]:
    """A site of six nodes; nothing else is in the cluster."""
    for resource in (NODES, HYPER_NODES, NODE_REPORTS, SWITCH_REPORTS, SWEEP_REPORTS):
        guarded.ask("DELETE", resource.collection_path())
    guarded.ask("DELETE", EVENTS.collection_path("default"))
    site, agent = Site(), account_of(guarded, "hyperscout-agent")
    for node in site.nodes:
        assert guarded.ask("POST", "/api/v1/nodes", {"metadata": {"name": node}}).status == 201
    async with AsyncExitStack() as stack:

        async def client(token: str) -> Client:
            return await stack.enter_async_context(client_with(guarded, token))

        yield Fleet(
            agents={node: await client(agent.token_on(node)) for node in site.nodes},
            sweeper=await client(add_sweeper(guarded, SWEEPER).token()),
            controller=await client(account_of(guarded, "hyperscout-controller").token()),
            admin=await client(guarded.token),
            site=site,
        )


@asynccontextmanager
async def controller(fleet: Fleet) -> AsyncIterator[Watched]:
    """The controller under its own account."""
    watched, stop = Watched(), asyncio.Event()
    task = asyncio.create_task(run_controller(fleet.controller, QUICK, stop, wall_clock, watched.note))
    try:
        yield watched
    finally:
        stop.set()
        async with asyncio.timeout(PATIENCE):
            await task


def also(stolen: NodeReport) -> Callable[[NodeReport], NodeReport]:
    """Own ports, and beside them those of another node."""
    return lambda own: replace(
        own, ports=(*own.ports, *(replace(port, device=f"x{port.device}") for port in stolen.ports))
    )


def only(stolen: NodeReport) -> Callable[[NodeReport], NodeReport]:
    """Nothing but the ports of another node."""
    return lambda own: replace(own, ports=stolen.ports)


@pytest.mark.parametrize("lie", [also, only])
async def test_a_report_that_claims_anothers_guids_moves_neither_and_is_told(
    fleet: Fleet, lie: Callable[[NodeReport], Callable[[NodeReport], NodeReport]]
) -> None:
    async with controller(fleet) as watched:
        await fleet.sweep()
        await watched.swept(1)
        await watched.settled()
        before, members = await fleet.places(), await fleet.members()
        assert None not in before.values()
        assert before[THIEF] != before[VICTIM]
        reports = {report.metadata.name: report.spec for report in fleet.site.node_report_objects()}
        fleet.lies[THIEF] = lie(reports[VICTIM])
        for sequence in range(2, 7):
            await fleet.sweep()
            decision = await watched.swept(sequence)
            assert decision.outcome is not None
        await watched.settled()
        assert (await fleet.places(), await fleet.members()) == (before, members)
        told = [event for event in (await fleet.admin.list(EVENTS)).items if event.reason == "DuplicateGuid"]
    assert told
    for event in told:
        assert f"{VICTIM}, which had it first" in event.message
        assert THIEF in event.message
