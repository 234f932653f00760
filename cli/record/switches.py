"""Records Ethernet switches: what each answers to the questions of the sweeper, as a walk in text."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.sweeper.ethernet.resolving import resolve
from cli.record.takings import Takings
from discovery.recording import layout
from discovery.recording.snmprec import write_walk
from discovery.snmp import Bounds, Target, ask_switch
from discovery.snmp.credentials import Credentials

AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class SwitchOptions:
    """Who is asked."""

    sweeper: str
    targets: tuple[Target, ...]
    credentials: Credentials
    bounds: Bounds = field(default_factory=Bounds)


async def record_switches(options: SwitchOptions, takings: Takings) -> bool:
    """What does not answer is told, and the rest recorded. Whether any switch was."""
    resolved = await resolve(options.targets)
    for unknown in resolved.unknown:
        takings.fail("switch", unknown)
    gate = asyncio.Semaphore(AT_ONCE)
    return any(await asyncio.gather(*(_one(target, options, takings, gate) for target in resolved.addresses)))


async def _one(target: Target, options: SwitchOptions, takings: Takings, gate: asyncio.Semaphore) -> bool:
    async with gate:
        answers = await ask_switch(target, options.credentials, options.bounds)
    if answers.scalars:
        path = f"{layout.FABRICS}/{options.sweeper}/{layout.SNMP}/{str(target).replace(':', '_')}{layout.WALK}"
        takings.texts[path] = write_walk(answers)
    flaws: Sequence[str] = [flaw.text for flaw in answers.flaws]
    if flaws or not answers.scalars:
        takings.fail(f"switch {target}", "; ".join(flaws[:3]) or "it has nothing of what it is asked for")
    return bool(answers.scalars)
