"""What-if: reading a gang from text, and taking nodes away in thought."""

from __future__ import annotations

import re

import pytest

from scheduler.kernel.outcome import Placement, Refusal
from scheduler.kernel.quantity import GPU
from scheduler.kernel.snapshot import SnapshotError
from scheduler.kernel.what_if import GangTextError, parse_amounts, parse_gang_text, what_if
from tests.scheduler.kernel.cluster import gang, snapshot_of, two_rows, workers

GIB = 1 << 30


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("512x8gpu", [(512, {GPU: 8})]),
        ("512x8gpu,64x2cpu", [(512, {GPU: 8}), (64, {"cpu": 2000})]),
        (" 2 x 8 gpu + 0.5cpu + 16Gi , 1X2CPU ", [(2, {GPU: 8, "cpu": 500, "memory": 16 * GIB}), (1, {"cpu": 2000})]),
        ("1x64mem", [(1, {"memory": 64 * GIB})]),
        ("1x1.5memory", [(1, {"memory": 3 * GIB // 2})]),
        ("18x4gpu+1.5cpu+64gi", [(18, {GPU: 4, "cpu": 1500, "memory": 64 * GIB})]),
        ("3x512Mi", [(3, {"memory": GIB // 2})]),
        ("4x2rdma/hca", [(4, {"rdma/hca": 2})]),
    ],
)
def test_a_gang_is_read_from_text(text: str, expected: list[tuple[int, dict[str, int]]]) -> None:
    assert [(one.count, dict(one.requests)) for one in parse_gang_text(text)] == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no class of pods"),
        ("8gpu", "is no class of pods"),
        ("512", "is no class of pods"),
        ("0x8gpu", "the count must be 1 or more"),
        ("1000000000x8gpu", "asks for too many pods: a class has at most 999,999,999"),
        ("9" * 5000 + "x8gpu", "asks for too many pods"),
        ("-1x8gpu", "is no class of pods"),
        ("1x8", "is no amount with a unit"),
        ("1xgpu", "is no amount with a unit"),
        ("1x8tpu", "unit 'tpu' in '8tpu' is not known"),
        ("1x999999999999Pi", "is not an amount that a node could have"),
        ("1x0gpu", "is not an amount that a node could have"),
        ("1x1.5gpu", "only cpu and memory can be asked for in parts"),
        ("1x8gpu+4gpu", "gives nvidia.com/gpu twice"),
        ("1x8gpu,", "is no class of pods"),
        ("1x99999999999999999999gpu", "is not an amount that a node could have"),
        (",".join(["1x1gpu"] * 101), "at most 100 are read"),
    ],
)
def test_what_is_no_gang_is_answered_with_a_sentence(text: str, said: str) -> None:
    with pytest.raises(GangTextError, match=re.escape(said)):
        parse_gang_text(text)


def test_what_nodes_have_is_read_as_what_pods_ask_for() -> None:
    assert parse_amounts("8GPU+2Cpu+1gi") == {GPU: 8, "cpu": 2000, "memory": GIB}
    with pytest.raises(GangTextError, match="'8' in '8' is no amount with a unit: write AMOUNTUNIT"):
        parse_amounts("8")


def test_drained_hyper_nodes_and_missing_nodes_are_not_used() -> None:
    snapshot = snapshot_of(two_rows())
    one = gang(workers(12), tier=2)
    there = what_if(snapshot, one, drain=["r11"])
    assert isinstance(there, Placement)
    assert there.domain == "row2"
    nowhere = what_if(snapshot, one, drain=["r11"], without=["r22-n1"])
    assert isinstance(nowhere, Refusal)
    assert [report.fits for report in nowhere.tiers] == [4, 11]
    assert nowhere.tiers[1].exclusions[0].nodes == 1


def test_the_snapshot_itself_stays_as_it_was() -> None:
    snapshot = snapshot_of(two_rows())
    what_if(snapshot, gang(workers(1)), drain=["row1"])
    assert not snapshot.left_out.any()


def test_names_that_nobody_has_are_errors_in_a_sentence() -> None:
    snapshot = snapshot_of(two_rows())
    with pytest.raises(SnapshotError, match="no HyperNode is named rack9"):
        what_if(snapshot, gang(workers(1)), drain=["rack9"])
    with pytest.raises(SnapshotError, match=r"no node is named a \(nor 1 other\)"):
        what_if(snapshot, gang(workers(1)), without=["b", "r11-n1", "a"])
