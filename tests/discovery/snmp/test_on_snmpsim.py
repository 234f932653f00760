"""The four recorded switches, served by snmpsim: the probe sees over the network what the recordings hold."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from discovery.probing import Probed
from discovery.snmp import Bounds, SwitchTables, Target, walk_switch
from discovery.snmp.credentials import Community
from discovery.snmp.tables import read_tables
from tests.discovery.snmp.recordings import recorded

PATIENCE = 60.0
PROGRAM = Path(sys.executable).parent / "snmpsim-command-responder"
SWITCHES = ("arista_eos", "arubaos-cx_10.07", "dell-os10", "junos_qfx5100")
BOUNDS = Bounds(timeout=20.0, tries=1, seconds=PATIENCE)
"""It plays some 1,500 rows a second, all one after the other."""


@asynccontextmanager
async def served(recordings: Path, cache: Path) -> AsyncIterator[Target]:
    """Where snmpsim answers; the community is the name of a recording."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (cache / "log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            PROGRAM, f"--data-dir={recordings}", f"--cache-dir={cache}", f"--agent-udpv4-endpoint=127.0.0.1:{port}",
            "--process-user=root", "--process-group=root", stdout=log, stderr=log,
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
        )  # fmt: skip
    try:
        yield Target("127.0.0.1", port)
    finally:
        process.kill()
        await process.wait()


async def first_answer(target: Target, name: str) -> Probed[SwitchTables]:
    """Of a server that has just begun to index its recordings."""
    async with asyncio.timeout(PATIENCE):
        while True:
            probed = await walk_switch(target, Community(name), replace(BOUNDS, timeout=2.0))
            if probed.found is not None:
                return probed
            await asyncio.sleep(0.1)


async def test_the_recorded_switches_are_read_as_they_were_recorded(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "snmp"
    async with served(folder, tmp_path) as target:
        first = await first_answer(target, SWITCHES[0])
        others = await asyncio.gather(*(walk_switch(target, Community(name), BOUNDS) for name in SWITCHES[1:]))
    for name, probed in zip(SWITCHES, (first, *others), strict=True):
        assert probed.found == read_tables(recorded(folder / f"{name}.snmprec")), name
