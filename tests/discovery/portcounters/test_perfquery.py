"""Blocks of perfquery 44.0, shortened; numbers by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from discovery.portcounters import read_perfquery
from discovery.samples import Counters

CLASSIC = """\
# Port counters: Lid 407 port 1 (CapMask: 0x1300)
PortSelect:......................1
CounterSelect:...................0x0000
SymbolErrorCounter:..............999
LinkErrorRecoveryCounter:........2
LinkDownedCounter:...............3
PortRcvErrors:...................0
LocalLinkIntegrityErrors:........4
ExcessiveBufferOverrunErrors:....5
PortXmitData:....................1944
# Port counters: Lid 407 port 65 (CapMask: 0x1300)
SymbolErrorCounter:..............65535
LinkDownedCounter:...............255
LocalLinkIntegrityErrors:........15
"""


def test_the_error_counters_of_each_port_are_read_and_no_others() -> None:
    assert read_perfquery(CLASSIC, 407)[1] == Counters(
        symbol_errors=999,
        link_error_recovery=2,
        link_downed=3,
        receive_errors=0,
        local_link_integrity_errors=4,
        excessive_buffer_overrun_errors=5,
    )


def test_a_counter_that_can_count_no_further_is_unknown_and_so_is_one_that_was_not_told() -> None:
    assert read_perfquery(CLASSIC, 407)[65] == Counters()


def test_64_bits_hold_more() -> None:
    text = (
        "# Port extended counters: Lid 9 port 2 (CapMask: 0x5300 CapMask2: 0x0000002)\n"
        "SymbolErrorCounter:..............65535\nLinkDownedCounter:...............18446744073709551615\n"
    )
    assert read_perfquery(text, 9) == {2: Counters(symbol_errors=65535)}


def test_extended_counters_without_errors_among_them_say_nothing() -> None:
    text = "# Port extended counters: Lid 9 port 2 (CapMask: 0x1300 CapMask2: 0x0000000)\nPortXmitData:....7\n"
    assert read_perfquery(text, 9) == {}


def test_a_switch_that_was_not_asked_and_a_port_that_none_can_have_are_passed_over() -> None:
    assert read_perfquery(CLASSIC, 408) == {}
    assert read_perfquery(CLASSIC.replace("port 1 ", "port 255 "), 407).keys() == {65}


def test_a_number_that_was_cut_off_is_not_read() -> None:
    cut = CLASSIC[: CLASSIC.index("999") + 2]
    assert read_perfquery(cut, 407) == {}


@given(st.text(max_size=400))
def test_whatever_it_is_it_raises_nothing(text: str) -> None:
    read_perfquery(text, 1)
    read_perfquery(CLASSIC[:60] + text, 407)
