"""Agents that answer in circles, without end, in pieces, with errors or not at all: cut off, told, the rest kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from discovery.probing import Probed
from discovery.reports import FAILED, FOUND
from discovery.snmp import Bounds, SwitchTables, Target, walk_switch
from discovery.snmp.credentials import Community
from tests.discovery.snmp.agent import (
    GET,
    GET_BULK,
    INTEGER,
    NO_SUCH_INSTANCE,
    OCTETS,
    Agent,
    Request,
    agent,
    from_table,
    integer,
    oid,
    response,
)
from tests.discovery.snmp.switches import LLDP_REMOTE, leaf

BOUNDS = Bounds(timeout=0.15, tries=2, seconds=5.0)
REMOTE = oid(LLDP_REMOTE)
Answer = Callable[[Request], Sequence[bytes]]
honest = from_table(leaf())


def within(request: Request, base: tuple[int, ...] = REMOTE) -> bool:
    """Whether a walk asks for something in the subtree."""
    return request.kind == GET_BULK and request.oids[0][: len(base)] == base


async def asked(answer: Answer, bounds: Bounds = BOUNDS) -> tuple[Probed[SwitchTables], Agent]:
    async with agent(answer) as playing:
        probed = await walk_switch(Target("127.0.0.1", playing.port), Community("public"), bounds)
        return probed, playing


def kinds(probed: Probed[SwitchTables]) -> list[str]:
    assert probed.found is not None
    return [flaw.kind for flaw in probed.found.flaws]


async def test_an_honest_agent_is_read_whole() -> None:
    probed, _ = await asked(honest)
    assert (probed.outcome, probed.reason) == (FOUND, None)
    tables = probed.found
    assert tables is not None
    assert tables.whole
    assert [remote.system_name for remote in tables.remotes] == ["gpu-1", "gpu-2", "spine-1", "spine-2"]
    assert (tables.name, tables.model, tables.serial, tables.boots) == ("leaf-1", "SN5600", "MT2345", 7)
    assert tables.interfaces[2].megabits == 400_000


def in_circles(request: Request) -> list[bytes]:
    return [response(request, [((*REMOTE, 5, 0, 1, 1), OCTETS, b"x" * 6)])]


def downhill(request: Request) -> list[bytes]:
    return [response(request, [((*REMOTE, 5, 0, number, 1), OCTETS, b"x" * 6) for number in range(9, 0, -1)])]


def the_same(request: Request) -> list[bytes]:
    return [response(request, [(request.oids[0], OCTETS, b"x")])]


@pytest.mark.parametrize("trick", [in_circles, downhill, the_same])
async def test_object_ids_that_do_not_rise_end_the_walk_and_nothing_else(trick: Answer) -> None:
    probed, playing = await asked(lambda request: trick(request) if within(request) else honest(request))
    assert kinds(probed)[0] == "loop"
    assert probed.found is not None
    assert not probed.found.whole
    assert probed.found.interfaces[2].name == "swp2"
    assert len(playing.asked) < 60


async def test_rows_without_end_are_cut_off() -> None:
    def endless(request: Request) -> list[bytes]:
        if not within(request):
            return honest(request)
        number = request.oids[0][-2] + 1 if len(request.oids[0]) > len(REMOTE) else 1
        return [response(request, [((*REMOTE, 5, 0, number + row, 1), OCTETS, b"x" * 6) for row in range(20)])]

    probed, _ = await asked(endless, replace(BOUNDS, rows=500))
    assert "too-much" in kinds(probed)
    assert probed.found is not None
    assert not probed.found.whole


async def test_values_that_are_large_without_end_are_cut_off() -> None:
    def bloated(request: Request) -> list[bytes]:
        if not within(request):
            return honest(request)
        number = request.oids[0][-2] + 1 if len(request.oids[0]) > len(REMOTE) else 1
        return [response(request, [((*REMOTE, 10, 0, number, 1), OCTETS, b"x" * 900)])]

    probed, playing = await asked(bloated, replace(BOUNDS, bytes=50_000))
    assert "too-much" in kinds(probed)
    assert len(playing.asked) < 100


async def test_an_agent_that_takes_for_ever_is_cut_off_and_what_it_said_counts() -> None:
    def slowly(request: Request) -> list[bytes]:
        if not within(request):
            return honest(request)
        number = request.oids[0][-2] + 1 if len(request.oids[0]) > len(REMOTE) else 1
        return [response(request, [((*REMOTE, 5, 0, number, 1), OCTETS, b"x" * 6)])]

    probed, _ = await asked(slowly, replace(BOUNDS, seconds=0.3, rows=10**9))
    assert "late" in kinds(probed)
    assert probed.found is not None
    assert probed.found.name == "leaf-1"


@pytest.mark.parametrize("error", [1, 5, 16], ids=["tooBig", "genErr", "authorizationError"])
async def test_an_error_in_place_of_a_table_is_not_an_empty_table(error: int) -> None:
    def broken(request: Request) -> list[bytes]:
        if request.oids[0][: len(REMOTE)] == REMOTE:
            return [response(request, [], error)]
        return honest(request)

    probed, _ = await asked(broken)
    assert kinds(probed)[:1] in (["error"], ["silent"])
    assert probed.found is not None
    assert (probed.found.whole, probed.found.remotes) == (False, ())


@pytest.mark.parametrize("base", ["1.0.8802.1.1.2.1.3.7.1", "1.3.6.1.2.1.31.1.1.1.1", "1.3.6.1.2.1.2.2.1.6"])
async def test_what_ports_are_known_by_is_not_missing_because_of_an_error(base: str) -> None:
    start = oid(base)

    def broken(request: Request) -> list[bytes]:
        return [response(request, [], 5)] if request.oids[0][: len(start)] == start else honest(request)

    probed, _ = await asked(broken)
    assert kinds(probed) == ["error"]
    assert probed.found is not None
    assert not probed.found.whole


async def test_a_switch_that_really_has_no_extended_interfaces_is_whole() -> None:
    extended = oid("1.3.6.1.2.1.31.1.1.1")
    probed, _ = await asked(from_table([found for found in leaf() if found[0][: len(extended)] != extended]))
    assert (probed.outcome, probed.reason) == (FOUND, None)
    assert probed.found is not None
    assert probed.found.interfaces[2].description == "swp2"


async def test_an_error_in_the_middle_of_a_table_is_not_its_end() -> None:
    def broken(request: Request) -> list[bytes]:
        return [response(request, [], 5)] if within(request, (*REMOTE, 7)) else honest(request)

    probed, _ = await asked(broken, replace(BOUNDS, repetitions=4))
    assert probed.found is not None
    assert not probed.found.whole


async def test_a_switch_without_neighbours_is_whole() -> None:
    table = [row for row in leaf() if row[0][: len(REMOTE)] != REMOTE]
    probed, _ = await asked(from_table(table))
    assert probed.found is not None
    assert (probed.found.whole, probed.found.remotes, probed.reason) == (True, (), None)


async def test_lost_datagrams_are_asked_for_again() -> None:
    count = 0

    def lossy(request: Request) -> list[bytes]:
        nonlocal count
        count += 1
        return [] if count % 5 == 0 else honest(request)

    probed, _ = await asked(lossy, replace(BOUNDS, timeout=0.05, tries=3))
    assert (probed.outcome, probed.reason) == (FOUND, None)


async def test_answers_in_pieces_or_to_another_question_are_passed_over() -> None:
    sent = 0

    def noisy(request: Request) -> list[bytes]:
        nonlocal sent
        sent += 1
        (whole,) = honest(request)
        if sent % 7 == 0:
            return [whole[: len(whole) // 2]]
        return [response(replace(request, number=request.number ^ 1), []), whole, whole]

    probed, _ = await asked(noisy, replace(BOUNDS, tries=3))
    assert (probed.outcome, probed.reason) == (FOUND, None)


@pytest.mark.parametrize("rubbish", [b"\xff" * 100, b"\x30\x84\xff\xff\xff\xff" + b"\0" * 40, b"", b"\x30\x80"])
async def test_rubbish_is_a_failure_in_a_sentence_and_no_crash(
    rubbish: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    probed, _ = await asked(lambda request: [rubbish])
    assert probed.outcome == FAILED
    assert probed.reason
    capfd.readouterr()  # the decoder prints where it gave up


async def test_rubbish_in_the_middle_keeps_what_came_before(capfd: pytest.CaptureFixture[str]) -> None:
    interfaces = oid("1.3.6.1.2.1.2.2.1.7")
    probed, _ = await asked(lambda request: [b"\xff" * 100] if within(request, interfaces) else honest(request))
    assert probed.found is not None
    assert len(probed.found.remotes) == 4
    assert not probed.found.whole
    capfd.readouterr()


async def test_values_of_the_wrong_type_are_unknown_and_their_neighbours_stay() -> None:
    wrong = {
        (*REMOTE, 5, 0, 501, 1): (INTEGER, integer(5)),
        oid("1.3.6.1.2.1.1.5.0"): (INTEGER, integer(5)),
        oid("1.3.6.1.2.1.31.1.1.1.15.2"): (OCTETS, b"fast"),
        oid("1.3.6.1.2.1.2.2.1.6.2"): (OCTETS, b"\0" * 6),
    }
    table = [(name, *wrong.get(name, (tag, value))) for name, tag, value in leaf()]
    probed, _ = await asked(from_table(table))
    tables = probed.found
    assert tables is not None
    assert kinds(probed) == ["incomplete"]
    assert [remote.system_name for remote in tables.remotes] == ["gpu-2", "spine-1", "spine-2"]
    assert (tables.interfaces[2].megabits, tables.interfaces[2].mac, tables.interfaces[2].name) == (None, None, "swp2")
    assert tables.whole


async def test_silence_is_told_with_no_more_patience_than_was_given() -> None:
    probed, playing = await asked(lambda request: [])
    assert (probed.outcome, probed.reason) == (FAILED, "no answer")
    assert len(playing.asked) == BOUNDS.tries


async def test_a_port_without_an_agent_is_told_from_silence() -> None:
    async with agent(lambda request: []) as gone:
        port = gone.port
    probed = await walk_switch(Target("127.0.0.1", port), Community("public"), BOUNDS)
    assert (probed.outcome, probed.reason) == (FAILED, "refused: no SNMP agent is at that port")


async def test_an_agent_that_knows_nothing_of_what_is_asked_is_no_switch() -> None:
    probed, _ = await asked(
        lambda request: (
            [response(request, [(one, NO_SUCH_INSTANCE, b"") for one in request.oids])]
            if request.kind == GET
            else honest(request)
        )
    )
    assert (probed.outcome, probed.reason) == (FAILED, "it has nothing of what it is asked for")


async def test_an_agent_that_answers_few_scalars_at_once_is_asked_for_each() -> None:
    def strict(request: Request) -> list[bytes]:
        return [response(request, [], 1)] if len(request.oids) > 1 else honest(request)

    probed, _ = await asked(strict)
    assert probed.found is not None
    assert probed.found.name == "leaf-1"
