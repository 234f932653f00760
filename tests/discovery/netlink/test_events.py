"""Link events of the real kernel: told at once, once, and never lost without a word."""

from __future__ import annotations

import asyncio
import itertools
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from discovery.netlink import EVERY, LinkEvents
from tests.discovery.netlink import drawn
from tests.lab.namespaces import Lab, Machine, laid

_marks = itertools.count()
WITHIN = 10.0
"""Seconds of patience on a busy machine; none of these tests waits for them to pass."""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with laid() as one:
        yield one


@pytest.fixture(scope="module")
def cabled(lab: Lab) -> tuple[Machine, Machine]:
    """A host with a NIC on a switch."""
    host, leaf = lab.machine("host"), lab.machine("leaf")
    lab.cable((host, "eth0"), (leaf, "swp1"))
    return host, leaf


@asynccontextmanager
async def heard(host: Machine) -> AsyncIterator[LinkEvents]:
    """The events of a namespace."""
    with host.entered():
        events = LinkEvents()
    try:
        yield events
    finally:
        events.close()


async def run(machine: Machine, *words: str) -> None:
    """`ip ...` in a namespace, without holding up the loop."""
    await asyncio.to_thread(machine.run, "ip", *words)


async def told(events: LinkEvents) -> str:
    """The next name."""
    async with asyncio.timeout(WITHIN):
        return await anext(events)


async def until_mark(events: LinkEvents, machine: Machine) -> list[str]:
    """What is told before an interface that is made now."""
    mark, names = f"mark{next(_marks)}", []
    await run(machine, "link", "add", mark, "type", "bridge")
    while (name := await told(events)) != mark:
        names.append(name)
    return names


async def test_a_cable_that_is_pulled_at_the_far_end_wakes_at_once(cabled: tuple[Machine, Machine]) -> None:
    host, leaf = cabled
    async with heard(host) as events:
        waiting = asyncio.create_task(told(events))
        await run(leaf, "link", "set", "swp1", "down")
        assert await waiting == "eth0"
        await until_mark(events, host)
        await run(leaf, "link", "set", "swp1", "up")
        assert await told(events) == "eth0"


async def test_an_interface_that_comes_goes_or_is_renamed_is_told_by_its_names(lab: Lab) -> None:
    host, leaf = lab.machine("coming"), lab.machine("far")
    async with heard(host) as events:
        await asyncio.to_thread(lab.cable, (host, "eth5"), (leaf, "swp5"))
        assert await told(events) == "eth5"
        await run(host, "link", "set", "eth5", "name", "eth6")
        assert {"eth5", "eth6"} <= set(await until_mark(events, host))
        await asyncio.to_thread(lab.unplug, leaf, "swp5")
        assert await told(events) == "eth6"


async def test_what_is_no_change_of_a_link_is_not_told(lab: Lab) -> None:
    """The kernel settles a new interface for up to a second, so it is asked again until nothing else goes on."""
    host, leaf = lab.machine("calm"), lab.machine("beyond")
    lab.cable((host, "eth0"), (leaf, "swp1"))
    async with heard(host) as events, asyncio.timeout(WITHIN):
        while True:
            await run(host, "link", "set", "eth0", "alias", f"cable {next(_marks)}")
            await run(host, "link", "set", "eth0", "mtu", str(1400 + next(_marks)))
            if not await until_mark(events, host):
                break


async def test_a_name_in_another_script_is_told_as_it_is(lab: Lab) -> None:
    host = lab.machine("odd")
    async with heard(host) as events:
        await run(host, "link", "add", "Größe0", "type", "bridge")
        assert await told(events) == "Größe0"


async def test_a_name_that_waits_already_is_not_told_twice(cabled: tuple[Machine, Machine]) -> None:
    host, _ = cabled
    async with heard(host) as events:
        for state in ("down", "up", "down", "up"):
            await run(host, "link", "set", "eth0", state)
        assert await until_mark(events, host) == ["eth0"]


async def test_an_overflow_says_to_look_at_everything_and_events_go_on(lab: Lab) -> None:
    host = lab.machine("storm")
    async with heard(host) as events:
        events._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)  # a few kilobytes
        held_up(host, [f"link add storm{number} type bridge" for number in range(40)])
        assert EVERY in await until_mark(events, host)
        await run(host, "link", "del", "storm39")
        assert await told(events) == "storm39"


async def test_what_other_processes_send_is_no_event(cabled: tuple[Machine, Machine]) -> None:
    host, _ = cabled
    async with heard(host) as events:
        with host.entered(), socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as forger:
            forger.sendto(drawn.link(1, "forged"), (events._socket.getsockname()[0], 0))
        assert await until_mark(events, host) == []


def held_up(machine: Machine, commands: list[str]) -> None:
    """Do it all while the loop reads nothing."""
    batch = "\n".join(commands)
    subprocess.run(machine.within("ip", "-batch", "-"), input=batch, text=True, check=True, timeout=20.0)


async def test_closing_ends_the_iteration_and_leaves_no_socket() -> None:
    events = LinkEvents()

    async def gathered() -> list[str]:
        return [name async for name in events]

    waiting = asyncio.create_task(gathered())
    await asyncio.sleep(0)
    events.close()
    events.close()
    async with asyncio.timeout(WITHIN):
        assert await waiting == []
    assert events._socket.fileno() == -1
