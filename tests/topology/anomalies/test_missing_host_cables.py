"""Host cables that like hosts have."""

from __future__ import annotations

from dataclasses import replace

from tests.topology.anomalies.site import racks, rail_units
from topology.anomaly import CableEnd


def test_a_host_without_a_cable_on_a_rail_of_its_like_is_named_with_the_leaf() -> None:
    site = rail_units(hosts=16)
    site.drop("u0-h4", "mlx5_2")
    [found] = site.find()
    assert (found.kind, found.severity) == ("missing-link", "warning")
    assert found.where == (site.switch_end("u0-r2"), CableEnd("u0-h4", None, None))
    assert "15 of 16" in found.detail
    assert "mlx5_2 of u0-h4" in found.detail


def test_hosts_that_lack_a_cable_on_one_leaf_are_one_finding() -> None:
    site = rail_units(hosts=20)
    site.drop("u1-h4", "mlx5_2")
    site.drop("u1-h9", "mlx5_2")
    [found] = site.find()
    assert [end.name for end in found.where] == ["u1-r2", "u1-h4", "u1-h9"]


def test_a_cable_that_hangs_elsewhere_is_not_missing() -> None:
    site = rail_units()
    site.move("u0-h4", "mlx5_2", "u1-r2", 30)
    assert [found.kind for found in site.find()] == ["stray-cable"]


def test_one_of_four_cables_to_the_leaf_of_a_rack_is_missed() -> None:
    site = racks()
    site.drop("rack1-h3", "mlx5_2")
    [found] = site.find()
    assert found.where == (site.switch_end("rack1"), CableEnd("rack1-h3", None, None))


def test_an_adapter_without_a_name_on_the_leaf_may_be_the_missing_one() -> None:
    site = rail_units()
    lost = site.of("u0-h4", "mlx5_2")
    site.cables[site.cables.index(lost)] = replace(lost, host=None, device=None, adapter="factory")
    assert site.find() == []


def test_a_rail_under_construction_is_one_finding_of_its_leaf() -> None:
    site = rail_units(units=4, hosts=16)
    for host in range(5, 17):
        site.drop(f"u2-h{host}", "mlx5_3")
    [found] = site.find()
    assert (found.kind, found.where[0]) == ("missing-link", site.switch_end("u2-r3"))
    assert "4 of 16" in found.detail
    assert len(found.where) == 13


def test_a_rail_under_construction_is_told_without_peers_where_the_other_rails_are_full() -> None:
    site = rail_units(units=1, hosts=16, rails=8)
    for host in range(7, 17):
        site.drop(f"u0-h{host}", "mlx5_5")
    [found] = site.find()
    assert found.where[0] == site.switch_end("u0-r5")


def test_some_hosts_with_one_more_adapter_make_the_others_lack_nothing() -> None:
    site = rail_units(units=4, hosts=16)
    for host in range(1, 6):
        site.cable(f"u0-h{host}", "mlx5_8", "u0-r0", 40 + host)
    assert site.find() == []


def test_a_finding_names_at_most_64_ends_and_keeps_its_sentence_short() -> None:
    site = rail_units(units=1, hosts=100, rails=8)
    for host in range(7, 101):
        site.drop(f"u0-h{host}", "mlx5_5")
    [found] = site.find()
    assert len(found.where) == 64
    assert len(found.detail) <= 500
    assert "6 of 100" in found.detail
