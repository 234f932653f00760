"""Cables that run narrower or slower than their like."""

from __future__ import annotations

from dataclasses import replace

import pytest

from discovery.scan import Speed
from tests.topology.anomalies.site import Site, clos


def leaf_with_hosts(count: int, **more: object) -> Site:
    site = Site()
    site.switch("leaf", "leaf", **more)  # type: ignore[arg-type]  # a test's own keywords
    for host in range(count):
        site.cable(f"h{host}", "mlx5_0", "leaf", host + 1)
    return site


def slow(site: Site, host: str, width: int, speed: Speed) -> None:
    cable = site.of(host, "mlx5_0")
    site.cables[site.cables.index(cable)] = replace(cable, width=width, speed=speed)


@pytest.mark.parametrize(("width", "speed"), [(4, Speed.HDR), (2, Speed.NDR), (1, Speed.NDR)])
def test_a_cable_below_the_rate_of_its_like_is_named_with_both_ends(width: int, speed: Speed) -> None:
    site = leaf_with_hosts(8)
    slow(site, "h3", width, speed)
    [found] = site.find()
    assert (found.kind, found.severity) == ("degraded-link", "warning")
    assert found.where == site.ends("h3", "mlx5_0")
    assert f"{width}x{speed.name}" in found.detail
    assert "4xNDR" in found.detail


def test_four_like_cables_are_too_few_for_a_verdict_on_speed() -> None:
    site = leaf_with_hosts(4)
    slow(site, "h3", 4, Speed.HDR)
    assert site.find() == []


def test_one_lane_of_four_is_degraded_however_few_like_there_are() -> None:
    site = leaf_with_hosts(2)
    slow(site, "h1", 1, Speed.NDR)
    assert [found.where for found in site.find()] == [site.ends("h1", "mlx5_0")]


def test_without_a_clear_majority_there_is_no_verdict() -> None:
    site = leaf_with_hosts(10)
    for host in range(4):
        slow(site, f"h{host}", 4, Speed.HDR)
    assert site.find() == []


def test_another_model_of_adapter_is_judged_by_its_own_like() -> None:
    site = leaf_with_hosts(8)
    for host in range(8, 11):
        site.cable(f"h{host}", "mlx5_0", "leaf", host + 1, speed=Speed.HDR, adapter_model=0x101B)
    assert site.find() == []


@pytest.mark.parametrize("ports", [129, 81])
def test_two_lanes_on_a_split_switch_are_what_was_bought(ports: int) -> None:
    site = leaf_with_hosts(8, ports=ports)
    slow(site, "h3", 2, Speed.NDR)
    assert site.find() == []
    slow(site, "h4", 1, Speed.NDR)
    assert [found.where for found in site.find()] == [site.ends("h4", "mlx5_0")]


def test_a_switch_whose_cables_are_mostly_halves_is_split() -> None:
    site = leaf_with_hosts(8)
    site.switch("halves", "halves")
    for host in range(6):
        site.cable(f"half{host}", "mlx5_0", "halves", host + 1, width=2)
    assert site.find() == []


def test_unknown_rates_are_no_verdict() -> None:
    site = leaf_with_hosts(8)
    slow(site, "h3", 0, Speed.UNKNOWN)
    slow(site, "h4", 4, Speed.UNKNOWN)
    assert site.find() == []


def test_a_trunk_is_judged_by_trunks_of_the_same_levels() -> None:
    site = clos()
    site.trunks[5] = replace(site.trunks[5], speed=Speed.HDR)
    [found] = site.find()
    trunk = site.trunks[5]
    assert set(found.where) == {site.switch_end(trunk.a, trunk.a_port), site.switch_end(trunk.b, trunk.b_port)}


def test_many_degraded_cables_of_one_switch_are_one_finding() -> None:
    site = leaf_with_hosts(60)
    for host in range(17):
        slow(site, f"h{host}", 4, Speed.HDR)
    [found] = site.find()
    assert "17 cables" in found.detail
    assert len(found.where) == 34
