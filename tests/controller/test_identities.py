"""By which names a Node goes, and whose a port is that several reports claim."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import msgspec
import pytest

from controller.conclusion.findings import told_at
from controller.conclusion.identities import node_aliases, port_claims
from controller.conclusion.memory import Memory
from controller.conclusion.reading import Named, Owned, read_named, read_owned
from controller.decide import decide
from controller.settings import ControllerSettings
from discovery.identity import Guid
from discovery.reports import NodeReport, Port
from kube.types import Node, NodeAddress, NodeReportObject, NodeStatus, ObjectMeta
from tests.controller.looking import members
from tests.controller.site import MORNING, Site, meta
from topology.cluster import Claim

GUID = Guid("00000000000000aa")


def named(nodes: list[Node]) -> list[Named]:
    return [read_named(node) for node in nodes]


def owned(reports: list[NodeReportObject]) -> list[Owned]:
    return [read_owned(report) for report in reports]


def node(name: str, label: str = "", *addresses: str) -> Node:
    labels = {"kubernetes.io/hostname": label} if label else {}
    found = (
        NodeAddress(type="InternalIP", address="10.0.0.1"),
        *(NodeAddress(type="Hostname", address=a) for a in addresses),
    )
    return Node(metadata=meta(name, labels), status=NodeStatus(addresses=found))


def report(name: str, born: float, adapter: str, port: int = 1) -> NodeReportObject:
    """A report that was made so many seconds after the morning and claims the port."""
    claimed = Port(device="mlx5_0", port=port, nodeGuid=Guid(adapter), portGuid=GUID)
    metadata = ObjectMeta(name=name, creation_timestamp=MORNING + timedelta(seconds=born))
    return NodeReportObject(metadata=metadata, spec=NodeReport(ports=(claimed,)))


def test_labels_and_hostname_addresses_are_names_of_a_node_and_other_addresses_are_none() -> None:
    nodes = [node("ip-1", "GPU-1", "gpu-1.rack.local"), node("ip-2")]
    assert node_aliases(named(nodes)) == {"ip-1": "ip-1", "gpu-1": "ip-1", "gpu-1.rack.local": "ip-1", "ip-2": "ip-2"}


def test_a_name_that_several_nodes_have_leads_to_none_of_them() -> None:
    nodes = [node("ip-1", "gpu"), node("ip-2", "gpu"), node("ip-3", "", "gpu")]
    assert node_aliases(named(nodes))["gpu"] is None


def test_hosts_are_nodes_by_the_names_that_only_labels_know() -> None:
    site = Site()
    hosts = list(site.nodes)
    site.nodes = [f"ip-{number}" for number in range(len(hosts))]
    site.sweep()
    labelled = tuple(node(name, host.upper()) for name, host in zip(site.nodes, hosts, strict=True))
    snapshot = replace(site.snapshot(), nodes=labelled, node_reports=())
    outcome = decide(Memory(started=0.0), snapshot, 1.0, ControllerSettings()).outcome
    assert outcome is not None
    assert members(outcome)["ib-leaf-cf-leaf-001"] == ("ip-0", "ip-1", "ip-2")


def test_a_port_that_two_reports_claim_stays_with_the_older_report() -> None:
    reports = [report("a", 5.0, "00000000000000a1", port=2), report("b", 0.0, "00000000000000b1")]
    claims = port_claims(owned(reports), frozenset("ab"), {}, {})
    assert claims.holder == {0xAA: "b"}
    assert claims.contested == {0xAA: (Claim("b", 0xB1, 1), Claim("a", 0xA1, 2))}


def test_where_nobody_is_known_to_have_had_a_port_first_neither_report_of_it_counts() -> None:
    reports = owned([report("a", 5.0, "00000000000000a1"), report("b", 0.0, "00000000000000b1")])
    claims = port_claims(reports, frozenset("ab"), {}, {})
    assert {node for node, _ in claims.refused} == {"a", "b"}
    assert claims.settled == {}
    again = port_claims(reports, frozenset("ab"), claims.settled, {})
    assert again.refused == claims.refused


def test_an_adapter_that_two_reports_claim_stays_with_who_held_it_whatever_ports_it_is_said_to_have() -> None:
    true, forged = report("b", 5.0, "00000000000000b1"), report("a", 0.0, "00000000000000b1")
    [port] = forged.spec.ports
    forged = msgspec.structs.replace(forged, spec=NodeReport(ports=(replace(port, portGuid=Guid("0000000000000077")),)))
    claims = port_claims(owned([forged, true]), frozenset("ab"), {0xAA: "b", 0xB1: "b"}, {})
    assert claims.holder == {0xAA: "b", 0xB1: "b"}
    assert {node for node, _ in claims.refused} == {"a"}
    assert [claim.node for claim in claims.contested[0xB1]] == ["b", "a"]


def test_a_report_of_no_node_of_ours_has_nothing_that_one_of_ours_has() -> None:
    reports = owned([report("a", 5.0, "00000000000000a1"), report("gone", 0.0, "00000000000000b1")])
    claims = port_claims(reports, frozenset("a"), {}, {})
    assert (claims.holder[0xAA], {node for node, _ in claims.refused}) == ("a", {"gone"})


def test_a_port_stays_with_who_held_it_last_even_if_an_older_report_claims_it_now() -> None:
    reports = [report("a", 5.0, "00000000000000a1"), report("b", 0.0, "00000000000000b1")]
    claims = port_claims(owned(reports), frozenset("ab"), {0xAA: "a"}, {})
    assert claims.holder == {0xAA: "a", 0xA1: "a"}
    assert [claim.node for claim in claims.contested[0xAA]] == ["a", "b"]
    assert port_claims(owned(reports), frozenset("b"), {0xAA: "a"}, {}).contested == {}


def test_a_contested_port_is_told_once_at_the_node_that_does_not_have_it() -> None:
    site = Site()
    site.sweep()
    snapshot = site.snapshot()
    first, second = snapshot.node_reports[:2]
    stolen = replace(second.spec, ports=(first.spec.ports[0], *second.spec.ports[1:]))
    reports = (first, msgspec.structs.replace(second, spec=stolen), *snapshot.node_reports[2:])
    snapshot = replace(snapshot, node_reports=reports)
    settings = ControllerSettings()
    decision = decide(Memory(started=0.0), snapshot, 1.0, settings)
    assert decision.outcome is not None
    [told] = told_at(snapshot, decision.outcome.news)
    assert (told.about.kind, told.about.name, told.type, told.reason) == (
        "Node", "node-00001", "Warning", "DuplicateGuid",
    )  # fmt: skip
    assert "claimed by the reports of node-00000 and node-00001" in told.message
    again = decide(decision.memory, snapshot, 2.0, settings)
    assert again.outcome is not None
    assert again.outcome.news == frozenset()


def test_a_port_that_two_reports_claim_is_the_one_s_that_the_fabric_names_even_if_the_other_held_it() -> None:
    reports = [report("a", 5.0, "00000000000000a1"), report("b", 0.0, "00000000000000b1")]
    claims = port_claims(owned(reports), frozenset("ab"), {0xAA: "b"}, {0xAA: "a"})
    assert claims.holder == {0xAA: "a", 0xA1: "a"}
    assert {node for node, _ in claims.refused} == {"b"}


def test_where_names_were_exchanged_the_reports_count() -> None:
    """The fabric still calls each adapter by the name of the other node."""
    reports = [report("a", 0.0, "00000000000000a1")]
    assert port_claims(owned(reports), frozenset("ab"), {}, {0xAA: "b"}).holder == {0xAA: "a", 0xA1: "a"}


@pytest.mark.parametrize("restarted", [True, False])
def test_a_report_that_claims_every_port_of_others_moves_judges_and_hides_nothing(restarted: bool) -> None:
    """The oldest report by name claims all ports of all nodes, as up; a cable of another node is cut."""
    site = Site()
    site.sweep()
    site.cut.add(site.host_cables("node-00003")[0])
    site.sweep()
    honest = site.snapshot()
    settings = ControllerSettings()
    decision = decide(Memory(started=0.0), honest, 1.0, settings)
    liar, *others = honest.node_reports
    stolen = [replace(port, verdict="Up", device=f"x{port.portGuid}") for one in others for port in one.spec.ports]
    claims = msgspec.structs.replace(liar, spec=replace(liar.spec, ports=(*liar.spec.ports, *stolen)))
    lying = replace(honest, node_reports=(claims, *others))
    memory = Memory(started=0.0) if restarted else decision.memory
    told = decide(memory, lying, 2.0, settings).outcome
    assert decision.outcome is not None
    assert told is not None
    assert told.desired == decision.outcome.desired
    assert told.placements == decision.outcome.placements
    assert told.health == decision.outcome.health


def test_ports_claimed_before_their_node_reports_are_its_own_once_it_does() -> None:
    site = Site()
    site.sweep()
    honest = site.snapshot()
    liar, *others = honest.node_reports
    late = others[-1]
    stolen = [replace(port, device=f"x{port.portGuid}") for port in late.spec.ports]
    claims = msgspec.structs.replace(liar, spec=replace(liar.spec, ports=(*liar.spec.ports, *stolen)))
    first = decide(Memory(started=0.0), replace(honest, node_reports=(claims, *others[:-1])), 1.0, ControllerSettings())
    then = decide(first.memory, replace(honest, node_reports=(claims, *others)), 2.0, ControllerSettings())
    expected = decide(Memory(started=0.0), honest, 1.0, ControllerSettings()).outcome
    assert expected is not None
    assert then.outcome is not None
    assert then.outcome.placements == expected.placements
