"""A gang in one word, read as pod classes in canonical units (milli-CPU, bytes, whole GPUs)."""

from __future__ import annotations

import pytest

from cli.ending import CommandError
from cli.whatif.gang_text import read_amounts, read_gang


def test_classes_are_counts_of_pods_with_their_requests() -> None:
    gang = read_gang("512x8gpu,64x2cpu", "hard", "2")
    assert [(one.count, dict(one.requests)) for one in gang.classes] == [
        (512, {"nvidia.com/gpu": 8}),
        (64, {"cpu": 2000}),
    ]
    assert gang.pods == 576


def test_one_class_may_ask_for_several_resources() -> None:
    gang = read_gang("18x4gpu+1.5cpu+64Gi", "soft", None)
    assert dict(gang.classes[0].requests) == {"nvidia.com/gpu": 4, "cpu": 1500, "memory": 64 * 2**30}


@pytest.mark.parametrize(("tier", "number", "name"), [("2", 2, None), ("leaf", None, "leaf")])
def test_a_tier_is_a_number_or_a_name(tier: str, number: int | None, name: str | None) -> None:
    gang = read_gang("1x1gpu", "hard", tier)
    assert (gang.mode, gang.highest_tier, gang.highest_tier_name) == ("hard", number, name)


@pytest.mark.parametrize(
    "text",
    ["", "8gpu", "0x8gpu", "512x", "512x8", "512x8tpu", "512x8gpu,", "-1x8gpu", "1x0gpu", "1x1.5gpu", "1x1gpu+2gpu",
     "1x999999999999Pi"],
)  # fmt: skip
def test_what_is_not_understood_is_refused_by_name(text: str) -> None:
    with pytest.raises(CommandError, match="--gang"):
        read_gang(text, "soft", None)


def test_units_are_read_in_any_case() -> None:
    assert read_amounts("8GPU+2Cpu+1gi", "--node-resources") == {"nvidia.com/gpu": 8, "cpu": 2000, "memory": 2**30}
