"""The report kinds: JSON as the rules write it, read by msgspec, described by pydantic, tolerant of another version."""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime

import msgspec
import pytest
from pydantic import TypeAdapter

from discovery.identity import ChassisId, Guid, guid, switch_object_name
from discovery.reports import (
    NodeReport,
    NodeReportStatus,
    Peer,
    SweepReport,
    SwitchPort,
    SwitchReport,
    switch_report_name,
)

KINDS = (NodeReport, NodeReportStatus, SwitchReport, SweepReport)


def test_a_node_report_reads_the_json_of_the_rules() -> None:
    report = msgspec.json.decode(
        b"""{"ports": [{"device": "mlx5_0", "port": 1, "portGuid": "e09d7303007a4bd8", "linkLayer": "InfiniBand",
                        "state": "Active", "physicalState": "LinkUp", "width": 4, "speed": "NDR", "verdict": "Up"}],
             "interfaces": [{"name": "eth0", "mac": "02:00:00:00:00:01", "carrier": true,
                             "neighbours": [{"chassisId": "02:00:00:00:00:99", "portId": "swp1", "systemName": "t"}]}],
             "nvlink": {"clusterUuid": "d1c4", "cliqueId": 3, "state": "Completed"},
             "probes": [{"name": "sysfs", "outcome": "Found"}], "bootId": "b", "heartbeat": "2026-01-02T03:04:05Z"}""",
        type=NodeReport,
    )
    assert report.ports[0].portGuid == "e09d7303007a4bd8"
    assert report.ports[0].lastUp is None
    assert report.interfaces[0].neighbours[0].portId == "swp1"
    assert report.nvlink is not None
    assert report.nvlink.cliqueId == 3
    assert report.heartbeat == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_a_field_of_a_newer_agent_is_passed_over_and_one_that_an_older_agent_lacks_is_unknown() -> None:
    report = msgspec.json.decode(b'{"ports": [{"number": 1, "colour": "red"}], "colour": "red"}', type=SwitchReport)
    assert report == SwitchReport(ports=(SwitchPort(number=1),))
    assert report.ports[0].verdict == "Unknown"


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_names_exactly_the_fields_of_the_type(kind: type) -> None:
    schema = TypeAdapter(kind).json_schema()
    assert set(schema["properties"]) == {field.name for field in dataclasses.fields(kind)}


@pytest.mark.parametrize("kind", KINDS)
def test_no_value_is_an_enum_so_that_versions_may_differ(kind: type) -> None:
    assert '"enum"' not in json.dumps(TypeAdapter(kind).json_schema())


def test_attribute_docstrings_become_descriptions_also_in_nested_types() -> None:
    schema = TypeAdapter(SwitchReport).json_schema()
    assert schema["$defs"]["Peer"]["properties"]["kind"]["description"] == "Host, Switch, Router or Aggregation."


def test_a_report_survives_json() -> None:
    report = SwitchReport(
        guid=Guid("2c5eab0300b87b40"),
        ports=(SwitchPort(number=1, width=4, speed="NDR", verdict="Up", peer=Peer(kind="Host", port=1)),),
    )
    assert msgspec.json.decode(msgspec.json.encode(report), type=SwitchReport) == report


def test_switch_names() -> None:
    box, asic = Guid("2c5eab0300b87b40"), Guid("2c5eab0300b87b41")
    assert switch_report_name(SwitchReport(guid=asic, systemImageGuid=box)) == "ib-2c5eab0300b87b40"
    assert switch_report_name(SwitchReport(guid=asic, systemImageGuid=box), shares_box=True) == "ib-2c5eab0300b87b41"
    assert switch_report_name(SwitchReport(guid=asic)) == "ib-2c5eab0300b87b41"
    assert switch_report_name(SwitchReport(chassisId=ChassisId("44:38:39:FF:00:01"))) == "eth-443839ff0001"


@pytest.mark.parametrize("chassis", ["core switch 7", "00:00:00:00:00:00"])
def test_a_chassis_id_that_is_no_mac_is_hashed(chassis: str) -> None:
    name = switch_object_name(system_image=None, node=None, chassis=ChassisId(chassis), shares_box=False)
    assert name.startswith("sw-")
    assert name.removeprefix("sw-").isalnum()


def test_a_redacted_guid_is_hashed() -> None:
    assert switch_report_name(SwitchReport(guid=Guid("SWITCH_ONE"))).startswith("sw-")


def test_a_switch_without_identity_has_no_name() -> None:
    with pytest.raises(ValueError, match="without a GUID"):
        switch_report_name(SwitchReport(description="leaf01"))


def test_an_all_zero_guid_is_no_identity() -> None:
    assert guid(0) is None
    assert guid(0x2C903007B78B0) == "0002c903007b78b0"
