"""The agent and the GPUs: from a played driver to the NodeReport, and what stays when the driver fails."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agent.node.assembling import assemble
from agent.node.judging import Standing, judge_node
from agent.node.probes import Probes, ProbeSettings
from discovery.health import Thresholds
from discovery.reports import FAILED, FOUND, NodeReport
from tests.discovery.nvlink.stub import WELL, StubGpu, StubHost, StubLink, build

RACK = "7b968a6d-c8aa-45e1-9e07-e1e51be99c31"
TRAY = StubHost([StubGpu(cluster=RACK, clique=32766, mask=WELL, summary=1, links=(StubLink(),) * 18)] * 4)
PATIENCE = 20.0


async def report(host: StubHost, path: Path, before: Standing) -> tuple[NodeReport, Standing]:
    """What is reported after a look at the GPUs of that host; no other look waits for it."""
    host.write(path)
    probes = Probes(ProbeSettings(enabled=("nvlink",), gpu_limit=5.0))
    await probes.look()
    async with asyncio.timeout(PATIENCE):
        await probes.woken.wait()
    evidence = await probes.look()
    probes.close()
    ports, standing = judge_node(evidence, before, Thresholds())
    return assemble(evidence, ports, standing.nvlink).report, standing


async def test_the_report_tells_what_the_driver_tells_and_keeps_it_where_the_driver_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "host"
    monkeypatch.setenv("LD_LIBRARY_PATH", str(build(tmp_path)))
    monkeypatch.setenv("NVML_STUB", str(path))
    first, standing = await report(TRAY, path, Standing())
    assert first.nvlink is not None
    assert (first.nvlink.clusterUuid, first.nvlink.cliqueId, first.nvlink.state) == (RACK, 32766, "Completed")
    assert (first.nvlink.healthSummary, first.nvlink.gpus, first.nvlink.links) == ("Healthy", 4, 72)
    assert [(probe.name, probe.outcome) for probe in first.probes] == [("nvlink", FOUND)]
    failing, _ = await report(StubHost(TRAY.gpus, init=18), path, standing)
    (probe,) = failing.probes
    assert (failing.nvlink, probe.outcome) == (first.nvlink, FAILED)
    assert "the loaded driver are of different versions" in str(probe.reason)
