"""Single lines into rows, through the tolerant grammar: whatever `columns` does not know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from discovery.ibnetdiscover import grammar
from discovery.ibnetdiscover.grammar import Attribute, AttributeName, Header, Marked, PortLine, ToolError
from discovery.ibnetdiscover.rows import AttributeRows, HeaderRows, PortRows, Tables, from_tuples
from discovery.identity import guid_number, has_number


@dataclass(slots=True)
class _Pending:
    """Rows of single lines, not yet columns."""

    attributes: list[tuple[int, ...]] = field(default_factory=list)
    headers: list[tuple[int, ...]] = field(default_factory=list)
    ports: list[tuple[int, ...]] = field(default_factory=list)


def read_lines(lines: Iterable[tuple[int, bytes]], tables: Tables) -> None:
    """Read numbered lines into `tables`. A carriage return inside a line begins the line anew, as on a terminal."""
    pending = _Pending()
    for number, line in lines:
        for part in line.split(b"\r") if b"\r" in line else (line,):
            for statement in grammar.read(part):
                _add(number, part, statement, pending, tables)
    tables.attributes.append(from_tuples(AttributeRows, pending.attributes))
    tables.headers.append(from_tuples(HeaderRows, pending.headers))
    tables.ports.append(from_tuples(PortRows, pending.ports))


def _add(number: int, line: bytes, statement: grammar.Statement, pending: _Pending, tables: Tables) -> None:
    if isinstance(statement, PortLine):
        pending.ports.append(_port_row(number, statement, tables))
    elif isinstance(statement, Header):
        guid = _number(statement.identity, tables.spelled)
        text = tables.texts.keep(statement.description)
        pending.headers.append((number, statement.kind, statement.ports, guid, *text))
    elif isinstance(statement, Attribute):
        pending.attributes.append((number, statement.name, _attribute_value(statement, tables.spelled)))
    elif isinstance(statement, ToolError):
        tables.complete = False
        tables.problems.add(number, line, "the tool got no answer there: that part of the fabric is unknown")
    elif isinstance(statement, Marked):
        tables.marked = True
    else:
        tables.problems.add(number, line, statement.reason)
        if statement.opens_node:
            tables.broken_headers.append(number)


def _port_row(number: int, line: PortLine, tables: Tables) -> tuple[int, ...]:
    port_guid = _number(line.port_identity, tables.spelled)
    peer = _number(line.peer, tables.spelled)
    peer_port_guid = _number(line.peer_port_identity, tables.spelled)
    text = tables.texts.keep(line.peer_description)
    ends = (line.port, port_guid, line.peer_kind, peer, line.peer_port, peer_port_guid)
    return (number, *ends, line.width, line.speed, *text)


def _attribute_value(attribute: Attribute, spelled: dict[int, str]) -> int:
    if attribute.name <= AttributeName.DEVICE:
        return int(attribute.value, 16)
    return _number(attribute.value, spelled)


def _number(identity: bytes, spelled: dict[int, str]) -> int:
    """The GUID as a number, 0 for none; a spelling that is no hexadecimal is noted."""
    spelling = identity.removeprefix(b"0x").decode(errors="backslashreplace")
    if not spelling:
        return 0
    number = guid_number(spelling)
    if not has_number(spelling):
        spelled[number] = spelling
    return number
