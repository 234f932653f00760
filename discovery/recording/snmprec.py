"""What an SNMP agent answered, as text: a line is `object id|tag|value`, the form that snmpsim and others use.

The tag is 2 for whole numbers, 4 for text, 4x for octets in hexadecimal digits; the tags of counters, gauges and times
(65, 66, 67, 70) are read as whole numbers, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from discovery.snmp import oids
from discovery.snmp.asking import Index, Value
from discovery.snmp.oids import LLDP, LLDP_V2
from discovery.snmp.reading import SCALARS
from discovery.snmp.tables import Answers

_NUMBERS = frozenset({"2", "65", "66", "67", "70"})
_ENTITY = (oids.ENTITY_MODEL, oids.ENTITY_SERIAL)
_TABLES = (*oids.IF_COLUMNS, *(base for mib in (LLDP, LLDP_V2) for base in (mib.local_ports, mib.remote)))

_OCTETS = (
    oids.BRIDGE_ADDRESS,
    f"{oids.IF_ADDRESS}.",
    *(name for mib in (LLDP, LLDP_V2) for name in (mib.chassis_id, f"{mib.remote}.{mib.remote_columns[1]}.")),
)
"""What may be a MAC is written as octets, whatever it looks like."""


def read_walk(text: str) -> Answers:
    """The answers of one agent; a line that is none is passed over."""
    answers = Answers(columns={base: [] for base in _TABLES})
    chassis: str | None = None
    for name, value in _rows(text):
        if name in SCALARS:
            answers.scalars[name] = value
        elif name.startswith(f"{oids.ENTITY_CLASS}.") and value == oids.CHASSIS:
            chassis = chassis or name.removeprefix(oids.ENTITY_CLASS)
        elif (table := next((base for base in _TABLES if name.startswith(f"{base}.")), None)) is not None:
            answers.columns[table].append((_index(name, table), value))
        elif column := next((column for column in _ENTITY if name in (column, f"{column}{chassis}")), None):
            answers.scalars[column] = value
    return answers


def write_walk(answers: Answers) -> str:
    """As text, in the order in which the answers came."""
    lines = [_line(name, value) for name, value in answers.scalars.items()]
    for base, rows in answers.columns.items():
        lines += [_line(".".join([base, *map(str, index)]), value) for index, value in rows]
    return "".join(lines)


def _rows(text: str) -> Iterator[tuple[str, Value]]:
    for line in text.splitlines():
        name, first, rest = line.partition("|")
        tag, second, said = rest.partition("|")
        if first and second and name.replace(".", "").isdecimal():
            try:
                yield name, _value(tag, said)
            except ValueError:
                continue


def _value(tag: str, said: str) -> Value:
    if tag in _NUMBERS:
        return int(said)
    return bytes.fromhex(said) if tag == "4x" else said.encode("utf-8", "surrogateescape")


def _index(name: str, base: str) -> Index:
    return tuple(map(int, name[len(base) + 1 :].split(".")))


def _line(name: str, value: Value) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{name}|2|{value}\n"
    raw = value if isinstance(value, bytes) else str(value).encode()
    if not name.startswith(_OCTETS) and raw.isascii() and raw.decode("ascii").isprintable():
        return f"{name}|4|{raw.decode('ascii')}\n"
    return f"{name}|4x|{raw.hex()}\n"
