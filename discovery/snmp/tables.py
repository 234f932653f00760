"""What a switch says of itself, its ports and its neighbours, as tables. Pure: from rows, whoever read them.

Agents say anything: a value of the wrong type is as unknown as one that is not there, a neighbour without ids is
dropped and told, and nothing good is lost with it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from discovery.identity import ChassisId
from discovery.lldp.identifiers import chassis_id, clean, port_id, system_name
from discovery.snmp import oids
from discovery.snmp.asking import INCOMPLETE, Flaw, Index, Value
from discovery.snmp.oids import LLDP, LLDP_V2, LldpMib

MAX_DESCRIPTION = 200
CHASSIS_MAC, PORT_MAC, LOCAL = 4, 3, 7
"""Subtypes of ids."""
_SPELLED_MAC = re.compile(rb"[0-9a-fA-F]{1,2}(?:[:-][0-9a-fA-F]{1,2}){5}")
_MAC_BYTES = 6
_BITS = 8
_NOTHING = frozenset({"", "Not Advertised"})
"""What agents write for a name that they were not told."""


@dataclass(slots=True)
class Answers:
    """What came of one switch: scalars by object id, columns by theirs with the rows behind them."""

    scalars: dict[str, Value] = field(default_factory=dict)
    columns: dict[str, list[tuple[Index, Value]]] = field(default_factory=dict)
    flaws: list[Flaw] = field(default_factory=list)
    whole: bool = True
    """Whether all neighbours are among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchInterface:
    """One row of IF-MIB."""

    index: int
    name: str | None = None
    description: str | None = None
    alias: str | None = None
    kind: int | None = None
    """ifType."""
    mac: str | None = None
    admin: int | None = None
    oper: int | None = None
    megabits: int | None = None
    in_errors: int | None = None
    out_errors: int | None = None
    symbol_errors: int | None = None

    @property
    def physical(self) -> bool:
        """Whether a cable goes into it."""
        return self.kind in oids.ETHERNET_TYPES


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalPort:
    """One port as the switch's LLDP numbers it, which is not IF-MIB's number."""

    number: int
    port_id: str | None = None
    subtype: str | None = None
    """None: the switch does not tell."""
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """One neighbour."""

    port: int
    """The local port's number in LLDP's own table."""
    chassis_id: ChassisId | None = None
    chassis_subtype: str | None = None
    port_id: str | None = None
    port_subtype: str | None = None
    port_description: str | None = None
    system_name: str | None = None
    capabilities: frozenset[int] | None = None
    """Enabled ones, by their bits in IEEE 802.1AB (2: bridge, 4: router, 7: station only); None: not told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchTables:
    """One switch."""

    chassis_id: ChassisId | None = None
    """As it tells its neighbours; None where its LLDP does not say."""
    bridge_address: str | None = None
    name: str | None = None
    description: str | None = None
    model: str | None = None
    serial: str | None = None
    uptime: float | None = None
    """Seconds since the agent began; it comes back to zero after 497 days."""
    boots: int | None = None
    """How often the agent began."""
    interfaces: Mapping[int, SwitchInterface] = field(default_factory=dict)
    local_ports: Mapping[int, LocalPort] = field(default_factory=dict)
    ports_are_interfaces: bool = False
    """Whether local ports have IF-MIB's numbers (LLDP-V2-MIB)."""
    remotes: tuple[Remote, ...] = ()
    flaws: tuple[Flaw, ...] = ()
    whole: bool = True
    """Whether all neighbours are among them."""


def read_tables(answers: Answers) -> SwitchTables:
    """The tables of one switch."""
    mib = LLDP_V2 if not _speaks(answers, LLDP) and _speaks(answers, LLDP_V2) else LLDP
    scalars = answers.scalars
    remotes, flaws = _remotes(answers, mib)
    subtype, raw = _number(scalars.get(mib.chassis_subtype)), _raw(scalars.get(mib.chassis_id))
    if subtype is None and len(raw) == _MAC_BYTES:
        subtype = CHASSIS_MAC
    ticks = _number(scalars.get(oids.UPTIME))
    return SwitchTables(
        chassis_id=_chassis(subtype, raw)[0] if subtype is not None else None,
        bridge_address=_mac(scalars.get(oids.BRIDGE_ADDRESS)),
        name=_name(scalars.get(oids.SYSTEM_NAME)) or _name(scalars.get(mib.system_name)),
        description=_text(scalars.get(oids.SYSTEM_DESCRIPTION)),
        model=_text(scalars.get(oids.ENTITY_MODEL)),
        serial=_text(scalars.get(oids.ENTITY_SERIAL)),
        uptime=ticks / 100 if ticks is not None else None,
        boots=_number(scalars.get(oids.ENGINE_BOOTS)),
        interfaces=_interfaces(answers),
        local_ports=_local_ports(answers, mib),
        ports_are_interfaces=mib is LLDP_V2,
        remotes=remotes,
        flaws=(*answers.flaws, *flaws),
        whole=answers.whole,
    )


def _speaks(answers: Answers, mib: LldpMib) -> bool:
    """Whether the switch told anything by it."""
    return mib.chassis_id in answers.scalars or bool(answers.columns.get(mib.remote))


def _interfaces(answers: Answers) -> dict[int, SwitchInterface]:
    columns = {column: _by_index(answers.columns.get(column, ())) for column in oids.IF_COLUMNS}
    indices = sorted({index for column in columns.values() for index in column})

    def number(column: str, index: int) -> int | None:
        return _number(columns[column].get(index))

    def text(column: str, index: int) -> str | None:
        return _text(columns[column].get(index))

    return {
        index: SwitchInterface(
            index=index,
            name=text(oids.IF_NAME, index),
            description=text(oids.IF_DESCRIPTION, index),
            alias=text(oids.IF_ALIAS, index),
            kind=number(oids.IF_TYPE, index),
            mac=_mac(columns[oids.IF_ADDRESS].get(index)),
            admin=number(oids.IF_ADMIN, index),
            oper=number(oids.IF_OPER, index),
            megabits=number(oids.IF_HIGH_SPEED, index) or None,
            in_errors=number(oids.IF_IN_ERRORS, index),
            out_errors=number(oids.IF_OUT_ERRORS, index),
            symbol_errors=number(oids.SYMBOL_ERRORS, index),
        )
        for index in indices
    }


def _local_ports(answers: Answers, mib: LldpMib) -> dict[int, LocalPort]:
    table = _rows(answers.columns.get(mib.local_ports, ()), 1)
    return {index[0]: _local_port(index[0], row) for index, row in table.items()}


def _local_port(number: int, row: Mapping[int, Value]) -> LocalPort:
    subtype, raw = _number(row.get(2)), _raw(row.get(3))
    spelled = _port(subtype if subtype is not None else _likely_subtype(raw), raw)
    return LocalPort(
        number=number,
        port_id=spelled[0],
        subtype=spelled[1] if subtype is not None else None,
        description=_text(row.get(4)),
    )


def _likely_subtype(raw: bytes) -> int:
    """Of an id whose subtype the switch keeps to itself: six bytes that are no text are a MAC."""
    return PORT_MAC if len(raw) == _MAC_BYTES and not all(0x20 <= byte < 0x7F for byte in raw) else LOCAL


def _remotes(answers: Answers, mib: LldpMib) -> tuple[tuple[Remote, ...], list[Flaw]]:
    table = _rows(answers.columns.get(mib.remote, ()), mib.index_length)
    read = [(index[1], _remote(index[1], row, mib)) for index, row in table.items()]
    nameless = [port for port, remote in read if remote is None]
    told = f"{len(nameless)} of {len(read)} neighbours have no ids that can be read"
    flaws = [Flaw(INCOMPLETE, f"{told}, the first on local port {nameless[0]}")] if nameless else []
    return tuple(remote for _, remote in read if remote is not None), flaws


def _remote(port: int, row: Mapping[int, Value], mib: LldpMib) -> Remote | None:
    chassis_subtype, chassis, port_subtype, own, port_description, name, enabled = (
        row.get(column) for column in mib.remote_columns
    )
    chassis_kind, port_kind = _number(chassis_subtype), _number(port_subtype)
    if chassis_kind is None or port_kind is None or not isinstance(chassis, bytes) or not isinstance(own, bytes):
        return None
    spelled_chassis, chassis_word = _chassis(chassis_kind, chassis)
    spelled_port, port_word = _port(port_kind, own)
    if spelled_chassis is None and spelled_port is None and _name(name) is None:
        return None
    return Remote(
        port=port,
        chassis_id=spelled_chassis,
        chassis_subtype=chassis_word,
        port_id=spelled_port,
        port_subtype=port_word,
        port_description=_text(port_description),
        system_name=_name(name),
        capabilities=_capabilities(enabled),
    )


def _capabilities(value: Value) -> frozenset[int] | None:
    """Of SNMP's BITS: the first is the highest of the first octet. More than two octets are something else."""
    raw = _raw(value)
    if not 0 < len(raw) <= 2:
        return None
    return frozenset(bit for bit in range(len(raw) * _BITS) if raw[bit // _BITS] >> (_BITS - 1 - bit % _BITS) & 1)


def _rows(entry: Iterable[tuple[Index, Value]], length: int) -> dict[Index, dict[int, Value]]:
    """Rows of a table by their index, as values by column; rows with an index of another length are none of it."""
    rows: dict[Index, dict[int, Value]] = defaultdict(dict)
    for index, value in entry:
        if len(index) == length + 1:
            rows[index[1:]][index[0]] = value
    return rows


def _by_index(column: Sequence[tuple[Index, Value]]) -> dict[int, Value]:
    return {index[0]: value for index, value in column if len(index) == 1}


def _number(value: Value) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _raw(value: Value) -> bytes:
    return value if isinstance(value, bytes) else b""


def _text(value: Value) -> str | None:
    """Printable text; bytes that are none (a description sent as octets) are read as far as they go."""
    return clean(_raw(value).decode("utf-8", "replace"))[:MAX_DESCRIPTION] or None


def _name(value: Value) -> str | None:
    name = system_name(_raw(value))
    return name if name not in _NOTHING else None


def _chassis(subtype: int, raw: bytes) -> tuple[ChassisId | None, str]:
    return chassis_id(subtype, _octets(raw) if subtype == CHASSIS_MAC else raw)


def _port(subtype: int, raw: bytes) -> tuple[str | None, str]:
    return port_id(subtype, _octets(raw) if subtype == PORT_MAC else raw)


def _octets(raw: bytes) -> bytes:
    """The octets of a MAC that the agent (Aruba CX) sends as text."""
    if not _SPELLED_MAC.fullmatch(raw):
        return raw
    return bytes(int(octet, 16) for octet in raw.replace(b"-", b":").split(b":"))


def _mac(value: Value) -> str | None:
    raw = _octets(_raw(value))
    return raw.hex(":") if len(raw) == _MAC_BYTES and any(raw) else None
