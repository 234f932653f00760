"""Names and GUIDs that occur twice, hosts that no Node claims."""

from __future__ import annotations

from tests.topology.anomalies.site import clos, racks


def test_adapters_with_one_description_are_named_by_their_guids() -> None:
    site = racks()
    for port in (50, 51):
        site.cable("localhost", "mlx5_0", "rack0", port, adapter=str(port))
    site.duplicates = ["localhost mlx5_0"]
    [found] = site.find("duplicate-name")
    assert found.severity == "warning"
    assert found.fabric == "ib"
    assert found.where == (
        site.host_end("localhost", "mlx5_0", None, adapter="50"),
        site.host_end("localhost", "mlx5_0", None, adapter="51"),
    )
    assert "localhost mlx5_0" in found.detail


def test_a_port_with_two_cables_is_a_guid_that_occurs_twice() -> None:
    site = racks()
    site.cable("rack0-h1", "mlx5_0", "rack2", 60)
    [found] = site.find("duplicate-guid")
    assert found.severity == "error"
    assert site.switch_end("rack2", 60) in found.where
    assert site.switch_end("rack0", 5) in found.where


def test_ports_that_all_have_several_cables_are_planes() -> None:
    site = racks(count=2)
    for cable in list(site.cables):
        site.cable(cable.host, cable.device, cable.switch, cable.port + 100)
    assert site.find("duplicate-guid") == []


def test_hosts_that_are_none_of_the_nodes_are_one_info_with_the_first_ten_and_the_count() -> None:
    site = clos()
    site.nodes = {f"l{leaf}-h{host}": None for leaf in range(3) for host in range(4)}
    [found] = site.find()
    assert (found.kind, found.severity, found.fabric) == ("unclaimed-host", "info", "ib")
    assert len(found.where) == 10
    assert found.where[0] == site.host_end("l0-h0", "mlx5_0", None)
    assert "12 hosts" in found.detail


def test_without_nodes_to_compare_with_nothing_is_unclaimed() -> None:
    assert clos().find() == []


def test_adapters_without_a_host_name_are_not_unclaimed() -> None:
    site = clos()
    site.cable(None, None, "l0", 30, adapter="factory")
    assert site.find() == []
