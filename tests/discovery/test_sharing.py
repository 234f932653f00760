"""Reports with shared words are the same reports."""

from __future__ import annotations

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.identity import ChassisId, Guid
from discovery.reports import HOST, UP, Interface, Neighbour, NodeReport, Peer, Port, SwitchPort, SwitchReport
from discovery.sharing import share_node, share_switch

GUID = Guid("00000000000000aa")


@settings(max_examples=30, deadline=None)
@given(st.from_type(SwitchReport))
def test_a_switch_report_stays_equal_in_every_field(report: SwitchReport) -> None:
    assert share_switch(report) == report


@settings(max_examples=30, deadline=None)
@given(st.from_type(NodeReport))
def test_a_node_report_stays_equal_in_every_field(report: NodeReport) -> None:
    assert share_node(report) == report


def test_what_two_reports_say_alike_is_one_text() -> None:
    port = SwitchPort(number=1, speed="NDR", verdict=UP, peer=Peer(kind=HOST, guid=GUID, description="node-1 mlx5_0"))
    body = msgspec.json.encode(SwitchReport(ports=(port,)))
    one, other = (share_switch(msgspec.json.decode(body, type=SwitchReport)).ports[0] for _ in range(2))
    assert one.peer is not None
    assert other.peer is not None
    assert one.peer.guid is other.peer.guid
    assert one.peer.description is other.peer.description
    assert one.speed is other.speed
    body = msgspec.json.encode(NodeReport(ports=(Port(device="mlx5_0", port=1, nodeGuid=GUID),)))
    assert share_node(msgspec.json.decode(body, type=NodeReport)).ports[0].nodeGuid is one.peer.guid


def test_a_switch_that_many_nodes_hear_is_one_text() -> None:
    heard = Neighbour(chassisId=ChassisId("aa:bb:cc:00:00:01"), portId="swp1", systemName="leaf-01")
    body = msgspec.json.encode(NodeReport(interfaces=(Interface(name="eth0", neighbours=(heard,)),)))
    one, other = (share_node(msgspec.json.decode(body, type=NodeReport)).interfaces[0] for _ in range(2))
    assert one == other
    assert one.neighbours[0].chassisId is other.neighbours[0].chassisId
    assert one.neighbours[0].systemName is other.neighbours[0].systemName
