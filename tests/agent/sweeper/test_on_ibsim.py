"""What the sweeper writes of a fabric that ibsim plays, with the real ibnetdiscover, behind the embedded API server."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from discovery.reports import COMPLETE, SWEEPER_LABEL
from kube.client import Client
from kube.requests import Patch
from kube.resources import SWITCH_REPORTS
from tests.agent.sweeper.ibsim import Fabric, simulated
from tests.agent.sweeper.played import Reported, drawn_net, raised, sweeping
from tests.cli.processes.child import child
from tests.cli.processes.conftest import raise_kinds

LEAF = "S-2c5eab0ff46f9759"
REPORT = f"ib-{LEAF.removeprefix('S-')}"
SILENT = "H-2c5eab0ffa28a577"
"""The adapter on port 4 of the leaf."""


@pytest.fixture(scope="module")
def fabric(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fabric]:
    """One for all tests of the file; each leaves it mended."""
    folder = tmp_path_factory.mktemp("ibsim")
    with simulated(drawn_net(folder), folder) as fabric:
        fabric.route()
        yield fabric


async def cabled(client: Client) -> set[int]:
    """The ports of the leaf that have a cable."""
    return {port.number for port in (await client.get(SWITCH_REPORTS, REPORT)).spec.ports if port.peer}


async def holders(client: Client) -> Counter[str]:
    """How many switches each sweeper reports."""
    return Counter(report.metadata.labels[SWEEPER_LABEL] for report in (await client.list(SWITCH_REPORTS)).items)


async def test_the_process_writes_what_changed_and_shows_how_it_went(fabric: Fabric, tmp_path: Path) -> None:
    settings = {
        "sweep__tool": str(fabric.tool),
        "sweep__sysfsRoot": str(fabric.sysfs),
        "sweep__period": "0.2",
        "sweep__fabric": "compute",
        "counters__tool": str(fabric.counters),
    }
    async with raise_kinds(tmp_path) as (client, kubeconfig), child(kubeconfig, "sweeper", **settings) as one:
        reported = Reported(client)
        first = await reported.sweep(lambda report: report.outcome == COMPLETE)
        assert (first.switches, first.hosts, first.missing, first.toolVersion is None) == (12, 64, (), False)
        assert {report.fabric for report in (await reported.switches()).values()} == {"compute"}
        before = await cabled(client)
        fabric.tell(f'Unlink "{LEAF}"[2]')
        await reported.after()
        assert before - await cabled(client) == {2}
        fabric.tell(f'ReLink "{LEAF}"[2]')
        fabric.tell(f'Error "{SILENT}"[1] 100')
        await reported.after()
        assert await cabled(client) == before
        fabric.tell(f'Error "{SILENT}"[1] 0')
        written = await one.figure('hyperscout_apply_total{action="apply",result="done"}')
        sweeps = await one.figure('hyperscout_sweeps_total{outcome="Complete"}')
        assert written - sweeps < 12 + 4  # each switch once, and again only the one that the cable touched
        assert await one.figure('hyperscout_subnet_sweep_success{port="ibsim0/1"}') == 1
        assert await one.figure("hyperscout_switch_counters_read") == 64 + 2 * (8 + 8)
        assert await one.figure('hyperscout_switch_ports{verdict="Up"}') >= 64 + 2 * (8 + 8) - 1
        assert 0 <= await one.figure("hyperscout_sweep_evidence_age_seconds") < 60
        one.send(signal.SIGTERM)
        assert await one.ends() == 0


async def test_an_adapter_that_never_answers_stays_also_when_the_sweeper_begins_anew(fabric: Fabric) -> None:
    async with raised() as cluster:
        reported = Reported(cluster.client)
        async with sweeping(cluster.client, fabric):
            await reported.sweep(lambda report: report.outcome == COMPLETE)
            before = await reported.switches()
        fabric.tell(f'Error "{SILENT}"[1] 100')
        try:
            for _ in range(2):
                async with sweeping(cluster.client, fabric):
                    told = await reported.after()
                assert (told.outcome, told.hosts, told.missing) == (COMPLETE, 64, ())
                assert told.reasons == (
                    "no answer behind port 4 of MF0;cf-leaf-001:MQM8700/U1 (bad status 110; Connection timed out): "
                    "it counts as it was last seen",
                )
                assert await reported.switches() == before
        finally:
            fabric.tell(f'Error "{SILENT}"[1] 0')


async def test_a_switch_of_another_sweeper_is_left_to_it_until_that_one_is_gone(fabric: Fabric) -> None:
    async with raised() as cluster:
        client = cluster.client
        async with sweeping(client, fabric):
            await Reported(client).sweep(lambda report: report.outcome == COMPLETE)
        async with sweeping(client, fabric, name="other"):
            reported = Reported(client, "other")
            clash = await reported.sweep()
            assert clash.reasons[0].startswith("12 switches are reported by the sweeper default and left to it")
            assert await holders(client) == {"default": 12}
            for report in (await client.list(SWITCH_REPORTS)).items:
                await client.delete(SWITCH_REPORTS, report.metadata)
            await reported.sweep(lambda report: report.outcome == COMPLETE and not report.reasons)
            assert await holders(client) == {"other": 12}


async def test_what_somebody_deleted_or_changed_is_written_again(fabric: Fabric) -> None:
    async with raised() as cluster, sweeping(cluster.client, fabric):
        reported = Reported(cluster.client)
        await reported.sweep(lambda report: report.outcome == COMPLETE)
        before = await reported.switches()
        deleted, changed = sorted(before)[:2]
        await cluster.client.delete(SWITCH_REPORTS, (await cluster.client.get(SWITCH_REPORTS, deleted)).metadata)
        await cluster.client.patch(SWITCH_REPORTS, changed, Patch({"spec": {"ports": []}}))
        await reported.after()
        assert await reported.switches() == before
