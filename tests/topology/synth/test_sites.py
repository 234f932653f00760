"""Sites: NVLink racks, storage beside compute, and the fabric of the demo."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tests.topology.synth.checks import switches_by_level
from topology.synth.sites import compute_and_storage, demo_site, nvlink_racks
from topology.synth.spec import Tree, units_of


def test_racks_are_nvlink_domains_with_a_cluster_uuid_and_a_clique() -> None:
    domains = nvlink_racks([f"n{number}" for number in range(40)])
    assert sorted(Counter(domains.values()).values()) == [4, 18, 18]
    assert all(domain is not None and domain.endswith(".1") and len(domain) == 38 for domain in domains.values())


def test_storage_has_other_devices_and_the_same_hosts() -> None:
    compute, storage = compute_and_storage(Tree(units=units_of(64), spines=4), rack_hosts=24, servers=8)
    assert storage.hosts[:64] == compute.hosts
    assert len(storage.hosts) == 72
    assert not set(storage.nodes.guid.tolist()) & set(compute.nodes.guid.tolist())
    assert storage.nodes.description[0] == "node-00000 mlx5_8"
    assert set(storage.cables.speed.tolist()) == {7}


def test_the_demo_has_two_rows_of_three_racks_and_ten_nodes_outside() -> None:
    site = demo_site()
    (fabric,) = site.fabrics
    assert len(site.nodes) == 118
    assert len(set(site.nodes)) == 118
    assert site.nodes[0] == "node-region1-zone1-dc1-row1-rack01-node01"
    assert len(fabric.hosts) == 108
    assert not set(site.nodes[108:]) & set(fabric.hosts)
    assert switches_by_level(fabric) == {0: 8, 1: 4}
    assert np.bincount(fabric.host_unit).tolist() == [54, 54]
    rows = {name: "row1" in name for name in fabric.hosts}
    assert all((unit == 0) == rows[name] for name, unit in zip(fabric.hosts, fabric.host_unit.tolist(), strict=True))
    racks = {(name.rpartition("-")[0], domain) for name, domain in site.nvlink.items()}
    assert len(racks) == 6
    assert len(site.nvlink) == 108
    assert [len(scan.links) for scan in site.scans()] == [108 * 4 + 8 * 4 * 4 + 12]
