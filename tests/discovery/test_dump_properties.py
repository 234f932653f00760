"""Any fabric, printed as ibnetdiscover prints it and spelled as the world spells it, reads back as itself."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bench.soak_parsers import TOKENS, check
from discovery.ibnetdiscover import parse
from discovery.scan import NodeKind
from tests.discovery.differential import assert_both_readers_agree, assert_equal
from tests.discovery.fabrics import Fabric, Spelling, fabrics, links_of, nodes_of, spellings


@given(fabrics(), spellings)
@settings(max_examples=150, deadline=None)
def test_a_printed_fabric_reads_back(fabric: Fabric, spelling: Spelling) -> None:
    scan = parse(spelling.write(fabric), "dump")
    assert scan.problems == ()
    assert links_of(scan) == fabric.links()
    assert set(scan.links.reported_by.tolist()) <= {1, 3}
    described = nodes_of(scan)
    for node in fabric.nodes:
        assert described[node.guid] == node


@given(fabrics(), spellings)
@settings(max_examples=100, deadline=None)
def test_both_readers_agree(fabric: Fabric, spelling: Spelling) -> None:
    assert_both_readers_agree(spelling.write(fabric))


@given(fabrics(), spellings)
@settings(max_examples=50, deadline=None)
def test_a_dump_read_twice_over_is_the_dump(fabric: Fabric, spelling: Spelling) -> None:
    data = spelling.write(fabric)
    once, twice = parse(data, "dump"), parse(data + data, "dump")
    assert_equal(once, twice)


@given(fabrics())
@settings(max_examples=50, deadline=None)
def test_every_row_is_in_range_and_in_order(fabric: Fabric) -> None:
    scan = parse(Spelling().write(fabric), "dump")
    ends = zip(*(column.tolist() for column in (scan.links.a_node, scan.links.a_port)), strict=True)
    others = zip(*(column.tolist() for column in (scan.links.b_node, scan.links.b_port)), strict=True)
    assert all(a <= b < (len(scan.nodes), 0) for a, b in zip(ends, others, strict=True))
    assert set(scan.nodes.kind.tolist()) <= set(NodeKind)


@given(st.binary(max_size=300))
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_a_scan_or_a_refusal(data: bytes) -> None:
    check(data)


@given(st.lists(st.sampled_from([*TOKENS, b"[1]", b'"S-01"', b'"H-02"', b"# ", b"01", b"(02) "]), max_size=60))
@settings(max_examples=150, deadline=None)
def test_any_tokens_are_a_scan_or_a_refusal(tokens: list[bytes]) -> None:
    check(b"".join(tokens))
