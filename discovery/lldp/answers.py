"""What lldpd's client prints, as neighbours: `lldpctl -f json0`, its older `json`, and `keyvalue`. Pure.

`json` writes an object where there is one of a kind, a list where there are several, and uses names as keys; `json0`
always writes lists. All are taken, so that recordings of any version can be read. Where lldpd has nothing to tell or
does not run, nothing is printed; several documents may follow each other.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from discovery.identity import ChassisId
from discovery.lldp.identifiers import MAX_NAME, clean, told_id
from discovery.lldp.neighbours import Neighbours, folded
from discovery.reports import Neighbour

MAX_PORTS = 512
"""So many interfaces are read of one answer."""
MAX_INTERFACE = 15
"""Bytes of the name of an interface of Linux."""
_PROTOCOL = "LLDP"
"""lldpd hears CDP and others too, which name things in another way."""
_UNKNOWN_SUBTYPES = ("", "unhandled")
_KINDS_OF_ID = ("mac", "ifname", "ifalias", "local", "ip", "unhandled")


@dataclass(frozen=True, slots=True)
class Answer:
    """What one answer says, and what of it could not be used."""

    neighbours: Neighbours = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    """Each once, with how often where that is more than once."""


def read_answer(text: str) -> Answer:
    """Of any of the three forms."""
    text = text.lstrip("\ufeff \t\r\n")
    found: dict[str, list[Neighbour]] = defaultdict(list)
    problems: Counter[str] = Counter()
    if text.startswith("lldp."):
        heard: Iterator[tuple[str, Neighbour]] = _by_keys(text)
    else:
        heard = _in_documents(text, problems)
    for port, neighbour in heard:
        if not _is_name(port):
            problems["a neighbour on an interface whose name cannot be one"] += 1
        elif port in found or len(found) < MAX_PORTS:
            found[port].append(neighbour)
        else:
            problems[f"more than {MAX_PORTS} interfaces"] = 1
    told = (problem if times == 1 else f"{problem} ({times} times)" for problem, times in problems.items())
    return Answer({port: folded(neighbours) for port, neighbours in found.items()}, tuple(told))


def _is_name(interface: str) -> bool:
    """Whether an interface can be called so: in text that shows, and no longer than Linux has it."""
    return interface == clean(interface) and 0 < len(interface.encode()) <= MAX_INTERFACE


def _in_documents(text: str, problems: Counter[str]) -> Iterator[tuple[str, Neighbour]]:
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        try:
            document, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            problems["something that is no JSON; what came before it counts"] += 1
            return
        while at < len(text) and text[at].isspace():
            at += 1
        for lldp in _each(_member(document, "lldp")):
            for name, interface in _named(_member(lldp, "interface")):
                yield from _of_interface(name, interface, problems)


def _of_interface(name: str, interface: object, problems: Counter[str]) -> Iterator[tuple[str, Neighbour]]:
    if not name or _text(_member(interface, "via")) != _PROTOCOL:
        return
    chassis_name, chassis = next(_named(_member(interface, "chassis")), ("", None))
    _, port = next(_named(_member(interface, "port")), ("", None))
    neighbour = _neighbour(
        _identity(chassis), _identity(port), chassis_name or _text(next(_each(_member(chassis, "name")), None))
    )
    if neighbour is None:
        problems[f"a neighbour on {clean(name)[:16]} without an id"] += 1
    else:
        yield name, neighbour


def _neighbour(chassis: tuple[str, str], port: tuple[str, str], name: str) -> Neighbour | None:
    """None where neither end can be told from another. A name that is the chassis id is none."""
    chassis_id, port_id = told_id(*chassis), told_id(*port)
    if chassis_id is None and port_id is None:
        return None
    return Neighbour(
        chassisId=ChassisId(chassis_id) if chassis_id else None,
        chassisIdSubtype=_subtype(chassis[0]),
        portId=port_id,
        portIdSubtype=_subtype(port[0]),
        systemName=clean(name)[:MAX_NAME] or None,
    )


def _subtype(name: str) -> str | None:
    return None if name in _UNKNOWN_SUBTYPES else clean(name)[:MAX_NAME]


def _identity(holder: object) -> tuple[str, str]:
    """Subtype and text of the id of a chassis or port."""
    one = next(_each(_member(holder, "id")), None)
    return _text(_member(one, "type")), _text(_member(one, "value"))


def _named(value: object) -> Iterator[tuple[str, object]]:
    """Things with their names: a list of things that say their `name`, or objects whose keys are names. A thing without
    a name is one with `id` or `via`, which no name is."""
    for one in _each(value):
        if not isinstance(one, dict):
            continue
        if "id" in one or "via" in one:
            name = one.get("name")
            yield (name if isinstance(name, str) else ""), one
        else:
            for name, thing in one.items():
                yield from ((str(name), each) for each in _each(thing))


def _each(value: object) -> Iterator[object]:
    """The members of a list, or the one thing that stands for a list of one."""
    if isinstance(value, list):
        yield from value
    elif value is not None:
        yield value


def _member(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, dict) else None


def _text(value: object) -> str:
    """A text, itself or as the `value` of an object."""
    inner = _member(value, "value") if isinstance(value, dict) else value
    return inner if isinstance(inner, str) else str(inner) if isinstance(inner, int) else ""


def _by_keys(text: str) -> Iterator[tuple[str, Neighbour]]:
    """`lldp.<interface>.<key>=<value>`: a neighbour begins with its key `via`; names of interfaces may have dots, and
    every key belongs to the interface that it names, wherever it stands."""
    blocks: dict[str, list[dict[str, str]]] = defaultdict(list)
    for line in text.split("\n"):
        path, equals, value = line.partition("=")
        if not equals or not path.startswith("lldp."):
            continue
        path = path.removeprefix("lldp.")
        if path.endswith(".via"):
            blocks[path.removesuffix(".via")].append({"via": value})
            continue
        port, _, key = path.partition(".chassis.") if ".chassis." in path else path.partition(".port.")
        if blocks.get(port) and key:
            kind = "chassis" if ".chassis." in path else "port"
            blocks[port][-1].setdefault(f"{kind}.{key}", value)
    for port, neighbours in blocks.items():
        for said in neighbours:
            neighbour = _neighbour(_key_of(said, "chassis"), _key_of(said, "port"), said.get("chassis.name", ""))
            if said["via"] == _PROTOCOL and neighbour is not None:
                yield port, neighbour


def _key_of(said: dict[str, str], kind: str) -> tuple[str, str]:
    return next(((name, said[f"{kind}.{name}"]) for name in _KINDS_OF_ID if f"{kind}.{name}" in said), ("", ""))
