"""Units that are short of leaves, groups that are short of spines."""

from __future__ import annotations

from tests.topology.anomalies.site import Site, racks, rail_units


def without_leaf(site: Site, name: str) -> Site:
    """The site after a leaf died: it is not seen, and neither are its cables."""
    site.cables = [cable for cable in site.cables if cable.switch != name]
    site.trunks = [trunk for trunk in site.trunks if name not in (trunk.a, trunk.b)]
    site.switches = [switch for switch in site.switches if switch.name != name]
    del site.places[name]
    return site


def test_a_unit_with_three_of_four_rails_is_named_with_its_leaves_and_the_rail_that_lacks() -> None:
    site = without_leaf(rail_units(units=4), "u1-r2")
    [found] = site.find()
    assert (found.kind, found.severity) == ("missing-switch", "warning")
    assert [end.name for end in found.where] == ["u1-r0", "u1-r1", "u1-r3"]
    assert all(end.port is None for end in found.where)
    assert "3 of 4 switches" in found.detail
    assert "mlx5_2" in found.detail


def test_two_peers_do_not_make_a_custom() -> None:
    assert without_leaf(rail_units(units=3), "u1-r2").find() == []


def test_a_corner_with_a_few_management_hosts_is_no_unit_without_leaves() -> None:
    site = rail_units(units=4, hosts=16)
    site.switch("mgmt", "mgmt")
    for host in range(5):
        site.cable(f"login{host}", "mlx5_1", "mgmt", host + 1)
    assert site.find() == []


def test_a_unit_with_two_thirds_of_its_rails_uncabled_is_told_once() -> None:
    site = rail_units(units=5, rails=6)
    for rail in range(2, 6):
        without_leaf(site, f"u1-r{rail}")
    assert [found.kind for found in site.find()] == ["missing-switch"]


def test_racks_have_one_leaf_each_and_lack_none() -> None:
    assert racks(count=6).find() == []


def test_a_pod_with_fewer_spines_on_a_rail_than_the_other_rails_is_named() -> None:
    site = Site()
    for rail in range(4):
        for spine in range(3 if rail != 2 else 2):
            site.switch(f"s{rail}{spine}", "spines", 1)
    for unit in range(4):
        site.parents[f"unit {unit}"] = "spines"
        for rail in range(4):
            site.switch(f"l{unit}{rail}", f"unit {unit}")
            for spine in range(3 if rail != 2 else 2):
                site.join(f"l{unit}{rail}", f"s{rail}{spine}")
    [found] = site.find("missing-switch")
    assert [end.name for end in found.where] == ["s20", "s21"]
