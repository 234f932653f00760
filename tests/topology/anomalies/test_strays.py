"""Cables in another domain than their host's."""

from __future__ import annotations

from tests.topology.anomalies.site import racks, rail_units


def test_exchanged_cables_of_hosts_of_two_units_are_one_finding_with_all_four_ends() -> None:
    site = rail_units()
    site.exchange(("u0-h3", "mlx5_1"), ("u1-h5", "mlx5_1"))
    [found] = site.find()
    assert found.kind == "swapped-cables"
    assert found.severity == "error"
    assert set(found.where) == {*site.ends("u0-h3", "mlx5_1"), *site.ends("u1-h5", "mlx5_1")}
    assert site.ends("u0-h3", "mlx5_1")[1] == site.switch_end("u1-r1", 5)


def test_cables_exchanged_between_two_racks_are_found_without_rails() -> None:
    site = racks()
    site.exchange(("rack0-h3", "mlx5_1"), ("rack2-h5", "mlx5_2"))
    [found] = site.find()
    assert found.kind == "swapped-cables"
    assert set(found.where) == {*site.ends("rack0-h3", "mlx5_1"), *site.ends("rack2-h5", "mlx5_2")}


def test_two_exchanges_between_two_units_are_paired_by_rail() -> None:
    site = rail_units()
    site.exchange(("u0-h3", "mlx5_1"), ("u1-h5", "mlx5_1"))
    site.exchange(("u0-h4", "mlx5_2"), ("u1-h6", "mlx5_2"))
    assert {frozenset(end.name for end in found.where) for found in site.find()} == {
        frozenset({"u0-h3", "u1-h5", "u0-r1", "u1-r1"}),
        frozenset({"u0-h4", "u1-h6", "u0-r2", "u1-r2"}),
    }


def test_one_cable_in_another_unit_is_a_stray() -> None:
    site = rail_units()
    site.move("u0-h3", "mlx5_1", "u1-r2", 30)
    [found] = site.find()
    assert found.kind == "stray-cable"
    assert found.where == (site.host_end("u0-h3", "mlx5_1"), site.switch_end("u1-r2", 30))
    assert "u0-r1" in found.detail  # where it belongs


def test_three_cables_passed_round_three_units_are_three_strays() -> None:
    site = rail_units(units=3)
    site.exchange(("u0-h1", "mlx5_0"), ("u1-h1", "mlx5_0"))
    site.exchange(("u0-h1", "mlx5_0"), ("u2-h1", "mlx5_0"))
    assert [found.kind for found in site.find()] == ["stray-cable"] * 3
    assert [end.name for found in site.find() for end in found.where[1:]] == ["u2-r0", "u0-r0", "u1-r0"]


def test_a_shared_leaf_makes_no_strays() -> None:
    site = rail_units()
    site.switch("storage", "none", shared=True)
    for unit in (0, 1):
        site.cable(f"u{unit}-h1", "mlx5_9", "storage", unit + 1)
    assert site.find() == []


def test_a_cable_in_another_fabric_is_no_stray() -> None:
    site = rail_units()
    site.switch("store", "store", fabric="storage")
    for host in range(1, 9):
        site.cable(f"u0-h{host}", "mlx5_9", "store", host)
    assert site.find() == []


def test_what_more_than_a_fifth_of_a_unit_does_is_design() -> None:
    """Three of eight storage hosts have their second cable in the neighbour rack."""
    site = racks(cables=2)
    for host in (0, 1, 2):
        site.move(f"rack0-h{host}", "mlx5_1", "rack1", 40 + host)
        site.cable(f"rack0-h{host}", "mlx5_2", "rack0", 50 + host)
    assert site.find("stray-cable", "swapped-cables") == []


def test_a_leaf_with_more_guests_than_hosts_of_its_own_serves_them_by_design() -> None:
    site = rail_units(units=6)
    site.switch("login", "login")
    for server in range(2):
        site.cable(f"login{server}", "mlx5_0", "login", server + 1)
    for unit in range(6):
        site.cable(f"u{unit}-h1", "mlx5_9", "login", 10 + unit)
    assert site.find("stray-cable", "swapped-cables") == []


def test_the_one_host_of_a_leaf_with_cables_in_two_domains_is_named() -> None:
    """One host alone makes no design."""
    site = racks(count=1)
    site.switch("small", "small")
    for number in range(3):
        site.cable("odd", f"mlx5_{number}", "small" if number < 2 else "rack0", 50 + number)
    [found] = site.find()
    assert found.kind == "stray-cable"
    assert found.where == (site.host_end("odd", "mlx5_2"), site.switch_end("rack0", 52))


def test_a_host_cable_on_a_spine_is_a_stray_of_a_host_that_has_a_leaf() -> None:
    site = rail_units()
    site.switch("spine", "spines", 1)
    site.move("u0-h3", "mlx5_1", "spine", 60)
    site.cable("ufm", "mlx5_0", "spine", 61)
    [found] = site.find("stray-cable")
    assert found.where == (site.host_end("u0-h3", "mlx5_1"), site.switch_end("spine", 60))
