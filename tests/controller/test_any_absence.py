"""Whatever is cut, dead, deleted, swept in part or started again, in whatever order: the tree stays as it is."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.conclusion.memory import Memory
from discovery.reports import COMPLETE, FAILED, PARTIAL
from tests.controller.looking import Looks, chains
from tests.controller.site import TREE, Site
from topology.synth.drawing import Drawing
from topology.synth.ethernet import Voices
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

PODS = Tree(units=(Unit(2, 2),) * 4, wiring="classic", tiers=3, pod_units=2, spines=2, cores=2, aggregation=False)
DRAWINGS = [draw_tree(TREE), draw_tree(PODS)]

VOICES = [None, Voices(), Voices(switches_told=False), Voices(adapters_speak=False), Voices(bonds=True)]
"""InfiniBand, and the ways in which Ethernet is told."""

ABSENT = ["deafen", "cut a cable", "cut a switch", "kill", "delete a report", "mend"]
STEPS = [*ABSENT, "restart", COMPLETE, PARTIAL, FAILED]


def take(looks: Looks, step: str, pick: int) -> None:
    """One thing happens; `pick` chooses where."""
    site = looks.site
    cables = site.drawing.cables
    switches = sorted({*cables.upper.tolist()})
    switch = switches[pick % len(switches)]
    match step:
        case "cut a cable":
            site.cut.add(pick % len(cables))
        case "cut a switch":
            ends = zip(cables.lower.tolist(), cables.upper.tolist(), strict=True)
            site.cut.update(row for row, end in enumerate(ends) if switch in end)
        case "kill":
            site.kill(switch)
        case "deafen":
            site.deaf ^= {site.drawing.hosts[pick % len(site.drawing.hosts)]}
        case "delete a report" if len(site.reported) > 1:
            del site.reported[sorted(site.reported)[pick % len(site.reported)]]
        case "mend":
            site.cut.clear()
            site.dead.clear()
            site.deaf.clear()
        case "restart":
            looks.restart(now=1.0)
        case "Complete" | "Partial" | "Failed":
            site.outcome = step
            site.sweep()


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(DRAWINGS),
    st.sampled_from(VOICES),
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 999)), max_size=25),
)
def test_no_absence_moves_anybody(drawing: Drawing, voices: Voices | None, steps: list[tuple[str, int]]) -> None:
    looks = Looks(site=Site(drawing=drawing, voices=voices), memory=Memory(started=-1000.0))
    before = chains(looks.sweep_and_write())
    for step, pick in steps:
        take(looks, step, pick)
        outcome = looks.look().outcome
        if outcome is not None:
            assert chains(outcome) == before
            looks.write()
