"""The same fabric as columns, as text and as SwitchReports: reading it back gives the same scan and the same tree."""

from __future__ import annotations

import pytest

from discovery.conversion import switch_reports
from discovery.ibnetdiscover import parse
from discovery.reported import scan_from_reports
from discovery.scan import Scan
from topology.conclude import conclude
from topology.synth.damage import damage
from topology.synth.defects import Defects
from topology.synth.evidence import scan_of
from topology.synth.mesh import draw_mesh
from topology.synth.spec import XDR, Mesh, StorageLeaf, Tree, units_of
from topology.synth.text import write_text
from topology.synth.tree import draw_tree

DAMAGED = Defects(missing=0.02, rails_exchanged=0.02, hosts_exchanged=0.02, strays=2, factory_adapters=0.05)
DRAWINGS = {
    "three tiers": draw_tree(Tree(units_of(96, 16, 4), tiers=3, pod_units=3, storage_leaf=StorageLeaf(2, 3))),
    "damaged": damage(draw_tree(Tree(units_of(96, 16), spine_hosts=2)), DAMAGED),
    "director": draw_tree(Tree(units_of(100, 10, 2), wiring="classic", spines=6, box="director")),
    "xdr": draw_tree(Tree(units_of(32, 8, 4), planes=4, box="planes", hardware=XDR)),
    "dragonfly": draw_mesh(Mesh()),
}


def nodes(scan: Scan) -> dict[int, tuple[object, ...]]:
    rows = scan.nodes
    columns = (rows.system_guid, rows.kind, rows.vendor_id, rows.device_id, rows.port_count, rows.described)
    facts = zip(*(column.tolist() for column in columns), rows.description, strict=True)
    return dict(zip(rows.guid.tolist(), facts, strict=True))


def links(scan: Scan) -> set[tuple[object, ...]]:
    """Every cable, its ends in the order of their GUIDs."""
    rows, guid = scan.links, scan.nodes.guid
    a = zip(guid[rows.a_node].tolist(), rows.a_port.tolist(), rows.a_port_guid.tolist(), strict=True)
    b = zip(guid[rows.b_node].tolist(), rows.b_port.tolist(), rows.b_port_guid.tolist(), strict=True)
    facts = zip(rows.width.tolist(), rows.speed.tolist(), rows.reported_by.tolist(), strict=True)
    return {(*min(one, other), *max(one, other), *fact) for one, other, fact in zip(a, b, facts, strict=True)}


@pytest.mark.parametrize("name", DRAWINGS)
def test_text_reads_back_into_the_scan_that_it_was_written_from(name: str) -> None:
    scan = scan_of(DRAWINGS[name])
    for seed in (None, 1):
        read = parse(write_text(scan, shuffle_seed=seed), "synthetic")
        assert read.problems == ()
        assert read.complete
        assert len(read.links) == len(scan.links)
        assert nodes(read) == nodes(scan)
        assert links(read) == links(scan)


@pytest.mark.parametrize("name", DRAWINGS)
def test_switch_reports_lead_to_the_same_tree(name: str) -> None:
    scan = scan_of(DRAWINGS[name])
    direct, reported = conclude([scan]), conclude([scan_from_reports(switch_reports(scan))])
    assert reported.hierarchy == direct.hierarchy
