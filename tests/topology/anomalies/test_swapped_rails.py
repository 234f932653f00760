"""Cables on another rail of their own unit."""

from __future__ import annotations

from dataclasses import replace

from tests.topology.anomalies.site import racks, rail_units


def test_two_exchanged_rails_of_a_host_are_one_finding_with_both_ends_of_both_cables() -> None:
    site = rail_units()
    site.exchange(("u0-h3", "mlx5_1"), ("u0-h3", "mlx5_2"))
    [found] = site.find("swapped-rails")
    assert found.severity == "error"
    assert found.fabric == "ib"
    assert found.where == (
        site.host_end("u0-h3", "mlx5_1"),
        site.switch_end("u0-r2", 3),
        site.host_end("u0-h3", "mlx5_2"),
        site.switch_end("u0-r1", 3),
    )
    assert "u0-h3" in found.detail
    assert len(site.find()) == 1


def test_a_swapped_cable_is_named_although_its_partner_is_missing() -> None:
    site = rail_units()
    site.exchange(("u0-h3", "mlx5_1"), ("u0-h3", "mlx5_2"))
    site.drop("u0-h3", "mlx5_2")
    [found] = site.find("swapped-rails")
    assert found.where == site.ends("u0-h3", "mlx5_1")
    assert found.where[1] == site.switch_end("u0-r2", 3)


def test_three_rotated_cables_are_one_finding() -> None:
    site = rail_units()
    site.exchange(("u1-h1", "mlx5_0"), ("u1-h1", "mlx5_1"))
    site.exchange(("u1-h1", "mlx5_1"), ("u1-h1", "mlx5_2"))
    [found] = site.find("swapped-rails")
    assert {end.port for end in found.where} == {1}
    assert {end.name for end in found.where} == {"u1-h1", "u1-r0", "u1-r1", "u1-r2"}
    assert len(found.where) == 6


def test_cables_of_two_hosts_of_one_unit_on_each_others_rail_are_one_finding_a_host() -> None:
    site = rail_units()
    site.exchange(("u0-h1", "mlx5_0"), ("u0-h2", "mlx5_3"))
    assert [found.where for found in site.find("swapped-rails")] == [
        site.ends("u0-h1", "mlx5_0"),
        site.ends("u0-h2", "mlx5_3"),
    ]


def test_a_unit_of_three_hosts_gives_no_verdict_and_one_of_four_does() -> None:
    three, four = rail_units(hosts=3), rail_units(hosts=4)
    for site in (three, four):
        site.exchange(("u0-h3", "mlx5_1"), ("u0-h3", "mlx5_2"))
    assert three.find() == []
    assert [found.kind for found in four.find()] == ["swapped-rails"]


def test_two_dialects_of_device_names_vote_apart() -> None:
    """mlx5_0 is the first rail of four hosts and the last one of the four others, whose driver counts the other way."""
    site = rail_units()
    for host in (5, 6, 7, 8):
        for a, b in (("mlx5_0", "mlx5_3"), ("mlx5_1", "mlx5_2")):
            site.exchange((f"u0-h{host}", a), (f"u0-h{host}", b))
    for place, cable in enumerate(site.cables):
        if cable.host in {"u0-h5", "u0-h6", "u0-h7", "u0-h8"} and cable.device:
            site.cables[place] = replace(cable, device=f"HCA-{int(cable.device[-1]) + 1}")
    assert site.find() == []
    site.exchange(("u0-h6", "HCA-1"), ("u0-h6", "HCA-2"))
    [found] = site.find()
    assert set(found.where) == {*site.ends("u0-h6", "HCA-1"), *site.ends("u0-h6", "HCA-2")}


def test_a_host_that_lacks_a_cable_is_judged_with_its_like() -> None:
    site = rail_units(rails=8)
    site.drop("u0-h4", "mlx5_7")
    site.exchange(("u0-h4", "mlx5_1"), ("u0-h4", "mlx5_2"))
    assert [len(found.where) for found in site.find("swapped-rails")] == [4]


def test_a_host_with_one_cable_of_four_is_not_judged_by_the_device_name_it_shares() -> None:
    """A management host's mlx5_0 may hang on any rail."""
    site = rail_units()
    site.cable("ufm", "mlx5_0", "u0-r2", 30)
    assert site.find() == []


def test_hosts_that_are_cabled_either_way_by_design_have_no_rails() -> None:
    site = rail_units(units=1, hosts=8, rails=2)
    for host in (1, 2, 3, 4):
        site.exchange((f"u0-h{host}", "mlx5_0"), (f"u0-h{host}", "mlx5_1"))
    assert site.find() == []


def test_adapters_without_a_device_name_get_no_verdict() -> None:
    site = rail_units()
    site.exchange(("u0-h3", "mlx5_1"), ("u0-h3", "mlx5_2"))
    for place, cable in enumerate(site.cables):
        site.cables[place] = replace(cable, device=None, adapter=f"{cable.host} {cable.device}")
    assert site.find() == []


def test_classic_racks_have_no_rails_to_swap() -> None:
    site = racks()
    site.exchange(("rack0-h1", "mlx5_0"), ("rack0-h2", "mlx5_3"))
    assert site.find() == []


def test_the_second_port_of_an_adapter_has_a_rail_of_its_own() -> None:
    site = rail_units(units=1, rails=2)
    for host in range(1, 9):
        site.cable(f"u0-h{host}", "mlx5_0", "u0-r1", 20 + host, adapter_port=2)
    assert site.find("swapped-rails") == []
    second = next(place for place, cable in enumerate(site.cables) if cable.host == "u0-h2" and cable.adapter_port == 2)
    site.cables[second] = replace(site.cables[second], switch="u0-r0")
    [found] = site.find("swapped-rails")
    assert found.where == (site.host_end("u0-h2", "mlx5_0", 2), site.switch_end("u0-r0", 22))
    assert "mlx5_0 port 2" in found.detail
