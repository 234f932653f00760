"""A port GUID that the reports of two nodes claim stays with one of them, and is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.topology.wiring import fat_tree, guid_of, scan_of
from topology.anomaly import Anomaly
from topology.cluster import Claim, Cluster
from topology.conclude import conclude

GUID = guid_of("host:h0-0/HCA-1")
CLAIMS = (Claim("h0-0", GUID, 1), Claim("h1-0", 0xBEEF, 2))


def found(guid: int = GUID) -> Anomaly:
    """The finding about a port GUID that both nodes claim, where only h0-0 has a cable to it."""
    scan = scan_of(fat_tree(leaves=2, spines=2, hosts=2))
    a_host = np.array([text.startswith("h") for text in scan.nodes.description])
    guids = np.where(a_host, scan.nodes.guid, 0).astype(np.uint64)
    links = replace(scan.links, a_port_guid=guids[scan.links.a_node], b_port_guid=guids[scan.links.b_node])
    nodes = frozenset(["h0-0", "h0-1", "h1-0", "h1-1"])
    cluster = Cluster(nodes, port_guids={guid: "h0-0"}, contested={guid: CLAIMS})
    anomalies = conclude([replace(scan, links=links)], cluster).anomalies
    [one] = [anomaly for anomaly in anomalies if anomaly.kind == "duplicate-guid"]
    return one


def test_the_holder_comes_first_and_the_fabric_is_that_of_its_cable() -> None:
    one = found()
    assert [(end.name, end.guid, end.port) for end in one.where] == [
        ("h0-0", f"{GUID:016x}", 1), ("h1-0", "000000000000beef", 2),
    ]  # fmt: skip
    assert one.detail == (
        f"GUID {GUID:016x} is claimed by the reports of h0-0 and h1-0: it stays with h0-0, which had it first."
    )
    assert (one.severity, one.fabric) == ("error", "ib")


def test_a_port_that_no_scan_saw_is_named_without_a_fabric() -> None:
    assert found(guid=0x77).fabric is None
