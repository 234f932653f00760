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
