"""The options of `whatif` as a gang; how `--gang` is written is the kernel's matter (tests/scheduler/kernel)."""

from __future__ import annotations

import pytest

from cli.ending import BAD_INPUT, CommandError
from cli.whatif.question import read_gang


def test_a_gang_is_named_by_its_text_and_its_classes_by_their_parts() -> None:
    gang = read_gang("512x8gpu,64x2cpu", "soft", None)
    assert (gang.name, gang.mode, gang.pods) == ("512x8gpu,64x2cpu", "soft", 576)
    assert [one.name for one in gang.classes] == ["512x8gpu", "64x2cpu"]


@pytest.mark.parametrize(
    ("tier", "number", "name"),
    [
        ("2", 2, None),
        ("0", 0, None),
        ("002", 2, None),
        ("999999999", 999_999_999, None),
        ("leaf", None, "leaf"),
        ("2nd-leaf", None, "2nd-leaf"),
        ("leaf-1", None, "leaf-1"),
        ("-leaf", None, "-leaf"),
    ],
)
def test_a_tier_is_a_number_or_a_name(tier: str, number: int | None, name: str | None) -> None:
    gang = read_gang("1x1gpu", "hard", tier)
    assert (gang.mode, gang.highest_tier, gang.highest_tier_name) == ("hard", number, name)


@pytest.mark.parametrize("tier", ["-1", "-0", "+2", "1.5", "1,5", "2.", "1000000000", "9" * 5000, "-" + "9" * 5000])
def test_a_number_that_is_no_tier_is_bad_input(tier: str) -> None:
    with pytest.raises(CommandError, match=r"^--hard: .{1,20} is no tier; give a whole number from 0") as wrong:
        read_gang("1x1gpu", "hard", tier)
    assert wrong.value.code == BAD_INPUT


@pytest.mark.parametrize("tier", ["", " "])
def test_a_tier_without_a_name_is_bad_input(tier: str) -> None:
    with pytest.raises(CommandError, match=r"^--hard: the tier is empty") as wrong:
        read_gang("1x1gpu", "hard", tier)
    assert wrong.value.code == BAD_INPUT


@pytest.mark.parametrize(
    "text", ["", "8gpu", "0x8gpu", "-1x8gpu", "1x0gpu", "1x-1gpu", "512x8tpu", "512x8gpu,", "1x1gpu+2gpu"]
)
def test_what_is_not_understood_names_the_option(text: str) -> None:
    with pytest.raises(CommandError, match=r"^--gang: "):
        read_gang(text, "soft", None)
