"""Who is a host, and which Node it is."""

from __future__ import annotations

from topology.graph import Unplaced
from topology.hosts import Adapter, gather_hosts, match_names


def adapter(description: str, box: int = 0, claim: str | None = None) -> Adapter:
    return Adapter(description, box, claim)


def test_adapters_of_one_name_are_one_host_and_a_node_in_lower_case() -> None:
    found = gather_hosts([adapter("DGX-01 mlx5_0"), adapter("DGX-01 mlx5_1")], None)
    assert [(host.name, host.node) for host in found.hosts] == [("DGX-01", "dgx-01")]
    assert found.device_of_adapter == ["mlx5_0", "mlx5_1"]


def test_factory_descriptions_are_no_name_and_no_common_host() -> None:
    text = "MT4129 ConnectX7   Mellanox Technologies"
    found = gather_hosts([adapter(text, 1), adapter(text, 2)], None)
    assert [(host.name, host.node) for host in found.hosts] == [(None, None), (None, None)]


def test_functions_of_one_box_are_one_host_even_without_a_name() -> None:
    found = gather_hosts([adapter("MT4129 ConnectX7", 7), adapter("MT4129 ConnectX7", 7)], None)
    assert len(found.hosts) == 1


def test_one_description_on_two_adapters_is_placed_by_neither() -> None:
    found = gather_hosts([adapter("localhost HCA-1", 1), adapter("localhost HCA-1", 2), adapter("a HCA-1", 3)], None)
    assert found.duplicates == ((0, 1),)
    assert [host.node for host in found.hosts] == [None, None, "a"]


def test_a_claimed_port_decides_before_the_name_and_takes_the_host_along() -> None:
    found = gather_hosts(
        [adapter("old-name HCA-1", 1, claim="gpu-7"), adapter("old-name HCA-2", 2)], frozenset(["gpu-7", "old-name"])
    )
    assert [host.node for host in found.hosts] == ["gpu-7"]


def test_names_match_whole_first_and_then_up_to_the_first_dot() -> None:
    nodes = frozenset(["a", "b.cluster.local", "c", "c.two"])
    names = ["A.example.com", "b", "c", "d", None]
    assert match_names(names, nodes) == ["a", "b.cluster.local", "c", None, None]


def test_a_short_name_that_two_hosts_share_matches_nothing() -> None:
    assert match_names(["a.east", "a.west"], frozenset(["a"])) == [None, None]


def test_nodes_that_no_host_matches_are_said() -> None:
    found = gather_hosts([adapter("a HCA-1")], frozenset(["a", "b"]))
    assert found.unplaced == (Unplaced("b", "NoFabricPort"),)


def test_a_node_is_found_by_its_other_names_too_and_its_own_names_come_first() -> None:
    nodes = frozenset(["ip-10-0-0-1", "ip-10-0-0-2", "gpu-9"])
    aliases = {"gpu-1": "ip-10-0-0-1", "gpu-2.rack.local": "ip-10-0-0-2", "gpu-9": "ip-10-0-0-2"}
    names = ["GPU-1", "gpu-1.other.domain", "gpu-2", "gpu-9", "gpu-3"]
    assert match_names(names[:1], nodes, aliases) == ["ip-10-0-0-1"]
    assert match_names(names[1:], nodes, aliases) == ["ip-10-0-0-1", "ip-10-0-0-2", "gpu-9", None]


def test_a_name_that_several_nodes_have_or_a_node_that_is_none_of_the_clusters_matches_nothing() -> None:
    nodes = frozenset(["a", "b", "x.example"])
    assert match_names(["x", "y", "y.example"], nodes, {"x": None, "y": "elsewhere"}) == [None, None, None]


def test_a_short_name_may_lead_to_one_node_by_several_of_its_names() -> None:
    assert match_names(["a.ib"], frozenset(["a.cluster"]), {"a": "a.cluster", "a.rack": "a.cluster"}) == ["a.cluster"]
    assert match_names(["a.ib"], frozenset(["a.cluster", "b"]), {"a.rack": "b"}) == [None]


def test_hosts_that_are_one_node_by_two_names_are_one_host() -> None:
    adapters = [adapter("b HCA-1", 1), adapter("other HCA-1", 2), adapter("a HCA-2", 3)]
    found = gather_hosts(adapters, frozenset(["a", "other"]), {"b": "a"})
    assert [(host.name, host.node) for host in found.hosts] == [("a", "a"), ("other", "other")]
    assert found.host_of_adapter == [0, 1, 0]


def test_a_name_that_two_nodes_have_written_on_their_adapters_pulls_nobody_along() -> None:
    adapters = [
        adapter("localhost HCA-1", 1, claim="a"),
        adapter("localhost HCA-2", 2, claim="b"),
        adapter("localhost HCA-3", 3),
    ]
    found = gather_hosts(adapters, frozenset(["a", "b"]))
    assert [(host.name, host.node) for host in found.hosts] == [
        ("localhost", "a"), ("localhost", "b"), ("localhost", None),
    ]  # fmt: skip


def test_of_two_adapters_with_one_description_the_claimed_one_is_placed_and_the_other_is_not() -> None:
    found = gather_hosts([adapter("a HCA-1", 1, claim="a"), adapter("a HCA-1", 2)], frozenset(["a"]))
    assert found.duplicates == ((0, 1),)
    assert [host.node for host in found.hosts] == ["a", None]


def test_a_node_whose_name_stands_on_two_adapters_is_said_to_be_in_doubt() -> None:
    twins = [adapter("Node1 mlx5_0", 1), adapter("node1 mlx5_0", 2)]
    assert gather_hosts(twins, None).unplaced == (Unplaced("node1", "duplicate-name"),)
    assert gather_hosts(twins, frozenset(["node1", "b"])).unplaced == (
        Unplaced("b", "NoFabricPort"),
        Unplaced("node1", "duplicate-name"),
    )
