"""Records an InfiniBand fabric: what ibnetdiscover prints on every subnet of this host, and counters of its ports."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.sweeper.infiniband.merging import merge
from agent.sweeper.infiniband.reader import asked_of
from agent.sweeper.infiniband.reading import Subnet, read_subnet
from agent.sweeper.infiniband.subnets import Runs, Vantage, choose
from agent.sweeper.tool import Output, ToolError, run_tool, tool_version
from cli.record.takings import Takings
from discovery.identity import Guid
from discovery.recording import layout
from discovery.source import Tree
from discovery.vantage import own_ports

COUNTERS_IN_ALL = 300.0
"""Seconds for the counters of all switches."""


@dataclass(frozen=True, slots=True)
class FabricOptions:
    """What is swept, and for how long at most."""

    sweeper: str
    ports: tuple[str, ...] = ()
    """None: every active InfiniBand port that is in a subnet of its own."""
    sysfs: Path = Path("/sys")
    limit: float = 120.0
    counters: bool = True


async def record_fabric(options: FabricOptions, takings: Takings) -> bool:
    """What cannot be read is told, and the rest recorded. Whether a map of any subnet was."""
    ports = own_ports(Tree(options.sysfs))
    chosen = choose(options.ports, ports)
    if not chosen:
        takings.fail(layout.SWEEP, ports.reason or "no InfiniBand port of this host is active; name one by --port")
        return False
    at = f"{layout.FABRICS}/{options.sweeper}"
    try:
        takings.versions[layout.SWEEP] = await tool_version([layout.SWEEP]) or "unknown"
        subnets = await _sweeps(options, at, chosen, takings)
    except ToolError as error:
        takings.fail(layout.SWEEP, str(error))
        return False
    if options.counters:
        await _count(options, at, subnets, takings)
    return any(subnet.reports or subnet.ends for subnet in subnets)


async def _sweeps(options: FabricOptions, at: str, chosen: Sequence[Vantage], takings: Takings) -> list[Subnet]:
    """One after the other: a port that a map shows needs no sweep of its own."""
    subnets: list[Subnet] = []
    met: frozenset[Guid] = frozenset()
    for vantage in chosen:
        if vantage.own is not None and vantage.own.port_guid in met:
            continue
        output = await run_tool((layout.SWEEP, *vantage.arguments), options.limit)
        subnet = read_subnet(output, vantage.name, vantage.arguments, options.sweeper)
        stem = (
            f"{at}/{layout.SWEEP}-{vantage.name.replace('/', '-')}" if "/" in vantage.name else f"{at}/{layout.SWEEP}"
        )
        takings.texts[stem + layout.MAP] = output.map.decode("utf-8", "surrogateescape")
        takings.texts[stem + layout.WORDS] = output.words
        if output.code != 0:
            takings.texts[stem + layout.CODE] = _ending(output)
        for trouble in subnet.trouble:
            takings.fail(f"{layout.SWEEP} on {vantage.name}", trouble)
        subnets.append(subnet)
        met |= subnet.ends
    return subnets


def _ending(output: Output) -> str:
    if output.code is not None:
        return f"{output.code}\n"
    after = f" after {output.seconds:.0f} s" if output.seconds is not None else ""
    return f"{layout.CUT_OFF}{after}\n"


async def _count(options: FabricOptions, at: str, subnets: Sequence[Subnet], takings: Takings) -> None:
    """Read, never cleared."""
    until = asyncio.get_running_loop().time() + COUNTERS_IN_ALL
    texts = []
    for asked in asked_of(subnets, merge(Runs(tuple(subnets)), {})):
        left = until - asyncio.get_running_loop().time()
        if left <= 0:
            takings.fail("perfquery", f"cut off after {COUNTERS_IN_ALL:g} s")
            break
        ports = ",".join(map(str, asked.ports))
        try:
            output = await run_tool(("perfquery", "-x", *asked.origin, "-l", str(asked.lid), ports), min(left, 10.0))
        except ToolError as error:
            takings.fail("perfquery", str(error))
            break
        texts.append(output.map.decode("ascii", "replace"))
        if output.code != 0:
            words = output.words.strip().splitlines()
            takings.fail(f"counters of switch {asked.guid}", words[-1][:200] if words else "no answer in time")
    if texts:
        takings.texts[f"{at}/{layout.COUNTERS}"] = "".join(texts)
