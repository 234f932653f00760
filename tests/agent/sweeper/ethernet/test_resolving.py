"""Names become addresses; one without any is told and holds up no other."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from agent.sweeper.ethernet.resolving import resolve
from discovery.snmp import Target

Row = tuple[Any, ...]


def rows(*hosts: str) -> list[Row]:
    return [(socket.AF_INET, socket.SOCK_DGRAM, 17, "", (host, 161)) for host in hosts]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Row] | OSError]:
    """What the name service knows."""
    known: dict[str, list[Row] | OSError] = {}

    async def getaddrinfo(self: object, host: str, port: int, **_: object) -> list[Row]:
        answer = known.get(host, socket.gaierror(-2, "Name or service not known"))
        if isinstance(answer, OSError):
            raise answer
        return answer

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", getaddrinfo)
    return known


async def test_a_name_stands_for_all_of_its_addresses_each_once(names: dict[str, list[Row] | OSError]) -> None:
    names["leafs"] = rows("10.0.0.2", "10.0.0.1", "10.0.0.2", "fe80::1%eth0")
    found = await resolve([Target("10.0.0.1"), Target("leafs"), Target("10.0.0.9")])
    assert [str(target) for target in found.addresses] == ["10.0.0.1", "10.0.0.2", "[fe80::1]", "10.0.0.9"]
    assert found.unknown == ()


async def test_a_name_without_an_address_is_told(names: dict[str, list[Row] | OSError]) -> None:
    names["far"] = OSError(101, "Network is unreachable")
    found = await resolve([Target("nowhere"), Target("far"), Target("10.0.0.1")])
    assert found.addresses == (Target("10.0.0.1"),)
    assert found.unknown == ("nowhere: Name or service not known", "far: Network is unreachable")


async def test_a_name_that_no_service_could_know_is_told() -> None:
    found = await resolve([Target("a" * 64 + ".example")])
    assert found.addresses == ()
    assert len(found.unknown) == 1
