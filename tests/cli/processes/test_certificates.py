"""HTTPS: the certificate of the settings, changed under a process that runs, broken, missing."""

from __future__ import annotations

import os
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from prometheus_client import CollectorRegistry
from pydantic import ValidationError

from cli.ending import CommandError
from cli.processes.authentication import Open
from cli.processes.health import Health
from cli.processes.sections import Http
from cli.processes.serving import served
from tests.cluster.credentials import Credentials


@pytest.fixture
def issued(tmp_path: Path) -> tuple[Credentials, Credentials]:
    """Certificates of two authorities."""
    one, other = Credentials(tmp_path / "one"), Credentials(tmp_path / "other")
    one.write()
    other.write()
    return one, other


def mount(folder: Path, credentials: Credentials) -> None:
    """As a kubelet mounts a Secret: the names are links into a folder that one rename exchanges."""
    (folder / "new").symlink_to(credentials.folder)
    os.replace(folder / "new", folder / "data")


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[str]:
    files = {"tlsCertificate": str(folder / "data/server.crt"), "tlsKey": str(folder / "data/server.key")}
    http = Http.model_validate({"listen": "127.0.0.1:0"} | files)
    async with served(http, Health(300.0), CollectorRegistry(), Open()) as address:
        yield f"https://{address}/healthz"


async def status(url: str, trusted: Credentials) -> int:
    """Of a new connection; ssl.SSLCertVerificationError is told by 0."""
    context = ssl.create_default_context(cafile=str(trusted.authority))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=context)) as session:
        try:
            async with session.get(url) as answer:
                return answer.status
        except aiohttp.ClientConnectorCertificateError:
            return 0


async def test_a_certificate_that_changed_is_served_to_the_next_connection(
    tmp_path: Path, issued: tuple[Credentials, Credentials]
) -> None:
    one, other = issued
    mount(tmp_path, one)
    async with serving(tmp_path) as url:
        assert (await status(url, one), await status(url, other)) == (200, 0)
        mount(tmp_path, other)
        assert (await status(url, one), await status(url, other)) == (0, 200)


async def test_one_that_cannot_be_used_leaves_the_old_one_until_it_can(
    tmp_path: Path, issued: tuple[Credentials, Credentials]
) -> None:
    one, other = issued
    mount(tmp_path, one)
    async with serving(tmp_path) as url:
        whole = other.key.read_bytes()
        other.key.write_bytes(one.key.read_bytes())  # the key of another certificate
        mount(tmp_path, other)
        assert (await status(url, one), await status(url, other)) == (200, 0)
        other.key.write_bytes(whole)
        assert (await status(url, one), await status(url, other)) == (0, 200)
        other.certificate.unlink()
        assert await status(url, other) == 200


async def test_plain_http_is_not_answered_there(tmp_path: Path, issued: tuple[Credentials, Credentials]) -> None:
    mount(tmp_path, issued[0])
    async with serving(tmp_path) as url, aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientError):
            await session.get(url.replace("https", "http"))


async def test_a_certificate_that_is_not_there_or_is_none_ends_the_start(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"http\.tlsCertificate .*server\.crt and http\.tlsKey"):
        async with serving(tmp_path):
            pass
    (tmp_path / "data").mkdir()
    for name in ("server.crt", "server.key"):
        (tmp_path / "data" / name).write_text("none")
    with pytest.raises(CommandError, match="cannot serve TLS"):
        async with serving(tmp_path):
            pass


@pytest.mark.parametrize("given", [{"tlsCertificate": "a"}, {"tlsKey": "b"}])
def test_certificate_and_key_are_given_together(given: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="tlsCertificate and tlsKey are given together"):
        Http.model_validate(given)
