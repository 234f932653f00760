"""Who is at the other end of each port, from the words of nodes and switches."""

from __future__ import annotations

from dataclasses import replace

from discovery.ethernet import tell
from discovery.identity import ChassisId
from discovery.reports import HOST, REPORTED_BY_PEER, Neighbour, Peer
from tests.discovery.ethernet.evidence import (
    cables,
    chassis,
    guid_of,
    heard,
    host,
    mac,
    node,
    own,
    peer_switch,
    switch,
    told,
)


def test_a_switch_that_only_nodes_hear_is_a_switch_all_the_same() -> None:
    result = told([node("n1", 1, heard(1, "swp1")), node("n2", 2, heard(1, "swp2"))])
    assert cables(result) == {"leaf-1": [(1, "n1 mlx5_0", REPORTED_BY_PEER), (2, "n2 mlx5_0", REPORTED_BY_PEER)]}
    assert list(result.reports) == ["eth-aabbcc000001"]
    peer = result.reports["eth-aabbcc000001"].ports[0].peer
    assert peer is not None
    assert (peer.kind, peer.guid, peer.port) == (HOST, guid_of(1), 1)


def test_a_port_is_the_same_one_whoever_tells_of_it() -> None:
    """The switch counts it as 1001; what it is called decides."""
    both = told([node("n1", 1, heard(1, "swp1"))], switch(1, swp1=host(1)))
    assert cables(both) == {"leaf-1": [(1, "n1 mlx5_0", None)]}


def test_one_end_is_enough() -> None:
    assert cables(told([node("n1", 1)], switch(1, swp1=host(1)))) == {"leaf-1": [(1, "n1 mlx5_0", None)]}
    assert cables(told([node("n1", 1, heard(1, "swp1"))], switch(1, swp1=None))) == {
        "leaf-1": [(1, "n1 mlx5_0", REPORTED_BY_PEER)]
    }


def test_ends_that_disagree_both_stand_and_the_own_word_of_the_switch_comes_last() -> None:
    result = told([node("n1", 1, heard(1, "swp1")), node("n2", 2)], switch(1, swp1=host(2)))
    assert cables(result) == {"leaf-1": [(1, "n1 mlx5_0", REPORTED_BY_PEER), (1, "n2 mlx5_0", None)]}


def test_the_firmware_of_an_adapter_and_the_system_above_it_are_one_neighbour() -> None:
    system = Peer(kind=HOST, chassisId=ChassisId(mac(77)), portId="eth1", description="n1")
    result = told([node("n1", 1)], switch(1, swp1=(host(1), system)))
    assert cables(result) == {"leaf-1": [(1, "n1 mlx5_0", None)]}


def test_a_node_is_known_by_its_macs_even_where_it_calls_itself_a_switch() -> None:
    bridge = replace(host(1), kind="Switch")
    assert cables(told([node("n1", 1)], switch(1, swp1=bridge))) == {"leaf-1": [(1, "n1 mlx5_0", None)]}


def test_an_interface_of_a_node_that_is_no_end_makes_no_cable() -> None:
    management = Peer(kind=HOST, chassisId=ChassisId(mac(77)), portId="eno1", description="n1.example")
    assert cables(told([node("n1", 1)], switch(1, swp1=management))) == {"leaf-1": [(1, None, None)]}


def test_of_several_switches_on_one_port_none_is_believed_unless_it_confirms_it() -> None:
    both = (peer_switch(2, "swp7"), peer_switch(3, "swp7"))
    assert cables(told([], switch(1, swp1=both), switch(2, swp7=None), switch(3, swp7=None))) == {
        "leaf-1": [(1, None, None)],
        "leaf-2": [(7, None, None)],
        "leaf-3": [(7, None, None)],
    }
    confirmed = told([], switch(1, swp1=both), switch(2, swp7=peer_switch(1, "swp1")), switch(3, swp7=None))
    assert cables(confirmed)["leaf-1"] == [(1, "leaf-2", None)]


def test_of_several_switches_that_a_node_hears_the_one_that_hears_the_node_counts() -> None:
    confused = node("n1", 1, heard(1, "swp1"), heard(2, "swp9"))
    assert cables(told([confused])) == {}
    assert cables(told([confused], switch(2, swp9=host(1)))) == {"leaf-2": [(9, "n1 mlx5_0", None)]}


def test_an_uplink_is_there_by_the_word_of_either_switch() -> None:
    result = told([], switch(1, swp49=peer_switch(9, "swp1")))
    assert cables(result) == {"leaf-1": [(49, "leaf-9", None)], "leaf-9": [(1, "leaf-1", REPORTED_BY_PEER)]}


def test_the_management_ports_of_switches_join_nothing() -> None:
    result = told([], switch(1, mgmt0=peer_switch(9, "swp1"), swp1=peer_switch(8, "eth0")))
    assert {name: [peer for _, peer, _ in ports] for name, ports in cables(result).items()} == {"leaf-1": [None, None]}


def test_hosts_that_are_no_nodes_hang_on_their_switch() -> None:
    server = Peer(kind=HOST, chassisId=ChassisId(mac(90)), portId="enp1s0", description="storage-01")
    assert cables(told([], switch(1, swp1=server))) == {"leaf-1": [(1, "storage-01", None)]}


def test_last_words_of_a_switch_count_only_where_nobody_else_tells_of_it() -> None:
    reports = [own(switch(1, swp1=host(2), swp2=host(3)))]
    alone = tell([node("n2", 2), node("n3", 3)], reports, frozenset({chassis(1)}))
    assert cables(alone) == {"leaf-1": [(1, "n2 mlx5_0", None), (2, "n3 mlx5_0", None)]}
    named = tell([node("n2", 2), node("n3", 3, heard(1, "swp1"))], reports, frozenset({chassis(1)}))
    assert cables(named) == {"leaf-1": [(1, "n3 mlx5_0", REPORTED_BY_PEER), (2, None, None)]}


def test_without_identity_there_is_no_neighbour() -> None:
    nameless = Neighbour(chassisId=ChassisId("00:00:00:00:00:00"), portId="swp1", systemName="leaf-1")
    assert cables(told([node("n1", 1, nameless)])) == {}
