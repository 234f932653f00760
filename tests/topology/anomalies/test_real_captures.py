"""What is known to be wrong in real fabrics is found, and nothing else of its kind.

The truths are those of the captures' INDEX; pairs, ports and GUIDs were counted from the raw text by other means.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

from discovery.ibnetdiscover import parse
from topology.anomaly import Anomaly, CableEnd
from topology.conclude import Cluster, conclude

MISSING_ON_SUPERPOD = {
    # of the 279 pairs of 31 leaves and 9 spines: 10 without a cable, 6 with one of two
    ("01-01", "04"): 1, ("01-02", "01"): 0, ("01-02", "04"): 0, ("01-03", "04"): 0, ("01-05", "04"): 1,
    ("01-05", "08"): 1, ("01-07", "04"): 0, ("01-08", "06"): 1, ("02-03", "01"): 1, ("02-03", "06"): 0,
    ("02-04", "04"): 0, ("02-06", "07"): 0, ("03-07", "05"): 0, ("03-07", "06"): 1, ("04-02", "01"): 0,
    ("04-04", "01"): 0,
}  # fmt: skip

SELENE_LEAVES = {
    ("LG01-01", "CSPINE1-08"), ("LG03-06", "CSPINE1-56"), ("LG04-04", "CSPINE1-33"), ("LG05-07", "CSPINE1-68"),
    ("LG06-07", "CSPINE1-67"), ("LG10-02", "CSPINE2-13"), ("LG13-07", "CSPINE2-66"), ("LG14-04", "CSPINE2-35"),
    ("LG14-07", "CSPINE2-69"), ("LG18-04", "CSPINE3-35"), ("LG23-06", "CSPINE4-56"), ("LG27-04", "CSPINE4-37"),
    ("LG28-08", "CSPINE4-76"),
}  # fmt: skip
"""The 13 pairs of leaf and spine with one cable instead of two."""

SELENE_CORES = Counter({
    "CCORE2-006": 1, "CCORE2-008": 1, "CCORE1-005": 2, "CCORE1-043": 1, "CCORE1-061": 1, "CCORE1-081": 1,
    "CCORE1-101": 1, "CCORE2-012": 2, "CCORE2-014": 1, "CCORE2-060": 1, "CCORE2-092": 1, "CCORE2-094": 1,
    "CCORE2-114": 1, "CCORE2-118": 1,
})  # fmt: skip
"""The cores that lack spines of the 32 of their position: 4,464 cables where 140 cores with 32 each make 4,480."""


@cache
def found_in(path: Path, names: frozenset[str] | None = None) -> tuple[Anomaly, ...]:
    return conclude([parse(path.read_bytes(), path.name)], Cluster(names=names)).anomalies


def of_kind(found: tuple[Anomaly, ...], kind: str) -> list[Anomaly]:
    return [anomaly for anomaly in found if anomaly.kind == kind]


def names(anomaly: Anomaly) -> list[str | None]:
    return [end.name for end in anomaly.where]


def test_superpod_swapped_rails_have_both_ends_of_both_cables(shared_data: Path) -> None:
    [swapped] = of_kind(found_in(shared_data / "ib/superpod-ndr.txt"), "swapped-rails")
    host = "b08-p1-dgx-08-c01"
    assert swapped.where == (
        CableEnd(host, "e09d730300859464", 1),
        CableEnd("B09-P1-IBLEAF-04-08", "2c5eab0300c26540", 1),
        CableEnd(host, "e09d730300859468", 1),
        CableEnd("B09-P1-IBLEAF-03-08", "2c5eab0300c26400", 1),
    )


def test_superpod_lacks_sixteen_pairs_of_leaf_and_spine_and_no_host_cable(shared_data: Path) -> None:
    missing = of_kind(found_in(shared_data / "ib/superpod-ndr.txt"), "missing-link")
    pairs = {(str(names(one)[0])[-5:], str(names(one)[1])[-2:]): one for one in missing}
    assert pairs.keys() == MISSING_ON_SUPERPOD.keys()
    assert len(missing) == 16
    for pair, found in MISSING_ON_SUPERPOD.items():
        assert f"{found} cable" in pairs[pair].detail
        assert "2 expected" in pairs[pair].detail
        assert all(end.guid and end.port is None for end in pairs[pair].where)


def test_superpod_unit_one_lacks_its_third_leaf(shared_data: Path) -> None:
    [missing] = of_kind(found_in(shared_data / "ib/superpod-ndr.txt"), "missing-switch")
    assert [str(name)[-5:] for name in names(missing)] == ["01-01", "02-01", "04-01"]
    assert "3 of 4 switches" in missing.detail


def test_superpod_slots_are_swapped_inside_four_leaves(shared_data: Path) -> None:
    swapped = of_kind(found_in(shared_data / "ib/superpod-ndr.txt"), "swapped-slots")
    hosts = {str(one.where[1].name)[-5:]: {(end.name or end.guid) for end in one.where[::2]} for one in swapped}
    assert hosts == {
        "02-01": {"a05-p1-dgx-01-c12", "e09d73030037315c"},
        "04-01": {"a05-p1-dgx-01-c14", "e09d730300346144"},
        "01-06": {"b06-p1-dgx-06-c02", "e09d730300858f4c"},
        "02-06": {"b06-p1-dgx-06-c07", "b06-p1-dgx-06-c08"},
    }
    assert len(swapped) == 4


def test_superpod_has_nothing_else(shared_data: Path) -> None:
    kinds = Counter(one.kind for one in found_in(shared_data / "ib/superpod-ndr.txt"))
    assert kinds == {"swapped-rails": 1, "missing-link": 16, "missing-switch": 1, "swapped-slots": 4}


def test_selene_lacks_thirteen_cables_at_leaves_and_sixteen_at_cores_and_nothing_else(shared_data: Path) -> None:
    found = found_in(shared_data / "ib/selene-compute.txt")
    assert Counter(one.kind for one in found) == {"missing-link": 29}
    leaves = [one for one in found if str(names(one)[0]).startswith("LG")]
    cores = [one for one in found if str(names(one)[1]).startswith("CCORE")]
    assert {(str(names(one)[0]), str(names(one)[1])) for one in leaves} == SELENE_LEAVES
    assert all("1 cable found, 2 expected" in one.detail for one in leaves)
    assert Counter(str(names(one)[1]) for one in cores) == SELENE_CORES
    assert all("0 cables found, 1 expected" in one.detail for one in cores)


def test_selene_management_hosts_are_told_once_where_the_cluster_does_not_claim_them(shared_data: Path) -> None:
    path = shared_data / "ib/selene-compute.txt"
    nodes = frozenset(
        name.lower()
        for line in path.read_text().splitlines()
        if line.startswith("Ca\t") and (name := line.rsplit('# "', 1)[1].split()[0]).startswith("luna-")
    )
    assert len(nodes) == 458
    [unclaimed] = of_kind(found_in(path, nodes), "unclaimed-host")
    assert "11 hosts" in unclaimed.detail
    assert len(unclaimed.where) == 10
    assert unclaimed.severity == "info"


def test_two_qdr_spines_lack_one_cable(shared_data: Path) -> None:
    [missing] = found_in(shared_data / "ib/qdr-two-spines.topo")
    assert (missing.kind, names(missing)) == ("missing-link", ["ib1", "ib8"])
    assert "3 cables found, 4 expected" in missing.detail


def test_two_mixed_switches_have_two_self_links_and_one_host_on_both(shared_data: Path) -> None:
    found = found_in(shared_data / "ib/mixed-fdr-hdr.txt")
    ports = {tuple(end.port for end in one.where) for one in of_kind(found, "self-link")}
    assert ports == {(25, 26), (28, 29)}
    assert not of_kind(found, "stray-cable"), "r-dcs96 has two cables on each switch: it is meant to"
    beside = [one for one in found if one.kind in {"same-level-link", "not-a-tree"}]
    assert [{(end.name, end.port) for end in one.where} for one in beside] == [{("r-ufm-sw95", 3), ("r-ufm-sw226", 1)}]


def test_old_dumps_show_loops_and_single_lanes(shared_data: Path) -> None:
    third = found_in(shared_data / "ib/old-3.topo")
    assert {tuple(end.port for end in one.where) for one in of_kind(third, "self-link")} == {(1, 2), (19, 21), (29, 30)}
    first = of_kind(found_in(shared_data / "ib/old-1.topo"), "degraded-link")
    ends = {frozenset((end.guid, end.port) for end in one.where) for one in first}
    assert ends == {
        frozenset({("005442ba00003080", 10), ("0008f10400410015", 1)}),
        frozenset({("005442ba00003080", 12), ("0008f10403960558", 1)}),
    }
    for quiet in ("old-2.topo", "old-4.topo", "portlist-1.txt", "portlist-2.txt"):
        assert found_in(shared_data / "ib" / quiet) == ()
