"""Recorded switches (snmprec files: `oid|tag|value`), read without a server."""

from __future__ import annotations

from pathlib import Path

from discovery.snmp import oids
from discovery.snmp.asking import Index, Value
from discovery.snmp.oids import LLDP, LLDP_V2
from discovery.snmp.reading import SCALARS
from discovery.snmp.tables import Answers

_INTEGERS = frozenset({"2", "65", "66", "67", "70"})
BASES = (*oids.IF_COLUMNS, *(base for mib in (LLDP, LLDP_V2) for base in (mib.local_ports, mib.remote)))


def recorded(file: Path) -> Answers:
    """What a walk of the recorded switch gives."""
    answers = Answers(columns={base: [] for base in BASES})
    names = {*SCALARS}
    chassis = ""
    for line in file.read_text("utf-8", "surrogateescape").splitlines():
        name, tag, text = line.split("|", 2)
        value = _value(tag, text)
        if name in names:
            answers.scalars[name] = value
        for base in BASES:
            if name.startswith(base + "."):
                answers.columns[base].append((_index(name, base), value))
        if name.startswith(oids.ENTITY_CLASS + ".") and value == oids.CHASSIS:
            chassis = chassis or name.removeprefix(oids.ENTITY_CLASS)
        for column in (oids.ENTITY_MODEL, oids.ENTITY_SERIAL):
            if chassis and name == column + chassis:
                answers.scalars[column] = value
    return answers


def _index(name: str, base: str) -> Index:
    return tuple(map(int, name[len(base) + 1 :].split(".")))


def _value(tag: str, text: str) -> Value:
    if tag in _INTEGERS:
        return int(text)
    return bytes.fromhex(text) if tag == "4x" else text.encode("utf-8", "surrogateescape")
