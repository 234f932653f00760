"""Which reports of a sweep are written, by how the sweep went and what stands already."""

from __future__ import annotations

from dataclasses import replace

from agent.sweeper.judging import View
from agent.sweeper.reading import Sweep
from discovery.reports import COMPLETE, FAILED, PARTIAL, SwitchReport

SWEEP = Sweep(View(), {"old": SwitchReport(), "poor": SwitchReport(), "new": SwitchReport()}, frozenset({"poor"}))
STANDING = {"old", "poor"}


def test_a_whole_sweep_writes_all_that_are_whole_or_new() -> None:
    assert set(SWEEP.due(STANDING, COMPLETE)) == {"old", "new"}


def test_a_partial_sweep_overwrites_nothing_unless_each_switch_was_asked_by_itself() -> None:
    assert set(SWEEP.due(STANDING, PARTIAL)) == {"new"}
    assert set(replace(SWEEP, apart=True).due(STANDING, PARTIAL)) == {"old", "new"}


def test_a_sweep_that_failed_writes_nothing() -> None:
    assert not replace(SWEEP, apart=True).due((), FAILED)
