"""What is said at the start where the cluster is not what a process needs."""

from __future__ import annotations

import json
import os
import shutil
import socket
import ssl
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from cli.ending import LACKING, UNREACHABLE, CommandError
from cli.processes.controller import needs as controller_needs
from cli.processes.preflight import Needs, check
from cli.processes.scheduler import needs as scheduler_needs
from kube.client import Client
from kube.connection import Access, Connection, FixedCredentials, connect_to
from kube.crds import crds
from kube.embedded.server import EmbeddedServer
from kube.pace import Limits
from tests.architecture.sources import ROOT
from tests.cluster.credentials import Credentials
from tests.kube.wire import client_of, failure
from tests.scheduler.lab import DEFINITIONS

CONTROLLER, SCHEDULER = controller_needs("hyperscout-system"), scheduler_needs("hyperscout-system")
ONCE = Limits(attempts=1, timeout=10.0)
Refused = tuple[int, str]


async def refusal(client: Client, needs: Needs = CONTROLLER) -> Refused:
    with pytest.raises(CommandError) as caught:
        await check(client, needs)
    assert "\n" not in caught.value.sentence
    return caught.value.code, caught.value.sentence


async def test_a_cluster_with_our_kinds_that_knows_no_access_reviews_will_do() -> None:
    async with EmbeddedServer() as server, Client(connect_to(server.url, server.token)) as client:
        for definition in crds(cel=False):
            await client.create(DEFINITIONS, definition)
        await check(client, CONTROLLER)
        await check(client, SCHEDULER)


async def test_kinds_that_are_missing_are_named_with_the_files_that_bring_them() -> None:
    async with EmbeddedServer() as server, Client(connect_to(server.url, server.token)) as client:
        code, sentence = await refusal(client)
        assert code == LACKING
        for name in ("hypernodes.topology.volcano.sh", "nodereports.hyperscout.io", "switchreports.hyperscout.io"):
            assert name in sentence
        files = [word for word in sentence.split() if word.startswith("crds/")]
        assert len(files) == 4
        assert [file for file in files if not (ROOT / file).is_file()] == []
        assert "podgroups.scheduling.volcano.sh" in (await refusal(client, SCHEDULER))[1]


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("v1.29.15", "is Kubernetes v1.29.15; hyperscout needs 1.30 or newer"),
        ("v1.9.0", "needs 1.30"),
        ("", "none that can be read"),
    ],
)
async def test_a_kubernetes_that_is_too_old_is_refused(version: str, said: str) -> None:
    async def answer(request: web.Request) -> web.Response:
        assert request.path == "/version"
        return web.json_response({"gitVersion": version})

    async with client_of(answer, ONCE) as client:
        code, sentence = await refusal(client)
    assert (code, said in sentence) == (LACKING, True), sentence


async def test_permissions_that_are_missing_are_named() -> None:
    async def answer(request: web.Request) -> web.Response:
        if request.path == "/version":
            return web.json_response({"gitVersion": "v1.30.0"})
        if request.method == "GET":
            plurals = ("hypernodes", "nodereports", "switchreports", "sweepreports", "podgroups")
            return web.json_response({"resources": [{"name": plural} for plural in plurals]})
        wanted = json.loads(await request.read())["spec"]["resourceAttributes"]
        refused = (wanted["verb"], wanted["resource"], wanted["subresource"], wanted["namespace"]) in (
            ("patch", "nodes", "status", ""),
            ("update", "leases", "", "hyperscout-system"),
        )
        return web.json_response({"status": {"allowed": not refused}}, status=201)

    async with client_of(answer, ONCE) as client:
        code, sentence = await refusal(client)
    assert code == LACKING
    lease = "leases.coordination.k8s.io hyperscout-controller in namespace hyperscout-system"
    assert sentence.startswith(f"not allowed: patch nodes/status, update {lease};"), sentence


@pytest.mark.parametrize("code", [401, 403])
async def test_a_server_that_does_not_let_us_in(code: int) -> None:
    async def answer(request: web.Request) -> web.Response:
        del request
        return failure(code, message="who are you")

    async with client_of(answer, ONCE) as client:
        ended, sentence = await refusal(client)
    assert ended == UNREACHABLE
    assert "does not let us in" in sentence
    assert "who are you" in sentence


async def test_a_server_that_is_not_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        async with Client(connect_to(url), ONCE) as client:
            code, sentence = await refusal(client)
    assert code == UNREACHABLE
    assert sentence.startswith(f"the API server {url} does not answer: ")


@pytest.fixture
def openssl() -> None:
    """The program that makes certificates; a machine without it skips, CI fails."""
    if shutil.which("openssl") is None:
        lacking = "needs openssl (Debian: apt-get install openssl)"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(lacking)


@pytest.mark.usefixtures("openssl")
async def test_a_certificate_that_is_not_trusted(tmp_path: Path) -> None:
    credentials = Credentials(tmp_path)
    credentials.write()
    serving = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    serving.load_cert_chain(credentials.certificate, credentials.key)
    server = TestServer(web.Application(), scheme="https", host="127.0.0.1")
    await server.start_server(ssl=serving)
    try:
        trusting_others = FixedCredentials(Access(tls=ssl.create_default_context()))
        async with Client(Connection(f"https://127.0.0.1:{server.port}", trusting_others), ONCE) as client:
            code, sentence = await refusal(client)
    finally:
        await server.close()
    assert code == UNREACHABLE
    assert "is not accepted" in sentence
    assert "certificate-authority-data" in sentence
