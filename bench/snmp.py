"""`bench snmp`: 100 switches with 130 LLDP neighbours each, read by the sweeper's own probe, against snmpbulkwalk.

    python -m bench.snmp [ROUNDS]

One real snmpd with lldpd behind it (AgentX), asked as 100 targets: it has 130 ports, and a neighbour is sent to each of
them as a frame. All is in network namespaces, which takes root. snmpbulkwalk walks the same tables of the same snmpd in
the same run, in turn with us and as many side by side as are fastest; both are told as rows a second.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from agent.sweeper.ethernet.asking import Patience
from bench.raw import say
from bench.reference import Figure, report
from discovery.snmp import Bounds, Target, ports_of, walk_switch
from discovery.snmp.asking import Walk, converse
from discovery.snmp.credentials import Community
from discovery.snmp.oids import IF_COLUMNS, LLDP
from tests.lab.namespaces import Lab, Machine, laid
from tests.lab.speaking import Daemon, Speaker, start_lldpd
from tests.lab.switching import ADDRESS, COMMUNITY, PORT, serve_snmp

SWITCHES, NEIGHBOURS = 100, 130
COLUMNS = 9
"""Of the remote table that can be read, from chassis id subtype to enabled capabilities."""
TABLES = (LLDP.local_ports, LLDP.remote, *IF_COLUMNS)
"""What the sweeper reads of a switch, beside a few values."""
SIDE_BY_SIDE = (2, 8)
LIMIT = 3.0
ROUNDS = 3
PATIENCE = 60.0
SECRET = Community(COMMUNITY)


@contextmanager
def raised() -> Iterator[Machine]:
    """The switch, once it hears all of its neighbours."""
    with laid() as lab:
        leaf, far = lab.machine("leaf"), lab.machine("far")
        _plug(lab, leaf, far)
        serve_snmp(lab, leaf)
        daemon = start_lldpd(lab, leaf, Speaker("leaf-01"), agentx=True)
        daemon.wait()
        with far.entered():
            sockets = [_opened(number) for number in range(NEIGHBOURS)]
        _speak_until_heard(sockets, daemon)
        yield leaf


def _plug(lab: Lab, leaf: Machine, far: Machine) -> None:
    """All cables with few calls of `ip`."""
    lines = [f"link add swp{n} type veth peer name far{n} netns {far.namespace}\n" for n in range(NEIGHBOURS)]
    _batch(leaf, lines + [f"link set swp{n} up\n" for n in range(NEIGHBOURS)])
    _batch(far, [f"link set far{n} up\n" for n in range(NEIGHBOURS)])


def _batch(machine: Machine, lines: list[str]) -> None:
    subprocess.run(machine.within("ip", "-batch", "-"), input="".join(lines), text=True, check=True)


def _opened(number: int) -> socket.socket:
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88CC))
    opened.bind((f"far{number}", 0x88CC))
    return opened


def _speak_until_heard(sockets: list[socket.socket], daemon: Daemon) -> None:
    end = time.monotonic() + PATIENCE
    while daemon.ask("show", "neighbors", "summary").count("SysName") < NEIGHBOURS:
        if time.monotonic() > end:
            raise RuntimeError("lldpd does not hear its neighbours")
        for number, opened in enumerate(sockets):
            opened.send(frame(number))
        time.sleep(0.5)


def frame(number: int) -> bytes:
    """What host NUMBER sends: LLDP that lives as long as there is."""
    mac = bytes((2, 0, 0, 9, number // 256, number % 256))
    tlvs = (
        (1, b"\x04" + mac), (2, b"\x05eth0"), (3, struct.pack("!H", 65535)), (4, b"eth0"),
        (5, f"gpu-node-{number:03}".encode()), (6, b"a host of the benchmark"),
        (7, struct.pack("!HH", 0x80, 0x80)), (0, b""),
    )  # fmt: skip
    body = b"".join(struct.pack("!H", kind << 9 | len(value)) + value for kind, value in tlvs)
    return bytes.fromhex("0180c200000e") + mac + b"\x88\xcc" + body


def walk_by_hand(leaf: Machine, at_once: int) -> tuple[float, int]:
    """Seconds and rows of snmpbulkwalk in the remote tables of all switches, so many side by side."""
    numbers = "\n".join(map(str, range(SWITCHES)))
    begin = time.perf_counter()
    done = subprocess.run(
        leaf.within("xargs", "-P", str(at_once), "-n", "1", "sh", "-c", f"{by_hand(LLDP.remote)} | wc -l"),
        input=numbers, capture_output=True, text=True, check=True, env={**os.environ, "MIBS": ""},
    )  # fmt: skip
    return time.perf_counter() - begin, sum(map(int, done.stdout.split()))


def by_hand(table: str) -> str:
    """The command."""
    return f"snmpbulkwalk -v2c -c {COMMUNITY} -Cr25 -On {ADDRESS}:{PORT} {table}"


def rows_of_a_switch(leaf: Machine) -> int:
    """Of all tables that the sweeper reads."""
    return sum(len(leaf.run(*by_hand(table).split()).splitlines()) for table in TABLES)


async def read_remote(target: Target) -> int:
    """Rows of the remote table alone."""
    walk = Walk()
    await (await converse(target, SECRET, Bounds())).walk(LLDP.remote, walk)
    return len(walk.rows)


async def read_whole(target: Target) -> int:
    """A switch as the sweeper reads it; how many neighbours were found on its ports."""
    probed = await walk_switch(target, SECRET, Bounds())
    if probed.found is None or not probed.found.whole:
        raise RuntimeError(probed.reason)
    return sum(len(port.remotes) for port in ports_of(probed.found))


async def of_all(read: Callable[[Target], Awaitable[int]]) -> int:
    """Of all switches, as many side by side as a sweeper asks."""
    gate = asyncio.Semaphore(Patience().at_once)

    async def one() -> int:
        async with gate:
            return await read(Target(ADDRESS, PORT))

    return sum(await asyncio.gather(*(one() for _ in range(SWITCHES))))


def timed(leaf: Machine, read: Callable[[Target], Awaitable[int]]) -> tuple[float, int]:
    """Seconds and what it gives, in the namespace of the switch."""
    with leaf.entered():
        begin = time.perf_counter()
        given = asyncio.run(of_all(read))
        return time.perf_counter() - begin, given


def run(rounds: int) -> int:
    """Measure and print; the exit code."""
    ours: list[tuple[float, int]] = []
    theirs: list[tuple[float, int]] = []
    with raised() as leaf:
        say("the switch hears its neighbours")
        for _ in range(rounds):
            ours.append(timed(leaf, read_remote))
            theirs += [walk_by_hand(leaf, at_once) for at_once in SIDE_BY_SIDE]
        whole, neighbours = min(timed(leaf, read_whole) for _ in range(rounds))
        rows = SWITCHES * rows_of_a_switch(leaf)
    table, reference = min(ours), min(theirs)
    expected = SWITCHES * NEIGHBOURS * COLUMNS
    if (table[1], reference[1], neighbours) != (expected, expected, SWITCHES * NEIGHBOURS):
        raise RuntimeError(f"{table[1]:,} rows by us, {reference[1]:,} by snmpbulkwalk, {neighbours:,} neighbours")
    rate = reference[1] / reference[0]
    print(f"remote tables, {expected:,} rows: snmpbulkwalk {reference[0]:.2f} s, {rate:,.0f} rows/s")
    print(f"the same by the probe: {table[0]:.2f} s, {table[1] / table[0]:,.0f} rows/s")
    print(f"whole switches by the probe, {rows:,} rows: {whole:.2f} s, {rows / whole:,.0f} rows/s")
    return report(
        [
            Figure("remote tables: snmpbulkwalk's rate / ours", rate * table[0] / table[1], LIMIT),
            Figure("whole switches: snmpbulkwalk's rate / ours", rate * whole / rows, LIMIT),
        ]
    )


if __name__ == "__main__":
    sys.exit(run(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
