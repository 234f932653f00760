"""Cables of one leaf that sit in each other's slots."""

from __future__ import annotations

from dataclasses import replace

from tests.topology.anomalies.site import racks, rail_units


def test_two_hosts_in_each_others_slot_on_one_leaf_are_info_with_all_four_ends() -> None:
    site = rail_units()
    site.exchange(("u0-h3", "mlx5_1"), ("u0-h4", "mlx5_1"))
    [found] = site.find()
    assert (found.kind, found.severity) == ("swapped-slots", "info")
    assert set(found.where) == {*site.ends("u0-h3", "mlx5_1"), *site.ends("u0-h4", "mlx5_1")}


def test_three_hosts_passed_round_are_one_finding() -> None:
    site = rail_units(hosts=16)
    site.exchange(("u0-h3", "mlx5_1"), ("u0-h4", "mlx5_1"))
    site.exchange(("u0-h3", "mlx5_1"), ("u0-h5", "mlx5_1"))
    [found] = site.find()
    assert {end.name for end in found.where} == {"u0-h3", "u0-h4", "u0-h5", "u0-r1"}


def test_a_partner_that_names_no_host_is_named_by_its_adapter() -> None:
    site = rail_units(hosts=16)
    site.exchange(("u0-h3", "mlx5_1"), ("u0-h4", "mlx5_1"))
    nameless = site.of("u0-h4", "mlx5_1")
    site.cables[site.cables.index(nameless)] = replace(nameless, host=None, device=None, adapter="factory")
    [found] = site.find("swapped-slots")
    assert set(found.where) == {
        *site.ends("u0-h3", "mlx5_1"),
        site.host_end(None, None, adapter="factory"),
        site.switch_end("u0-r1", 3),
    }


def test_a_cable_on_a_free_port_is_no_swap() -> None:
    site = rail_units()
    site.move("u0-h3", "mlx5_1", "u0-r1", 30)
    assert site.find() == []


def test_a_unit_without_the_custom_gives_no_verdict() -> None:
    site = rail_units()
    for host in (1, 3, 5, 7):
        site.exchange((f"u0-h{host}", "mlx5_1"), (f"u0-h{host + 1}", "mlx5_1"))
    assert site.find() == []


def test_racks_have_no_slots() -> None:
    site = racks()
    site.exchange(("rack0-h1", "mlx5_0"), ("rack0-h2", "mlx5_0"))
    assert site.find() == []
