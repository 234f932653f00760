"""Reports as objects: small, whole, written on change and as a heartbeat."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.publishing import (
    ReportObject,
    Written,
    compact,
    is_due,
    node_object,
    publish,
    sweep_object,
    switch_object,
)
from discovery.identity import ChassisId, Guid, NodeName
from discovery.reports import (
    Interface,
    Neighbour,
    NodeReport,
    NvLink,
    Port,
    ProbeOutcome,
    SweepReport,
    SwitchReport,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
NODE = NodeName("gpu-01")


@dataclass(slots=True)
class Recorder:
    """An API server that takes, or refuses, everything."""

    applied: list[ReportObject] = field(default_factory=list)
    refuses: bool = False

    async def apply(self, report: ReportObject) -> None:
        if self.refuses:
            raise ConnectionError
        self.applied.append(report)


def port(number: int) -> Port:
    guid = Guid(f"a088c203000000{number:02x}")
    return Port(
        device=f"mlx5_{number}", port=1, nodeGuid=guid, portGuid=guid, systemImageGuid=guid, linkLayer="InfiniBand",
        state="Active", physicalState="LinkUp", width=4, speed="NDR", lastUp=NOON, verdict="Up", reason="",
    )  # fmt: skip


def interface(number: int) -> Interface:
    neighbour = Neighbour(
        chassisId=ChassisId("44:38:39:ff:00:01"), chassisIdSubtype="mac", portId=f"swp{number}", portIdSubtype="ifname",
        systemName="leaf-row7-rack12.example.com",
    )  # fmt: skip
    return Interface(
        name=f"enp{number}s0f0np0", mac=f"02:00:00:00:00:{number:02x}", speed=400_000, carrier=True, bond="bond0",
        rdmaDevice=f"mlx5_{number}", neighbours=(neighbour,),
    )  # fmt: skip


def report(interfaces: int = 2) -> NodeReport:
    """A node with 8 HCAs, every field filled."""
    return NodeReport(
        ports=tuple(port(number) for number in range(8)),
        interfaces=tuple(interface(number) for number in range(interfaces)),
        nvlink=NvLink(clusterUuid="3f2c1b0a-0000-4000-8000-123456789abc", cliqueId=7, state="Completed"),
        probes=tuple(ProbeOutcome(name=name, outcome="Found") for name in ("sysfs", "netlink", "lldp", "nvlink")),
        bootId="0b9f6b1e-4a53-4b0e-8b55-2f1f3f0d9a11",
        heartbeat=NOON,
    )


def size(spec: NodeReport) -> int:
    return len(msgspec.json.encode(compact(spec)))


def test_a_node_with_eight_adapters_and_two_interfaces_fits_in_4_kb() -> None:
    assert size(report()) <= 4096


def test_each_further_interface_takes_at_most_400_bytes() -> None:
    assert size(report(interfaces=12)) - size(report(interfaces=2)) <= 10 * 400


def test_what_is_unknown_is_left_out_and_what_is_zero_or_false_stays() -> None:
    spec = NodeReport(interfaces=(Interface(name="eth0", carrier=False, speed=0),))
    assert compact(spec) == {"interfaces": [{"name": "eth0", "carrier": False, "speed": 0}]}


def test_the_compact_form_reads_back_as_the_report() -> None:
    assert msgspec.convert(compact(report()), NodeReport) == report()


def test_objects_have_the_names_and_the_labels_of_the_rules() -> None:
    switch = switch_object("sweeper-a", SwitchReport(guid=Guid("02"), systemImageGuid=Guid("2c5eab0300b87b40")))
    assert switch.document()["metadata"] == {
        "name": "ib-2c5eab0300b87b40",
        "labels": {"hyperscout.io/sweeper": "sweeper-a"},
    }
    assert node_object(NODE, report()).document()["metadata"] == {"name": "gpu-01"}
    sweep = sweep_object("sweeper-a", SweepReport(sequence=3, outcome="Complete")).document()
    assert (sweep["apiVersion"], sweep["kind"], sweep["metadata"]["name"]) == (
        "hyperscout.io/v1alpha1", "SweepReport", "sweeper-a",
    )  # fmt: skip


def written(report: ReportObject, at: float = 0.0) -> Written:
    return Written(report.content_hash(), at)


def test_a_report_that_was_never_written_is_due() -> None:
    assert is_due(node_object(NODE, report()), None, now=0, draw=0.5)


def test_a_change_is_due_at_once() -> None:
    old, new = report(), replace(report(), ports=report().ports[1:])
    assert is_due(node_object(NODE, new), written(node_object(NODE, old)), now=1, draw=0.5)


def test_a_new_heartbeat_alone_is_no_change() -> None:
    new = replace(report(), heartbeat=datetime(2026, 1, 1, 13, tzinfo=UTC))
    assert not is_due(node_object(NODE, new), written(node_object(NODE, report())), now=1, draw=0.5)


@given(st.floats(0, 1, exclude_max=True))
def test_a_heartbeat_comes_after_five_minutes_more_or_less_a_fifth(draw: float) -> None:
    same = node_object(NODE, report())
    assert not is_due(same, written(same), now=239.9, draw=draw)
    assert is_due(same, written(same), now=360, draw=draw)


def test_a_switch_report_has_no_heartbeat() -> None:
    same = switch_object("sweeper-a", SwitchReport(guid=Guid("2c5eab0300b87b40")))
    assert not is_due(same, written(same), now=1e9, draw=0.5)


def test_another_sweeper_is_another_content() -> None:
    spec = SwitchReport(guid=Guid("2c5eab0300b87b40"))
    assert switch_object("a", spec).content_hash() != switch_object("b", spec).content_hash()


async def test_publishing_writes_what_is_due_and_remembers_it() -> None:
    api, same = Recorder(), node_object(NODE, report())
    first = await publish(same, None, api, now=10, draw=0.5)
    second = await publish(same, first, api, now=20, draw=0.5)
    assert api.applied == [same]
    assert first == second == Written(same.content_hash(), 10)


async def test_a_refused_write_does_not_count() -> None:
    with pytest.raises(ConnectionError):
        await publish(node_object(NODE, report()), None, Recorder(refuses=True), now=10, draw=0.5)


def test_the_edge_stays_small() -> None:
    """The agent runs on every node: publishing loads neither numpy nor anything else that is large."""
    code = (
        "import sys, agent.publishing; "
        "print(sorted({'numpy', 'pydantic', 'kubernetes', 'typer', 'rich'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
