"""All that is wanted of one switch, read over the network within its bounds."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import replace

from discovery.probing import Probed, failed, found
from discovery.snmp import oids
from discovery.snmp.asking import (
    ERROR,
    INCOMPLETE,
    LATE,
    NO_ANSWER,
    REFUSED,
    SILENT,
    Bounds,
    Conversation,
    Flaw,
    Index,
    Late,
    Unanswered,
    Walk,
    converse,
    is_refused,
)
from discovery.snmp.credentials import Credentials
from discovery.snmp.oids import LLDP, LLDP_V2, LldpMib
from discovery.snmp.tables import Answers, SwitchTables, read_tables
from discovery.snmp.targets import Target

PROBE = "snmp"
_TOLD = 3
"""Flaws that the reason of a probe names."""
SCALARS = (
    oids.SYSTEM_DESCRIPTION, oids.UPTIME, oids.SYSTEM_NAME, oids.BRIDGE_ADDRESS, oids.ENGINE_BOOTS,
    *(name for mib in (LLDP, LLDP_V2) for name in (mib.chassis_subtype, mib.chassis_id, mib.system_name)),
)  # fmt: skip
_WANTED = frozenset(oids.IF_COLUMNS) - {oids.IF_IN_ERRORS, oids.IF_OUT_ERRORS, oids.IF_ALIAS, oids.SYMBOL_ERRORS}
"""Columns without all of which a port may be taken for another."""
_EVEN = 0.9
"""Columns of one table have the same rows; a shorter one was cut off by an error that the agent answered with."""
_TOLD_OF_ALL, _NAME = 4, 5
"""Of the columns of a remote table: so many every neighbour has; and where its name is."""
_PORT_ID = 3
"""The column of a local port's id."""
_FIRST_ENTITIES = 64
"""Rows among which the box itself is looked for: it is the first of them, or behind a stack."""


async def walk_switch(target: Target, credentials: Credentials, bounds: Bounds) -> Probed[SwitchTables]:
    """Read the switch at an address. Never raises: a cut is told, and what came until then counts."""
    clock = asyncio.get_running_loop().time
    begin = clock()
    answers = await ask_switch(target, credentials, bounds)
    if not answers.scalars:
        probed: Probed[SwitchTables] = failed(PROBE, _told(answers.flaws) or "it has nothing of what it is asked for")
    else:
        tables = read_tables(answers)
        probed = found(PROBE, tables, _told(tables.flaws) or None)
    return replace(probed, seconds=clock() - begin)


async def ask_switch(target: Target, credentials: Credentials, bounds: Bounds) -> Answers:
    """The rows of the switch at an address, as it gives them. Never raises: what went wrong is among the flaws."""
    answers = Answers()
    try:
        await _read(await converse(target, credentials, bounds), answers)
    except Late as error:
        _spoil(answers, Flaw(LATE, str(error)))
    except Unanswered as error:
        refused = str(error) == NO_ANSWER and await is_refused(target)
        _spoil(answers, Flaw(SILENT, REFUSED if refused else str(error)))
    return answers


async def _read(conversation: Conversation, answers: Answers) -> None:
    answers.scalars.update(await conversation.get(SCALARS))
    if not answers.scalars:  # agents that cannot answer so many at once answer with an error
        for name in SCALARS:
            answers.scalars.update(await conversation.get((name,)))
    if not answers.scalars:
        return
    await _read_lldp(conversation, answers, LLDP)
    if LLDP.chassis_id not in answers.scalars and not answers.columns[LLDP.remote]:
        await _read_lldp(conversation, answers, LLDP_V2)
    for column in oids.IF_COLUMNS:
        await _read_columns(conversation, answers, column, wanted=column in _WANTED)
    _compare(answers, (oids.IF_TYPE, oids.IF_OPER, oids.IF_DESCRIPTION))
    for column in (oids.IF_NAME, oids.IF_ADDRESS, oids.IF_HIGH_SPEED):
        if answers.columns[oids.IF_TYPE] and not answers.columns[column]:
            await _prove_absent(conversation, answers, column, answers.columns[oids.IF_TYPE][0][0])
    await _read_box(conversation, answers)


async def _read_lldp(conversation: Conversation, answers: Answers, mib: LldpMib) -> None:
    await _read_columns(conversation, answers, mib.local_ports)
    await _read_columns(conversation, answers, mib.remote)
    rows = answers.columns[mib.remote]
    count = Counter(index[0] for index, _ in rows)
    lengths = [count[column] for column in mib.remote_columns[:_TOLD_OF_ALL]]
    if min(lengths) < _EVEN * max(lengths):
        _spoil(answers, Flaw(INCOMPLETE, f"{mib.remote}: its columns do not have the same rows"))
    first = rows[0][0][1:] if rows else (0,)
    for column in (mib.remote_columns[1], mib.remote_columns[_NAME]):
        if not count[column]:
            await _prove_absent(conversation, answers, f"{mib.remote}.{column}", first)
    if rows and not answers.columns[mib.local_ports]:
        await _prove_absent(conversation, answers, f"{mib.local_ports}.{_PORT_ID}", first[1:2])


async def _prove_absent(conversation: Conversation, answers: Answers, column: str, place: Index) -> None:
    """A column without rows is not there, unless the agent does not say so when it is asked for one of them."""
    if not await conversation.lacks(".".join((column, *map(str, place)))):
        _spoil(answers, Flaw(ERROR, f"{column}: the agent answers a walk with an error"))


async def _read_columns(conversation: Conversation, answers: Answers, base: str, *, wanted: bool = True) -> None:
    walk = Walk()
    answers.columns[base] = walk.rows
    await conversation.walk(base, into=walk)
    if walk.flaw is not None:
        answers.flaws.append(walk.flaw)
        answers.whole = answers.whole and not wanted


async def _read_box(conversation: Conversation, answers: Answers) -> None:
    """Model and serial number of the box."""
    seen = 0

    def enough(value: object) -> bool:
        nonlocal seen
        seen += 1
        return value == oids.CHASSIS or seen >= _FIRST_ENTITIES

    walk = Walk()
    await conversation.walk(oids.ENTITY_CLASS, walk, enough)
    if not walk.rows or walk.rows[-1][1] != oids.CHASSIS:
        return
    place = ".".join(map(str, walk.rows[-1][0]))
    names = {f"{column}.{place}": column for column in (oids.ENTITY_MODEL, oids.ENTITY_SERIAL)}
    with suppress(Unanswered):
        values = await conversation.get(names)
        answers.scalars.update((names[name], value) for name, value in values.items() if name in names)


def _compare(answers: Answers, columns: Collection[str]) -> None:
    lengths = [len(answers.columns[column]) for column in columns]
    if not max(lengths):
        _spoil(answers, Flaw(INCOMPLETE, "it tells nothing of its interfaces (IF-MIB)"))
    elif min(lengths) < _EVEN * max(lengths):
        _spoil(answers, Flaw(INCOMPLETE, "IF-MIB: its columns do not have the same rows"))


def _spoil(answers: Answers, flaw: Flaw) -> None:
    answers.whole = False
    answers.flaws.append(flaw)


def _told(flaws: Iterable[Flaw]) -> str:
    """The first of them, and how many there are."""
    texts = [flaw.text for flaw in flaws]
    more = f" (and {len(texts) - _TOLD} more)" if len(texts) > _TOLD else ""
    return "; ".join(texts[:_TOLD]) + more
