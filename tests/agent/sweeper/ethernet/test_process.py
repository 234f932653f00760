"""`hyperscout sweeper` of an Ethernet fabric whose switches answer on this host, behind the embedded server."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from discovery.reports import COMPLETE, FAILED, SWEEPER_LABEL, SweepReport
from kube.client import Client
from kube.errors import NotFound
from kube.resources import SWEEP_REPORTS, SWITCH_REPORTS
from tests.cli.processes.child import child
from tests.cli.processes.conftest import raise_kinds
from tests.discovery.snmp.agent import Request, agent, from_table
from tests.discovery.snmp.switches import Heard, Jack, Switch, host, mac, spine

PATIENCE = 30.0
LEAVES = 12


@dataclass
class Fabric:
    """Leaves with two hosts each under one spine; those that are `dead` do not answer."""

    targets: list[str] = field(default_factory=list)
    dead: set[str] = field(default_factory=set)
    unheard: set[str] = field(default_factory=set)
    """Those that the spine does not hear."""

    def answer(self, name: str) -> Callable[[Request], Sequence[bytes]]:
        def one(request: Request) -> Sequence[bytes]:
            return [] if name in self.dead else from_table(self._switch(name).rows())(request)

        return one

    def _switch(self, name: str) -> Switch:
        number = int(name.removeprefix("leaf-")) if name != "spine-1" else 0
        if number:
            hosts = (Jack(one, f"swp{one}", (host(10 * number + one),)) for one in (1, 2))
            return Switch(mac(number, 1), name, (*hosts, Jack(49, "swp49", (spine(1, f"swp{number}"),))))
        heard = {one: (leaf_as_heard(one),) if f"leaf-{one}" not in self.unheard else () for one in LEAF_NUMBERS}
        return Switch(mac(1, 2), name, tuple(Jack(one, f"swp{one}", heard[one]) for one in LEAF_NUMBERS))


LEAF_NUMBERS = range(1, LEAVES + 1)


def leaf_as_heard(number: int) -> Heard:
    return Heard(mac(number, 1), b"swp49", f"leaf-{number}".encode())


@asynccontextmanager
async def raised() -> AsyncIterator[Fabric]:
    """All of its switches answer."""
    fabric = Fabric()
    async with AsyncExitStack() as stack:
        for name in ("spine-1", *(f"leaf-{number}" for number in LEAF_NUMBERS)):
            playing = await stack.enter_async_context(agent(fabric.answer(name)))
            fabric.targets.append(f"127.0.0.1:{playing.port}")
        yield fabric


def settings(fabric: Fabric, folder: Path) -> dict[str, str]:
    secret = folder / "secret"
    secret.mkdir(exist_ok=True)
    (secret / "community").write_text("public\n")
    return {
        "sweep__kind": "ethernet",
        "sweep__name": "roce",
        "sweep__period": "0.3",
        "snmp__targets": ",".join(fabric.targets),
        "snmp__credentials": str(secret),
        "snmp__timeout": "0.3",
        "snmp__tries": "2",
    }


async def swept(client: Client, holds: Callable[[SweepReport], bool]) -> SweepReport:
    last: SweepReport | None = None
    async with asyncio.timeout(PATIENCE):
        while last is None or not holds(last):
            await asyncio.sleep(0.05)
            try:
                last = (await client.get(SWEEP_REPORTS, "roce")).spec
            except NotFound:
                continue
    return last


async def test_a_fabric_is_swept_and_what_a_silent_switch_showed_stays_known(tmp_path: Path) -> None:
    async with (
        raised() as fabric,
        raise_kinds(tmp_path) as (client, kubeconfig),
        child(kubeconfig, "sweeper", **settings(fabric, tmp_path)) as one,
    ):
        first = await swept(client, lambda report: report.outcome == COMPLETE)
        assert (first.switches, first.hosts, first.reasons) == (LEAVES + 1, 2 * LEAVES, ())
        assert (first.toolVersion or "").startswith("gufo-snmp ")
        reports = {found.metadata.name: found for found in (await client.list(SWITCH_REPORTS)).items}
        assert {found.metadata.labels[SWEEPER_LABEL] for found in reports.values()} == {"roce"}
        assert [(port.name, port.peer and port.peer.kind) for port in reports["eth-020000010001"].spec.ports] == [
            ("swp1", "Host"), ("swp2", "Host"), ("swp49", "Switch"),
        ]  # fmt: skip
        fabric.dead = {"leaf-3"}
        silent = await swept(client, lambda report: "did not answer" in "".join(report.reasons[:1]))
        assert (silent.outcome, silent.missing) == (COMPLETE, ())
        assert silent.reasons[0].startswith("1 of 13 targets did not answer (127.0.0.1:")
        fabric.unheard = {"leaf-3"}
        gone = await swept(client, lambda report: bool(report.missing))
        assert [missing.guid for missing in gone.missing] == ["02:00:00:01:00:03"]
        assert "eth-020000010003" in {found.metadata.name for found in (await client.list(SWITCH_REPORTS)).items}
        assert await one.figure('hyperscout_snmp_targets{state="silent"}') == 1
        assert await one.figure('hyperscout_snmp_targets{state="without-lldp"}') == 0
        assert await one.figure('hyperscout_switch_ports{verdict="Up"}') >= 3 * LEAVES
        one.send(signal.SIGTERM)
        assert await one.ends() == 0


async def test_secrets_are_read_again_and_never_shown(tmp_path: Path) -> None:
    async with raised() as fabric, raise_kinds(tmp_path) as (client, kubeconfig):
        given = settings(fabric, tmp_path)
        community = tmp_path / "secret" / "community"
        community.write_text("not-this-secret\n")
        async with child(kubeconfig, "sweeper", **given) as one:
            failed = await swept(client, lambda report: report.outcome == FAILED)
            assert failed.reasons[0].startswith("13 of 13 targets did not answer")
            community.unlink()
            await swept(client, lambda report: report.reasons[0].startswith("nobody can be asked: "))
            community.write_text("public\n")
            await swept(client, lambda report: report.outcome == COMPLETE)
            one.send(signal.SIGTERM)
            assert await one.ends() == 0
            assert "not-this-secret" not in str(one.lines) + str(failed)
