"""Whatever rows an agent gives, they become tables and a report; nothing raises but what has no identity."""

from __future__ import annotations

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.health import Verdict
from discovery.reports import UP, SwitchReport
from discovery.snmp import Surroundings, identity, ports_of, switch_report
from discovery.snmp.asking import Value
from discovery.snmp.reading import SCALARS
from discovery.snmp.tables import Answers, read_tables
from tests.discovery.snmp.recordings import BASES

NUMBERS = st.integers(0, 9) | st.integers(0, 2**32 - 1)
VALUES: st.SearchStrategy[Value] = st.one_of(
    st.integers(-(2**63), 2**64), st.binary(max_size=40), st.text(max_size=20), st.none(), st.floats(), st.booleans(),
    st.sampled_from([1, 2, 3, 4, 5, 6, 7, b"\x02\0\0\0\0\1", b"swp1", b"\0" * 6]),
)  # fmt: skip
INDICES = st.lists(NUMBERS, max_size=6).map(tuple)
ROWS = st.lists(st.tuples(INDICES, VALUES), max_size=30)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(SCALARS), VALUES), st.dictionaries(st.sampled_from(BASES), ROWS))
def test_any_rows_become_a_report_that_can_be_written(scalars: dict[str, Value], columns: dict[str, object]) -> None:
    empty: dict[str, object] = {base: [] for base in BASES}
    tables = read_tables(Answers(scalars, empty | columns))  # type: ignore[arg-type]  # the lists that were drawn
    ports = ports_of(tables)
    assert len({port.number for port in ports}) == len(ports)
    assert sum(len(port.remotes) for port in ports) == len(tables.remotes)
    if identity(tables) is None:
        return
    report = switch_report(tables, ports, {port.number: Verdict(UP) for port in ports}, Surroundings())
    assert msgspec.json.decode(msgspec.json.encode(report), type=SwitchReport) == report
