"""The raw receiver on real interfaces: beside a running lldpd, with one capability, under a flood, while ports go."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from discovery.lldp import Listener, Lldpd, combine, read_lldpd
from discovery.lldp.frames import NO_CHASSIS
from discovery.lldp.listener import BURST, FOREIGN, FRAMES_A_SECOND, GONE, NO_ANSWER, TOO_MANY_FRAMES
from discovery.lldp.opening import Opener
from discovery.lldp.port import Port, open_port
from discovery.reports import ABSENT, FAILED, FOUND
from tests.discovery.lldp.building import a_frame, frame
from tests.lab.namespaces import PATIENCE, Lab, Machine, laid
from tests.lab.speaking import Speaker, Told, start_lldpd
from tests.lab.wire import sending

PERMISSION = "no right to hear raw frames: give the agent CAP_NET_RAW"


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with laid() as one:
        yield one


def named(lab: Lab, name: str) -> tuple[Machine, Machine]:
    """A new host, cabled from its port eth0 to port swp1 of a new leaf."""
    host, leaf = lab.machine(f"{name}-host"), lab.machine(f"{name}-leaf")
    lab.cable((host, "eth0"), (leaf, "swp1"))
    return host, leaf


@asynccontextmanager
async def listening(machine: Machine, *interfaces: str) -> AsyncIterator[Listener]:
    listener = Listener()
    with machine.entered():
        listener.follow(interfaces)
    assert listener.unheard == {}
    try:
        yield listener
    finally:
        listener.close()


async def until(listener: Listener, holds: Callable[[Listener], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds(listener):
            await listener.changed()


def names(listener: Listener) -> dict[str, list[str | None]]:
    return {port: [one.systemName for one in heard] for port, heard in listener.neighbours().items()}


async def test_real_lldpd_is_heard_beside_the_hosts_own_and_its_goodbye_counts_at_once(lab: Lab) -> None:
    host, leaf = named(lab, "beside")
    second = lab.machine("beside-leaf-2")
    lab.cable((host, "eth1"), (second, "swp7"))
    own = start_lldpd(lab, host, Speaker("gpu-01", switch=False))
    start_lldpd(lab, leaf, Speaker("leaf-01", ports={"swp1": Told("local", "Ethernet1/1")}))
    farewell = start_lldpd(lab, second, Speaker("leaf-02", chassis="leaf-02-chassis"))
    own.wait()
    async with listening(host, "eth0", "eth1") as listener:
        await until(listener, lambda one: len(one.neighbours()) == 2)
        ((heard,), (other,)) = (listener.neighbours()[name] for name in ("eth0", "eth1"))
        assert (heard.systemName, heard.portId, heard.portIdSubtype) == ("leaf-01", "Ethernet1/1", "local")
        assert heard.chassisId == leaf.run("cat", "/sys/class/net/swp1/address").strip()
        assert (other.systemName, other.chassisId, other.portId) == ("leaf-02", "leaf-02-chassis", "swp7")
        assert listener.probed().outcome == FOUND
        farewell.stop()
        await until(listener, lambda one: set(one.neighbours()) == {"eth0"})
        assert "gpu-01" not in str(names(listener))
        asked = read_lldpd(Lldpd(socket=str(own.socket)))
        assert asked.found is not None
        assert combine(listener.neighbours(), asked.found) == listener.neighbours() != {}


async def test_the_groups_are_joined_and_left_and_nothing_is_made_promiscuous(lab: Lab) -> None:
    host, _ = named(lab, "groups")
    groups = {"01:80:c2:00:00:0e", "01:80:c2:00:00:03", "01:80:c2:00:00:00"}

    def joined() -> set[str]:
        (told,) = json.loads(host.run("ip", "-j", "maddr", "show", "dev", "eth0"))
        return {one["link"] for one in told["maddr"] if "link" in one}

    assert not groups & joined()
    async with listening(host, "eth0"):
        assert groups <= joined()
        (link,) = json.loads(host.run("ip", "-j", "-d", "link", "show", "dev", "eth0"))
        assert (link["promiscuity"], link["allmulti"]) == (0, 0)
    assert not groups & joined()


PROCESS = """
import asyncio, os
from discovery.lldp import Listener, Lldpd, combine, read_lldpd

async def main():
    listener = Listener()
    listener.follow(["eth0"])
    print(listener.probed().outcome, listener.probed().reason, flush=True)
    if not listener.unheard:
        async with asyncio.timeout(20):
            await listener.changed()
        print(listener.neighbours()["eth0"][0].systemName, flush=True)

asyncio.run(main())
"""


@pytest.mark.parametrize(("capability", "expected"), [("+net_raw", [f"{FOUND} None", "leaf-01"]), ("-all", None)])
async def test_one_capability_is_enough_and_without_it_the_probe_says_what_is_missing(
    lab: Lab, capability: str, expected: list[str] | None
) -> None:
    host, leaf = named(lab, f"right{len(capability)}")
    rights = ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all", "--ambient-caps", "-all"]
    if expected:
        rights = ["setpriv", "--bounding-set", "-all,+net_raw", "--inh-caps", "-all,+net_raw", "--no-new-privs"]
    process = await asyncio.create_subprocess_exec(
        *host.within(*rights, sys.executable, "-c", PROCESS), stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(PATIENCE):
        assert process.stdout is not None
        said = [await process.stdout.readline()]
        if expected:
            assert effective(process.pid) == 1 << 13  # CAP_NET_RAW is number 13 (linux/capability.h)
            with sending(leaf, "swp1") as send:
                send(a_frame())
            said.append(await process.stdout.readline())
        await process.wait()
    assert [line.decode().strip() for line in said] == (expected or [f"{FAILED} cannot listen on eth0 ({PERMISSION})"])


def effective(process: int) -> int:
    """The rights that a process has."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("CapEff:")[2].split()[0], 16)


async def test_tagged_frames_other_groups_and_own_frames(lab: Lab) -> None:
    host, leaf = named(lab, "tags")
    async with listening(host, "eth0") as listener:
        with sending(leaf, "swp1") as send, sending(host, "eth0") as back:
            back(a_frame(9, text=b"myself"))
            send(b"\2" * 6 + a_frame(8)[6:])  # to a MAC that is not this host's
            tagged = a_frame(1, text=b"tagged")
            send(tagged[:12] + bytes.fromhex("81000005") + tagged[12:])
            for leaf_number, group in enumerate(("0180c2000003", "0180c2000000"), start=2):
                send(bytes.fromhex(group) + a_frame(leaf_number, text=group.encode())[6:])
            await until(listener, lambda one: len(one.neighbours().get("eth0", ())) == 3)
            assert names(listener) == {"eth0": ["tagged", "0180c2000003", "0180c2000000"]}
            assert listener.dropped == {FOREIGN: 1}


async def test_interfaces_that_go_down_vanish_and_come_back(lab: Lab) -> None:
    host, leaf = named(lab, "gone")
    async with listening(host, "eth0") as listener:
        with sending(leaf, "swp1") as send:
            send(a_frame())
            await until(listener, lambda one: bool(one.neighbours()))
            host.run("ip", "link", "set", "eth0", "down")
            await until(listener, lambda one: not one.neighbours())
            host.run("ip", "link", "set", "eth0", "up")
            with host.entered():
                listener.follow(["eth0"])
            send(a_frame())
            await until(listener, lambda one: bool(one.neighbours()))
        lab.unplug(leaf, "swp1")
        await until(listener, lambda one: not one.neighbours())
        with host.entered():
            listener.follow(["eth0"])
        assert listener.unheard == {"eth0": GONE}
        assert (listener.probed().outcome, listener.probed().found) == (
            FOUND,
            {},
        )  # nobody is there, which is no failure
        lab.cable((host, "eth0"), (leaf, "swp1"))
        with host.entered():
            listener.follow(["eth0"])
        assert listener.unheard == {}
        with sending(leaf, "swp1") as send:
            send(a_frame())
            await until(listener, lambda one: bool(one.neighbours()))
        listener.follow([])
        assert listener.neighbours() == {}
        assert listener.probed().outcome == ABSENT


async def test_a_pulled_cable_is_noticed_at_the_next_look(lab: Lab) -> None:
    host, leaf = named(lab, "pulled")
    async with listening(host, "eth0") as listener:
        with sending(leaf, "swp1") as send:
            send(a_frame())
            await until(listener, lambda one: bool(one.neighbours()))
            leaf.run("ip", "link", "set", "swp1", "down")
            async with asyncio.timeout(PATIENCE):
                while listener.neighbours():
                    await asyncio.sleep(0.01)
                    with host.entered():
                        listener.follow(["eth0"])


async def test_a_flood_is_read_at_a_bounded_rate_and_dropped_by_the_kernel(lab: Lab) -> None:
    host, leaf = named(lab, "flood")
    async with listening(host, "eth0") as listener:
        with sending(leaf, "swp1") as send:
            send(a_frame(1, seconds=1, text=b"honest"))
            await until(listener, lambda one: bool(one.neighbours()))
            begin = time.monotonic()
            while TOO_MANY_FRAMES not in listener.dropped:
                for _ in range(500):
                    send(frame(b"flood"))
                await asyncio.sleep(0.02)
            seconds = time.monotonic() - begin
            assert 0 < listener.dropped[NO_CHASSIS] <= BURST + FRAMES_A_SECOND * (seconds + 1)
            assert listener.dropped[TOO_MANY_FRAMES] > 1000
            assert names(listener) == {"eth0": ["honest"]}  # its second is over, but who knows what was lost
            told = f"frames dropped on eth0 ({NO_CHASSIS}), eth0 ({TOO_MANY_FRAMES})"
            assert listener.probed().reason == told


async def test_a_kernel_that_does_not_answer_holds_up_nobody_and_is_told(lab: Lab) -> None:
    host, leaf = named(lab, "hangs")
    answers = threading.Event()
    calls: list[str] = []

    def slowly(name: str) -> Port:
        calls.append(name)
        assert answers.wait(PATIENCE)
        return open_port(name)

    listener = Listener(opener=Opener(patience=0.05, open=slowly))
    for _ in range(3):
        with host.entered():
            listener.follow(["eth0"])
        assert listener.unheard == {"eth0": NO_ANSWER}
        assert listener.probed().outcome == FAILED
    assert calls == ["eth0"]
    answers.set()
    async with asyncio.timeout(PATIENCE):
        while listener.unheard:
            await asyncio.sleep(0.01)
            with host.entered():
                listener.follow(["eth0"])
    with sending(leaf, "swp1") as send:
        send(a_frame())
        await until(listener, lambda one: bool(one.neighbours()))
    assert calls == ["eth0"]
    listener.close()
