"""Self-links, links within a level, islands, partial scans."""

from __future__ import annotations

from tests.topology.anomalies.site import Site, Trunk, clos, racks


def test_a_cable_from_a_switch_to_itself_is_named_with_both_ports() -> None:
    site = racks()
    site.trunks += [Trunk("rack1", 60, "rack1", 61), Trunk("rack1", 62, "rack1", 63)]
    assert [found.where for found in site.find("self-link")] == [
        (site.switch_end("rack1", 60), site.switch_end("rack1", 61)),
        (site.switch_end("rack1", 62), site.switch_end("rack1", 63)),
    ]


def test_a_link_between_two_leaves_of_different_hosts_is_named_once_with_all_its_cables() -> None:
    site = clos()
    site.trunks += [Trunk("l1", 60, "l2", 61), Trunk("l2", 62, "l1", 63)]
    [found] = site.find()
    assert (found.kind, found.severity) == ("same-level-link", "warning")
    assert set(found.where) == {
        site.switch_end("l1", 60), site.switch_end("l2", 61), site.switch_end("l2", 62), site.switch_end("l1", 63),
    }  # fmt: skip


def test_a_peer_link_of_two_switches_of_one_domain_is_no_finding() -> None:
    site = clos()
    site.trunks.append(Trunk("s1", 60, "s2", 60))
    assert site.find() == []


def test_a_peer_link_of_two_shared_leaves_with_the_same_hosts_is_no_finding() -> None:
    site = clos()
    for name in ("store-a", "store-b"):
        site.switch(name, "none", shared=True)
        for leaf in range(4):
            site.cable(f"l{leaf}-h0", f"mlx5_{name}", name, leaf + 1)
    site.trunks.append(Trunk("store-a", 60, "store-b", 60))
    assert site.find("same-level-link") == []
    site.trunks.append(Trunk("store-a", 61, "l7", 61))
    [found] = site.find("same-level-link")
    assert {end.name for end in found.where} == {"store-a", "l7"}


def test_a_mesh_is_one_info_and_no_same_level_links() -> None:
    site = racks(count=4)
    for a in range(4):
        for b in range(a):
            site.join(f"rack{a}", f"rack{b}")
    site.meshes.add("ib")
    [found] = site.find()
    assert (found.kind, found.severity, found.fabric) == ("not-a-tree", "info", "ib")
    assert "4 of 4 switches" in found.detail
    assert len(found.where) == 12


def test_a_leaf_that_has_lost_all_its_uplinks_is_an_island() -> None:
    site = clos()
    site.trunks = [trunk for trunk in site.trunks if "l3" not in (trunk.a, trunk.b)]
    [found] = site.find("island")
    assert found.severity == "warning"
    assert found.where == (site.switch_end("l3"),)
    assert "4 hosts" in found.detail


def test_planes_of_one_fabric_are_no_islands_and_a_piece_beside_them_is() -> None:
    site = Site(planes=2, joined=False)
    for plane in range(2):
        site.switch(f"s{plane}", f"spines {plane}", 1)
        for leaf in range(3):
            site.switch(f"p{plane}l{leaf}", f"leaf {leaf}")
            site.join(f"p{plane}l{leaf}", f"s{plane}")
            for host in range(4):
                site.cable(f"l{leaf}h{host}", f"mlx5_{plane}", f"p{plane}l{leaf}", host + 1)
    assert site.find() == []
    site.cut("p1l2", "s1")
    assert [found.where for found in site.find("island")] == [(site.switch_end("p1l2"),)]


def with_second_fabric(hosts: int, model: int = 0xD2F2) -> Site:
    site = clos()
    site.switch("far", "far", fabric="ib2", model=model)
    for host in range(hosts):
        site.cable(f"far{host}", "mlx5_0", "far", host + 1)
    return site


def test_a_small_fabric_of_the_same_make_with_hosts_of_its_own_is_an_island() -> None:
    [found] = with_second_fabric(hosts=4).find()
    assert (found.kind, found.fabric) == ("island", "ib2")
    assert "4 hosts" in found.detail


def test_a_fabric_of_another_make_or_of_its_own_size_is_no_island() -> None:
    assert with_second_fabric(hosts=4, model=0xD2F0).find() == []
    assert with_second_fabric(hosts=30).find() == []


def test_a_storage_fabric_of_hosts_that_are_elsewhere_too_is_no_island() -> None:
    site = clos()
    site.switch("store", "store", fabric="ib2")
    for leaf in range(8):
        site.cable(f"l{leaf}-h0", "mlx5_1", "store", leaf + 1)
    assert site.find() == []


def test_a_scan_that_did_not_reach_everything_says_so() -> None:
    site = clos()
    site.complete = False
    [found] = site.find()
    assert (found.kind, found.severity, found.where) == ("partial-scan", "warning", ())
