"""Switches that are recorded by SNMP: a replay makes of the walk what a sweep makes of the switch."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from cli.record.switches import SwitchOptions, record_switches
from cli.record.takings import Takings
from cli.replay.fabric import PlayedSweeper
from discovery.recording.reading import Fabric
from discovery.recording.snmprec import read_walk, write_walk
from discovery.reports import HOST, SWITCH
from discovery.snmp import Bounds, Target, walk_switch
from discovery.snmp.credentials import Community
from discovery.snmp.tables import read_tables
from tests.discovery.snmp.agent import agent, from_table
from tests.discovery.snmp.switches import leaf

PUBLIC = Community("public")


async def test_a_switch_is_recorded_as_a_sweep_reads_it() -> None:
    async with agent(from_table(leaf())) as playing:
        target = Target("127.0.0.1", playing.port)
        takings = Takings()
        await record_switches(SwitchOptions("eth", (target,), PUBLIC), takings)
        asked = await walk_switch(target, PUBLIC, Bounds())
    ((path, text),) = takings.texts.items()
    assert path == f"fabrics/eth/snmp/127.0.0.1_{playing.port}.snmprec"
    assert takings.failed == []
    assert asked.found is not None
    assert read_tables(read_walk(text)) == replace(asked.found, flaws=())
    assert sorted(write_walk(read_walk(text)).splitlines()) == sorted(text.splitlines())
    sweeper = PlayedSweeper("eth")
    sweeper.sweep(Fabric({path.removeprefix("fabrics/eth/"): text}), datetime(2026, 3, 1, tzinfo=UTC))
    (report,) = sweeper.reports.values()
    kinds = {port.name: port.peer.kind for port in report.ports if port.peer is not None}
    assert kinds == {"swp1": HOST, "swp2": HOST, "swp31": SWITCH, "swp32": SWITCH}


async def test_a_switch_that_does_not_answer_is_told() -> None:
    async with agent(lambda _: []) as playing:
        takings = Takings()
        options = SwitchOptions("eth", (Target("127.0.0.1", playing.port),), PUBLIC, Bounds(timeout=0.05, tries=1))
        await record_switches(options, takings)
    assert takings.texts == {}
    (failure,) = takings.failed
    assert str(playing.port) in failure.what
    assert "no answer" in failure.reason
