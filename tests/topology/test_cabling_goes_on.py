"""Going on from the last look knows the same cables as reading every report anew, whatever was told in between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.reports import DOWN, SwitchReport
from tests.topology.test_cabling import MOVED, NAMES, SPINE, WHOLE, Cables, report, sweep
from topology.cabling import Cabling, KnownCabling, Today, know
from topology.told import Told, Wiring, read_report, wiring

Row = tuple[int, int, int, int]
ROWS = sorted(WHOLE | MOVED | {(1, 3, 0x20, 1)})
STEPS = st.tuples(
    st.sampled_from(["one", "both", "both", "mend", "verdict", "forget", "silent", "left", "departed", "again"]),
    st.sampled_from(ROWS),
    st.sampled_from(sorted(NAMES)),
    st.booleans(),
)


class Story:
    """What each switch tells now; reports that did not change stay the same objects."""

    def __init__(self) -> None:
        self.cables: dict[int, Cables] = dict.fromkeys(NAMES, WHOLE)
        self.told: dict[str, Told] = {}
        self.marks: dict[str, frozenset[int]] = {"silent": frozenset(), "left": frozenset(), "departed": frozenset()}
        for switch in NAMES:
            self.tell(switch, self.cables[switch])

    def tell(self, switch: int, cables: Cables, verdict: str = "Up") -> None:
        self.cables[switch] = cables
        found = report(switch, cables)
        ports = tuple(replace(port, verdict=verdict) for port in found.ports)
        self.told[NAMES[switch]] = read_report("s", SwitchReport(guid=found.guid, ports=ports))

    def take(self, kind: str, row: Row, switch: int) -> None:
        match kind:
            case "one":
                self.tell(switch, self.cables[switch] ^ {row})
            case "both":
                for end in {row[0], row[2]} & NAMES.keys():
                    self.tell(end, self.cables[end] - {row})
            case "mend":
                for end in {row[0], row[2]} & NAMES.keys():
                    self.tell(end, self.cables[end] | {row})
            case "verdict":
                self.tell(switch, self.cables[switch], DOWN)
            case "forget" if len(self.told) > 1:
                self.told.pop(NAMES[switch], None)
            case "silent" | "left":
                self.marks[kind] = self.marks[kind] ^ {switch}
            case "departed":
                self.marks[kind] = self.marks[kind] ^ {row[2]}

    def today(self) -> Today:
        told = {name: found for name, found in self.told.items() if found.guid not in self.marks["left"]}
        return Today(told, **self.marks)


def graph(reports: Mapping[str, tuple[SwitchReport, ...]]) -> dict[str, list[Wiring]]:
    return {sweeper: [wiring(found) for found in of_one] for sweeper, of_one in reports.items()}


def check(went_on: Cabling, anew: Cabling) -> None:
    assert went_on.known == anew.known
    assert went_on.known.cables == anew.known.cables
    assert graph(went_on.held) == graph(anew.held)
    assert graph(went_on.shown) == graph(anew.shown)


@settings(max_examples=100, deadline=None)
@given(st.lists(STEPS, max_size=16))
def test_knowing_goes_on_as_it_would_begin_anew(steps: list[tuple[str, Row, int, bool]]) -> None:
    story = Story()
    last = know(KnownCabling(), story.today(), sweep(1))
    for number, (kind, row, switch, whole) in enumerate(steps, start=2):
        story.take(kind, row, switch)
        went_on = know(last.known, story.today(), sweep(number, whole=whole), last)
        check(went_on, know(last.known, story.today(), sweep(number, whole=whole)))
        last = went_on


def test_a_cable_that_is_cut_and_mended_makes_no_other_graph() -> None:
    story = Story()
    first = know(KnownCabling(), story.today(), sweep(1))
    story.take("both", (1, 8, SPINE, 1), 1)
    cut = know(first.known, story.today(), sweep(2), first)
    assert cut.known.cables == first.known.cables
    assert cut.held is first.held
    story.take("mend", (1, 8, SPINE, 1), 1)
    mended = know(cut.known, story.today(), sweep(3), cut)
    assert mended.held is first.held
    assert mended.known.otherwise == {}
