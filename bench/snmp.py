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
from discovery.snmp.oids import LLDP
from tests.lab.namespaces import Lab, Machine, laid
from tests.lab.speaking import Daemon, Speaker, start_lldpd
from tests.lab.switching import ADDRESS, COMMUNITY, PORT, serve_snmp

SWITCHES, NEIGHBOURS = 100, 130
COLUMNS = 9
"""Of the remote table that can be read, from chassis id subtype to enabled capabilities."""
TABLES = ("1.0.8802.1.1.2.1.3.7.1", LLDP.remote, "1.3.6.1.2.1.2.2.1", "1.3.6.1.2.1.31.1.1.1")
"""What the sweeper reads of a switch, and more: of IF-MIB it takes 11 columns of 41."""
SIDE_BY_SIDE = (1, 2, 4, 8)
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


def walk_by_hand(leaf: Machine, tables: tuple[str, ...], at_once: int) -> tuple[float, int]:
    """Seconds and rows of snmpbulkwalk, for all switches, so many side by side."""
    command = "snmpbulkwalk -v2c -c {} -Cr25 -On {}:{} {}"
    script = "; ".join(command.format(COMMUNITY, ADDRESS, PORT, table) for table in tables)
    numbers = "\n".join(map(str, range(SWITCHES)))
    begin = time.perf_counter()
    done = subprocess.run(
        leaf.within("xargs", "-P", str(at_once), "-n", "1", "sh", "-c", f"({script}) | wc -l"),
        input=numbers, capture_output=True, text=True, check=True, env={**os.environ, "MIBS": ""},
    )  # fmt: skip
    return time.perf_counter() - begin, sum(map(int, done.stdout.split()))


def best_by_hand(leaf: Machine, tables: tuple[str, ...]) -> tuple[float, int]:
    """The quickest of all numbers of walks side by side."""
    return min(walk_by_hand(leaf, tables, at_once) for at_once in SIDE_BY_SIDE)


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
    with raised() as leaf:
        say("the switch hears its neighbours")
        table = min(timed(leaf, read_remote) for _ in range(rounds))
        by_hand = min(best_by_hand(leaf, (LLDP.remote,)) for _ in range(rounds))
        whole = min(timed(leaf, read_whole) for _ in range(rounds))
        whole_by_hand = min(best_by_hand(leaf, TABLES) for _ in range(rounds))
    if table[1] != by_hand[1] or table[1] != SWITCHES * NEIGHBOURS * COLUMNS:
        raise RuntimeError(f"{table[1]:,} rows by us, {by_hand[1]:,} by snmpbulkwalk")
    if whole[1] != SWITCHES * NEIGHBOURS:
        raise RuntimeError(f"{whole[1]:,} neighbours on ports")
    for name, (seconds, rows) in {"snmpbulkwalk": by_hand, "the probe": table}.items():
        print(f"remote table, {name}: {rows:,} rows in {seconds:.2f} s, {rows / seconds:,.0f} rows/s")
    print(f"whole switches: snmpbulkwalk {whole_by_hand[0]:.2f} s ({whole_by_hand[1]:,} rows), we {whole[0]:.2f} s")
    return report(
        [
            Figure("remote tables: our time / snmpbulkwalk's", table[0] / by_hand[0], LIMIT),
            Figure("whole switches: our time / snmpbulkwalk's", whole[0] / whole_by_hand[0], LIMIT),
        ]
    )


if __name__ == "__main__":
    sys.exit(run(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
