"""Leases on the embedded API server: who gets one, who keeps it, who waits, and what is left at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass

import pytest
import structlog

from kube.client import Client
from kube.connection import connect_to
from kube.embedded.server import EmbeddedServer
from kube.errors import NotFound, NotOurs
from kube.guard import Permit
from kube.lease import Candidacy, Claim, Election, LeaseTimes
from kube.listing import Put
from kube.resources import LEASES
from kube.tenure import Tenure, end_of, next_term
from kube.types import NODES, LeaseSpec

QUICK = LeaseTimes(duration=1.0, renew_deadline=0.6, retry_period=0.05)


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def server() -> AsyncIterator[EmbeddedServer]:
    async with EmbeddedServer() as one:
        yield one


@pytest.fixture
async def client(server: EmbeddedServer) -> AsyncIterator[Client]:
    async with Client(connect_to(server.url, server.token)) as one:
        yield one


def claim(client: Client, identity: str, clock: Clock) -> Claim:
    return Claim(client, Candidacy("default", "hyperscout-controller", identity), clock)


async def standing(client: Client) -> LeaseSpec:
    return (await client.get(LEASES, "hyperscout-controller", "default")).spec


async def until(holds: Callable[[], bool]) -> None:
    """The election runs in a thread of its own and tells nobody."""
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.01)


async def test_the_first_gets_it_renews_it_and_the_second_waits(client: Client) -> None:
    clock = Clock()
    first, second = claim(client, "first", clock), claim(client, "second", clock)
    assert await first.attempt()
    for now in range(0, 60, 2):
        clock.now = now
        assert await first.attempt()
        assert not await second.attempt()
    found = await standing(client)
    assert (found.holder_identity, found.lease_transitions, found.lease_duration_seconds) == ("first", 0, 15)
    assert found.acquire_time < found.renew_time


async def test_a_lease_that_stands_unchanged_for_its_duration_is_taken(client: Client) -> None:
    clock = Clock(1000.0)
    first, second = claim(client, "first", clock), claim(client, "second", clock)
    assert await first.attempt()
    assert not await second.attempt()  # however old it may be, it is seen for the first time
    clock.now = 1014.9
    assert not await second.attempt()
    clock.now = 1015.0
    assert await second.attempt()
    assert not await first.attempt()
    found = await standing(client)
    assert (found.holder_identity, found.lease_transitions) == ("second", 1)


async def test_of_two_that_take_it_at_once_one_gets_it(client: Client) -> None:
    clock = Clock()
    got = await asyncio.gather(*(claim(client, f"candidate-{number}", clock).attempt() for number in range(8)))
    assert sum(got) == 1


async def test_what_is_released_is_free_at_once(client: Client) -> None:
    clock = Clock()
    first, second = claim(client, "first", clock), claim(client, "second", clock)
    assert await first.attempt()
    await second.release()  # not its own: nothing happens
    assert (await standing(client)).holder_identity == "first"
    await first.release()
    assert await second.attempt()


async def test_the_thread_renews_while_another_waits_and_releases_at_the_end(
    server: EmbeddedServer, client: Client
) -> None:
    connection = connect_to(server.url, server.token)
    tenure, other = Tenure(QUICK.renew_deadline), Tenure(QUICK.renew_deadline)
    election = Election(connection, Candidacy("default", "busy", "one", QUICK), tenure)
    rival = Election(connection, Candidacy("default", "busy", "two", QUICK), other)
    election.start()
    assert await asyncio.wait_for(next_term(tenure), 10) == 1
    rival.start()
    begun = await client.get(LEASES, "busy", "default")
    async with aclosing(client.watch(LEASES, begun.metadata.resource_version)) as events:
        assert isinstance(renewed := await anext(events), Put)
    assert renewed.item.spec.renew_time > begun.spec.renew_time
    assert (tenure.term, other.term) == (1, 0)
    await asyncio.to_thread(election.stop, 5.0, release=True)
    assert tenure.term == 0
    assert await asyncio.wait_for(next_term(other), 10) == 1
    await asyncio.to_thread(rival.stop, 5.0, release=False)
    assert not rival.alive
    assert (await client.get(LEASES, "busy", "default")).spec.holder_identity == "two"


async def test_without_the_server_a_term_ends_at_the_deadline(server: EmbeddedServer) -> None:
    tenure = Tenure(QUICK.renew_deadline)
    election = Election(connect_to(server.url, server.token), Candidacy("default", "cut", "one", QUICK), tenure)
    election.start()
    term = await asyncio.wait_for(next_term(tenure), 10)
    await server.stop()
    await asyncio.wait_for(end_of(tenure, term), 10)
    assert election.alive
    await asyncio.to_thread(election.stop, 5.0, release=False)


async def test_a_guarded_client_reads_but_sends_no_write_that_is_not_allowed(client: Client) -> None:
    told: list[tuple[str, str]] = []
    allowed = True
    guarded = client.guarded(Permit(lambda: allowed, lambda verb, error: told.append((verb, type(error).__name__))))
    await guarded.create(NODES, {"metadata": {"name": "one"}})
    allowed = False
    with pytest.raises(NotOurs, match="whoever leads now"):
        await guarded.create(NODES, {"metadata": {"name": "two"}})
    assert [node.metadata.name for node in (await guarded.list(NODES)).items] == ["one"]
    assert told == [("create", "NoneType"), ("create", "NotOurs")]


async def test_a_namespace_that_is_missing_is_told_as_that() -> None:
    async with EmbeddedServer() as server, Client(connect_to(server.url, server.token)) as client:
        with pytest.raises(NotFound) as caught:
            await Claim(client, Candidacy("nowhere", "hyperscout-controller", "one"), Clock()).attempt()
    assert str(caught.value).endswith("; create the namespace, or give -n (cluster.namespace)")


async def test_who_neither_holds_nor_sees_a_holder_says_so_and_releases_nothing(
    server: EmbeddedServer,
) -> None:
    connection = connect_to(server.url, server.token)
    tenure, other = Tenure(QUICK.renew_deadline), Tenure(QUICK.renew_deadline)
    election = Election(connection, Candidacy("default", "seen", "one", QUICK), tenure)
    rival = Election(connection, Candidacy("default", "seen", "two", QUICK), other)
    assert election.unseen() == "nobody has looked at the Lease yet"
    election.start()
    await asyncio.wait_for(next_term(tenure), 10)
    assert election.unseen() == ""
    rival.start()
    await until(lambda: not rival.unseen())
    assert other.term == 0
    await asyncio.to_thread(election.stop, 5.0, release=False)
    await asyncio.to_thread(rival.stop, 5.0, release=False)
    await server.stop()
    with structlog.testing.capture_logs() as logs:
        late = Election(connection, Candidacy("default", "seen", "three", QUICK), Tenure(QUICK.renew_deadline))
        late.start()
        await until(lambda: "nobody knows who holds the Lease" in late.unseen())
        await asyncio.to_thread(late.stop, 5.0, release=True)
    assert not [line for line in logs if "release" in line["event"]]
