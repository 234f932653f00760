"""`hyperscout sweeper` with the real ibnetdiscover on a fabric that ibsim plays, behind the embedded API server."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from discovery.reports import COMPLETE, SWEEPER_LABEL, SweepReport
from kube.client import Client
from kube.errors import NotFound
from kube.requests import Patch
from kube.resources import SWEEP_REPORTS, SWITCH_REPORTS
from tests.agent.sweeper.ibsim import Fabric, simulated
from tests.architecture.sources import ROOT
from tests.cli.processes.child import child
from tests.cli.processes.conftest import raise_kinds

NET = ROOT / "fixtures/synthetic/fabric.txt"
LEAF = "S-2c5eab0ff46f9759"
HOST = "H-2c5eab08bd7c399a"
"""On port 1 of the leaf."""
REPORT = f"ib-{LEAF.removeprefix('S-')}"
PATIENCE = 30.0


def settings(fabric: Fabric) -> dict[str, str]:
    return {
        "sweep__tool": str(fabric.tool),
        "sweep__sysfsRoot": str(fabric.sysfs),
        "sweep__period": "0.3",
        "sweep__fabric": "compute",
        "counters__tool": "",
    }


async def swept(client: Client, holds: Callable[[SweepReport], bool], name: str = "default") -> SweepReport:
    """The sweeper's report, once it is so."""
    last: SweepReport | None = None
    async with asyncio.timeout(PATIENCE):
        while last is None or not holds(last):
            await asyncio.sleep(0.05)
            try:
                last = (await client.get(SWEEP_REPORTS, name)).spec
            except NotFound:
                continue
    return last


def later_than(sequence: int) -> Callable[[SweepReport], bool]:
    return lambda report: report.sequence > sequence


async def cabled(client: Client) -> set[int]:
    """The ports of the leaf that have a cable."""
    return {port.number for port in (await client.get(SWITCH_REPORTS, REPORT)).spec.ports if port.peer}


async def test_a_fabric_becomes_reports_that_follow_its_cables(tmp_path: Path) -> None:
    """The net holds 64 switches and 96 hosts with names; port 1 of the first leaf carries a cable."""
    with simulated(NET, tmp_path) as fabric:
        async with (
            raise_kinds(tmp_path) as (client, kubeconfig),
            child(kubeconfig, "sweeper", **settings(fabric)) as one,
        ):
            first = await swept(client, lambda report: report.outcome == COMPLETE)
            assert (first.switches, first.hosts, first.missing, first.toolVersion is None) == (64, 96, (), False)
            reports = (await client.list(SWITCH_REPORTS)).items
            assert len(reports) == 64
            assert {(report.spec.fabric, report.metadata.labels[SWEEPER_LABEL]) for report in reports} == {
                ("compute", "default")
            }
            before = await cabled(client)
            fabric.tell(f'Unlink "{LEAF}"[1]')
            cut = (await swept(client, later_than(first.sequence + 1))).sequence
            while await cabled(client) == before:
                cut = (await swept(client, later_than(cut))).sequence
            assert before - await cabled(client) == {1}
            written = await one.figure('hyperscout_apply_total{action="apply",result="done"}')
            sweeps = await one.figure('hyperscout_sweeps_total{outcome="Complete"}')
            assert written - sweeps < 64 + 3  # each switch once, and again only those that the cable touched
            fabric.tell(f'ReLink "{LEAF}"[1]')
            while await cabled(client) != before:
                cut = (await swept(client, later_than(cut))).sequence
            one.send(signal.SIGTERM)
            assert await one.ends() == 0


async def test_lost_datagrams_change_nothing_and_are_told(tmp_path: Path) -> None:
    """The adapter never answers; then the sweeper begins anew, with the reports of the one before."""
    with simulated(NET, tmp_path) as fabric:
        async with raise_kinds(tmp_path) as (client, kubeconfig):
            async with child(kubeconfig, "sweeper", **settings(fabric)):
                await swept(client, lambda report: report.outcome == COMPLETE)
                before = {report.metadata.name: report.spec for report in (await client.list(SWITCH_REPORTS)).items}
                fabric.tell(f'Error "{HOST}"[1] 100')
                told = await swept(client, lambda report: bool(report.reasons))
                assert (told.outcome, told.hosts) == (COMPLETE, 96)
                assert "no answer behind port 1 of MF0;gpu-leaf-001-1" in told.reasons[0]
                assert "Connection timed out" in told.reasons[0]
            async with child(kubeconfig, "sweeper", **settings(fabric)):  # takes up the count where the last one left
                again = await swept(client, later_than(told.sequence))
                assert (again.outcome, again.missing) == (COMPLETE, ())
                after = {report.metadata.name: report.spec for report in (await client.list(SWITCH_REPORTS)).items}
                assert after == before


async def test_a_switch_of_another_sweeper_is_left_to_it_until_that_one_is_gone(tmp_path: Path) -> None:
    with simulated(NET, tmp_path) as fabric:
        async with raise_kinds(tmp_path) as (client, kubeconfig):
            async with child(kubeconfig, "sweeper", **settings(fabric)):
                await swept(client, lambda report: report.outcome == COMPLETE)
            async with child(kubeconfig, "sweeper", sweep__name="other", **settings(fabric)):
                clash = await swept(client, lambda report: report.sequence == 1, "other")
                assert clash.reasons[0].startswith("64 switches are reported by the sweeper default and left to it")
                assert await holders(client) == {"default": 64}
                for report in (await client.list(SWITCH_REPORTS)).items:
                    await client.delete(SWITCH_REPORTS, report.metadata)
                await swept(client, lambda report: report.outcome == COMPLETE and not report.reasons, "other")
                assert await holders(client) == {"other": 64}


async def test_what_somebody_deleted_or_changed_is_written_again(tmp_path: Path) -> None:
    with simulated(NET, tmp_path) as fabric:
        async with raise_kinds(tmp_path) as (client, kubeconfig), child(kubeconfig, "sweeper", **settings(fabric)):
            first = await swept(client, lambda report: report.outcome == COMPLETE)
            before = {report.metadata.name: report.spec for report in (await client.list(SWITCH_REPORTS)).items}
            deleted, changed = sorted(before)[:2]
            await client.delete(SWITCH_REPORTS, (await client.get(SWITCH_REPORTS, deleted)).metadata)
            await client.patch(SWITCH_REPORTS, changed, Patch({"spec": {"ports": []}}))
            await swept(client, later_than(first.sequence + 2))
            after = {report.metadata.name: report.spec for report in (await client.list(SWITCH_REPORTS)).items}
            assert after == before


async def holders(client: Client) -> Counter[str]:
    """How many switches each sweeper reports."""
    return Counter(report.metadata.labels[SWEEPER_LABEL] for report in (await client.list(SWITCH_REPORTS)).items)
