"""Whatever fabric is concluded from, however damaged: a tree by the rules, every node accounted for, and always the
same one, in whatever order and in however many scans the fabric was seen."""

from __future__ import annotations

from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.scan import NodeKind, Scan
from tests.topology.concluding import broken_rules, differences, shuffled, two_views
from tests.topology.wiring import scan_of as scan_by_hand
from topology.conclude import Cluster, Conclusion, conclude
from topology.synth.damage import damage
from topology.synth.defects import Construction, Defects, SwitchNames
from topology.synth.evidence import scan_of
from topology.synth.mesh import draw_mesh
from topology.synth.spec import Box, Mesh, StorageLeaf, Tree, Unit, Wiring
from topology.synth.tree import draw_tree

WIRINGS: tuple[Wiring, ...] = ("rails", "rail-only", "classic")
BOXES: tuple[Box, ...] = ("asic", "planes", "director")
NAMES: tuple[SwitchNames, ...] = ("good", "factory", "product")
TIERS: tuple[Literal[1, 2, 3], ...] = (1, 2, 3)

CABLE = st.one_of(
    st.builds("s{} s{} x{}".format, st.integers(0, 7), st.integers(0, 7), st.integers(1, 3)),
    st.builds("s{} host:h{}/mlx5_{}".format, st.integers(0, 7), st.integers(0, 9), st.integers(0, 3)),
    st.builds("s{} host:MT4129/ConnectX7/{}".format, st.integers(0, 7), st.integers(0, 3)),
)


@st.composite
def damaged_trees(draw: st.DrawFn) -> Scan:
    """Fat trees with few hosts and many defects."""
    wiring = draw(st.sampled_from(WIRINGS))
    sizes = draw(st.lists(st.integers(1, 8), min_size=1, max_size=6))
    adapters = draw(st.sampled_from([1, 2, 4]))
    tiers = draw(st.sampled_from(TIERS))
    spec = Tree(
        tuple(Unit(size, adapters) for size in sizes),
        wiring=wiring,
        tiers=tiers,
        pod_units=draw(st.integers(1, 3)),
        spines=draw(st.integers(1, 3)),
        trunk=draw(st.integers(1, 2)),
        cores=draw(st.integers(1, 2)),
        planes=draw(st.sampled_from([1, 1, 2, 4])),
        box=draw(st.sampled_from(BOXES)),
        storage_leaf=draw(st.sampled_from([None, None, StorageLeaf(units=2, servers=2)])),
        spine_hosts=draw(st.integers(0, 2)) if tiers > 1 else 0,
        aggregation=draw(st.booleans()),
        seed=draw(st.integers(0, 99)),
    )
    unit = draw(st.integers(0, len(sizes) - 1))
    share = st.sampled_from([0.0, 0.05, 0.2, 0.5])
    defects = Defects(
        missing=draw(share),
        missing_host=draw(share),
        dead_leaves=draw(st.integers(0, 2)),
        dead_spines=draw(st.integers(0, 2)),
        cut_off=draw(st.sampled_from([(), (unit,)])),
        switch_names=draw(st.sampled_from(NAMES)),
        factory_adapters=draw(share),
        construction=draw(st.sampled_from([None, Construction(unit, (0,), 2, (1,))])),
        strays=draw(st.integers(0, 2)) if len(sizes) > 1 else 0,
        seed=draw(st.integers(0, 99)),
    )
    return scan_of(damage(draw_tree(spec), defects))


@st.composite
def meshes(draw: st.DrawFn) -> Scan:
    spec = Mesh(
        draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.integers(0, 3)), leaf_hosts=draw(st.integers(0, 4))
    )
    return scan_of(damage(draw_mesh(spec), Defects(missing=draw(st.sampled_from([0.0, 0.2])))))


SCANS = st.one_of(damaged_trees(), damaged_trees(), meshes(), st.lists(CABLE, max_size=40).map(scan_by_hand))


def hosts_of(scan: Scan) -> list[str]:
    """The first words of all adapters' descriptions, sorted."""
    texts = zip(scan.nodes.description, scan.nodes.kind.tolist(), strict=True)
    return sorted({text.split()[0].lower() for text, kind in texts if kind == NodeKind.HOST and " mlx5_" in text})


@st.composite
def clusters(draw: st.DrawFn, scan: Scan) -> Cluster:
    """Some or all hosts are nodes, with one that no cable leads to; many are in NVLink domains.

    Where nodes are known, some adapters may be claimed by others than they are called, and nodes may have more names.
    """
    hosts = hosts_of(scan)
    kept = draw(st.integers(0, 3))
    names = frozenset(host for number, host in enumerate(hosts) if number % 4 <= kept) | {"elsewhere"}
    size, known = draw(st.integers(1, 9)), draw(st.booleans())
    racks: dict[str, str | None] = {
        host: f"0000000{number // size % 3}-0000-{number // size}.1" if number % 5 else None
        for number, host in enumerate(hosts)
    }
    nvlink = racks if known else {}
    if draw(st.booleans()):
        return Cluster(nvlink=nvlink)
    adapters = scan.nodes.guid[scan.nodes.kind == NodeKind.HOST].tolist()
    step = draw(st.integers(2, 20))
    claims = (
        {guid: f"claimed-{number % 3}" for number, guid in enumerate(adapters[::step])} if draw(st.booleans()) else {}
    )
    aliases = {host: draw(st.sampled_from(["elsewhere", "claimed-0", None])) for host in hosts[:2]}
    return Cluster(names | set(claims.values()), aliases, claims, nvlink=nvlink)


def nodes_of(scan: Scan, cluster: Cluster) -> frozenset[str]:
    return frozenset(hosts_of(scan)) if cluster.names is None else cluster.names


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_every_fabric_gives_a_tree_by_the_rules_and_accounts_for_every_node(data: st.DataObject) -> None:
    scan = data.draw(SCANS)
    cluster = data.draw(clusters(scan))
    conclusion = conclude([scan], cluster)
    assert broken_rules(conclusion, nodes_of(scan, cluster)) == []


@settings(max_examples=80, deadline=None)
@given(st.data(), st.integers(0, 999))
def test_neither_order_nor_splitting_nor_a_second_look_changes_anything(data: st.DataObject, seed: int) -> None:
    scan = data.draw(SCANS)
    cluster = data.draw(clusters(scan))

    def look(*scans: Scan, after: Conclusion | None = None) -> Conclusion:
        return conclude(scans, cluster, previous=after.hierarchy.hyper_nodes if after else ())

    first = look(scan)
    assert differences(first, look(shuffled(scan, seed))) == []
    assert differences(first, look(*two_views(scan, seed))) == []
    assert differences(first, look(scan, after=first)) == []


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_names_and_places_follow_from_any_earlier_tree_and_then_stay(data: st.DataObject) -> None:
    before, scan = data.draw(SCANS), data.draw(SCANS)
    cluster = data.draw(clusters(scan))
    old = conclude([before], cluster).hierarchy.hyper_nodes
    new = conclude([scan], cluster, previous=old)
    assert broken_rules(new, nodes_of(scan, cluster)) == []
    assert differences(new, conclude([scan], cluster, previous=new.hierarchy.hyper_nodes)) == []
