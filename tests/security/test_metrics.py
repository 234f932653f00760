"""Who may read /metrics of a process that serves to the network, asked of a real API server under its own account."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from prometheus_client import CollectorRegistry

from cli.ending import CommandError
from cli.processes.authentication import gate_for, rights_for
from cli.processes.health import Health
from cli.processes.preflight import Needs, check
from cli.processes.sections import Http
from cli.processes.serving import served
from kube.client import Client
from kube.connection import Access, Connection, FixedCredentials
from tests.cluster.control_plane import ControlPlane
from tests.cluster.test_control_plane import soon
from tests.cluster.tokens import account
from tests.security.installed import account_of, grant

NETWORK = "0.0.0.0:8461"
"""What the settings say; the tests themselves serve on the loopback address."""
SERVING = ("hyperscout-controller", "hyperscout-scheduler", "hyperscout-sweeper-default")


def connection_of(plane: ControlPlane, name: str) -> Connection:
    """As a process under this account connects."""
    headers = {"Authorization": f"Bearer {account_of(plane, name).token()}"}
    return Connection(plane.url, FixedCredentials(Access(headers, plane.tls())))


@asynccontextmanager
async def metrics_of(plane: ControlPlane, name: str) -> AsyncIterator[str]:
    """The address of /metrics of a process under this account."""
    async with (
        gate_for(NETWORK, connection_of(plane, name)) as gate,
        served(Http(listen="127.0.0.1:0"), Health(300.0), CollectorRegistry(), gate) as address,
    ):
        yield f"http://{address}/metrics"


async def read(url: str, token: str = "") -> tuple[int, str]:
    """Status and text."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with aiohttp.ClientSession(headers=headers) as session, session.get(url) as answer:
        return answer.status, await answer.text()


@pytest.fixture(scope="module")
def reader(guarded: ControlPlane) -> str:
    """The token of a monitoring to which hyperscout-metrics-reader is bound."""
    made = account(guarded, "monitoring", "prometheus")
    grant(guarded, "hyperscout-metrics-reader", made)
    token = made.token()
    soon(lambda: guarded.ask("GET", "/metrics", token=token).status == 200, guarded)
    return token


@pytest.mark.parametrize("name", SERVING)
async def test_the_monitoring_reads_and_others_do_not(guarded: ControlPlane, reader: str, name: str) -> None:
    stranger = account(guarded, "monitoring", "stranger")
    async with metrics_of(guarded, name) as url:
        assert (await read(url, reader))[0] == 200
        status, sentence = await read(url, stranger.token())
        assert (status, stranger.user in sentence) == (403, True)
        assert (await read(url, account_of(guarded, "hyperscout-agent").token()))[0] == 403
        assert (await read(url, "forged"))[0] == 401
        assert (await read(url))[0] == 401
        assert (await read(url, guarded.token))[0] == 200


async def test_a_reader_is_asked_about_once_in_a_while(guarded: ControlPlane, reader: str) -> None:
    begin = guarded.audit.size()
    async with metrics_of(guarded, "hyperscout-scheduler") as url:
        for _ in range(5):
            assert (await read(url, reader))[0] == 200
    user = account_of(guarded, "hyperscout-scheduler").user
    asked = [request.resource for request in guarded.audit.requests(user, after=begin) if request.code == 201]
    assert asked == ["tokenreviews", "subjectaccessreviews"]


async def test_a_process_that_may_not_ask_says_so_at_its_start_and_lets_nobody_read(
    guarded: ControlPlane, reader: str
) -> None:
    async with Client(connection_of(guarded, "hyperscout-agent")) as client:
        with pytest.raises(
            CommandError, match=r"not allowed: create tokenreviews\.authentication\.k8s\.io, create sub"
        ):
            await check(client, Needs((), ()).and_also(rights_for(NETWORK)))
    async with metrics_of(guarded, "hyperscout-agent") as url:
        status, sentence = await read(url, reader)
    assert status == 503
    assert "bind the ClusterRole hyperscout-metrics-server to the account of this process" in sentence


@pytest.mark.parametrize("name", SERVING)
async def test_the_accounts_that_serve_may_ask(guarded: ControlPlane, name: str) -> None:
    async with Client(connection_of(guarded, name)) as client:
        await check(client, Needs((), ()).and_also(rights_for(NETWORK)))
