"""A recording with other names for everything: all of its files, and the names of its folders.

Each kind of file is read for what it says: what is a name in one is a device or a product in another. A file that is
not understood here is left out and told, never passed on as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_address

from discovery.descriptions import host_name, switch_name
from discovery.identity import ChassisId
from discovery.lldp.answers import read_answer
from discovery.lldp.identifiers import ADDRESS, MAC
from discovery.recording import layout
from discovery.recording.neighbours import write_neighbours
from discovery.recording.pseudonyms import Pseudonyms
from discovery.reports import Neighbour
from discovery.snmp import oids
from discovery.snmp.oids import LLDP, LLDP_V2

_EUI = re.compile(r"(?<![0-9a-f:])((?:[0-9a-f]{4}:){4})?((?:[0-9a-f]{4}:){3}[0-9a-f]{4})(?![0-9a-f:])", re.IGNORECASE)
_MAC = re.compile(r"(?<![0-9a-f:])(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![0-9a-f:])", re.IGNORECASE)
_UUID = re.compile(r"(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])", re.IGNORECASE)
_IPV4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
_BARE_GUID = re.compile(r"(?<![0-9A-Za-z])(0x)?([0-9a-f]{9,16})(?![0-9A-Za-z])")
_DESCRIPTION = re.compile(r'(#.*?")(.*)(")')
_IN_A_NAME = re.compile(r"(?<![0-9A-Za-z])((?:en|ib|roce|iw|opa)x)([0-9a-f]{12})")
"""Devices and interfaces that are named by their MAC."""
_PORT = re.compile(
    r"(?:(?:swp|eth(?:ernet)?|et|xe|ge|(?:ten|twentyfive|forty|fifty|hundred|twohundred|fourhundred)?gig\w*|port|mgmt"
    r"|management|ma|me|em|fxp|vme|irb|vlan|lo(?:opback)?|bond|po|port-channel|ae|null|en[opsx]\w*)[-_ ]?)?"
    r"\d*(?:[/:.sp]\d+)*",
    re.IGNORECASE,
)
_PRODUCT = re.compile(r"Mellanox|NVIDIA|ConnectX|Quantum|Aggregation|Infiniscale|Voltaire|QLogic", re.IGNORECASE)
_KEPT_OF_SMI = ("gpu uuid", "attached gpus", "driver version", "product name")
_DROPPED = frozenset({oids.SYSTEM_DESCRIPTION, oids.IF_ALIAS})
_NAMES = frozenset({oids.SYSTEM_NAME, LLDP.system_name, LLDP_V2.system_name})


@dataclass(frozen=True, slots=True)
class Anonymised:
    """The files with their new names, and those that were left out, each with the reason."""

    texts: Mapping[str, str]
    left_out: Mapping[str, str] = field(default_factory=dict)
    free: Callable[[str], str] = str
    """Does the same to a sentence about them."""


def anonymise(texts: Mapping[str, str], names: Pseudonyms) -> Anonymised:
    """The texts of one moment by their paths."""
    renaming = _Renaming(names)
    left_out: dict[str, str] = {}
    done: dict[str, str] = {}
    for path, text in sorted(texts.items(), key=lambda item: _is_free_text(item[0])):
        file = path.rpartition("/")[2]
        rewrite = _rewriter(file, renaming)
        if rewrite is None:
            left_out[path] = "nobody knows what in it is a name"
            continue
        done[renaming.path(path)] = rewrite(text)
    return Anonymised(done, left_out, renaming.free)


def _is_free_text(path: str) -> bool:
    """What may name anything comes last, when all names are known."""
    return path.endswith((layout.WORDS, f"/{layout.FAILED}"))


def _rewriter(file: str, renaming: _Renaming) -> Callable[[str], str] | None:
    known: Mapping[str, Callable[[str], str]] = {
        layout.HOST: renaming.numbers,
        layout.LINKS: renaming.numbers,
        layout.LLDP_ANSWER: renaming.neighbours,
        layout.NVML: renaming.numbers,
        layout.SMI: renaming.smi,
        layout.SMI_LINKS: renaming.numbers,
        layout.SMI_ERRORS: renaming.numbers,
        layout.COUNTERS: lambda text: text,
        layout.CLUSTER: renaming.cluster,
        layout.FAILED: renaming.free,
    }
    if file in known:
        return known[file]
    endings: Mapping[str, Callable[[str], str]] = {
        layout.WALK: renaming.walk,
        layout.WORDS: renaming.free,
        layout.CODE: lambda text: text,
    }
    if file.startswith(layout.SWEEP) and file.endswith(layout.MAP):
        return renaming.sweep
    return next((rewrite for ending, rewrite in endings.items() if file.endswith(ending)), None)


@dataclass(slots=True)
class _Renaming:
    to: Pseudonyms
    met: dict[str, str] = field(default_factory=dict)

    def name(self, text: str) -> str:
        """A name, noted for texts that may use it, too."""
        if not text:
            return text
        new = self.to.name(text)
        self.met[text] = new
        return new

    def path(self, path: str) -> str:
        """Folders of nodes are named as they are; walks as the address that was asked."""
        parts = path.split("/")
        if parts[0] == layout.NODES:
            parts[1] = self.name(parts[1])
        if parts[0] == layout.FABRICS:
            parts[1] = parts[1] if parts[1] in ("default", "ib", "eth") else self.name(parts[1])
        if parts[-1].endswith(layout.WALK):
            parts[-1] = self._host(parts[-1].removesuffix(layout.WALK)) + layout.WALK
        return "/".join(parts)

    def numbers(self, text: str) -> str:
        """GUIDs, MACs, UUIDs and addresses, wherever they stand."""
        text = _UUID.sub(lambda found: self.to.uuid(found[0]), text)
        text = _EUI.sub(lambda found: (found[1] or "") + self._eui(found[2]), text)
        text = _IN_A_NAME.sub(lambda found: found[1] + self.to.hexadecimal(found[2]), text)
        text = _MAC.sub(lambda found: self._mac(found[0]), text)
        return _IPV4.sub(lambda found: self._address(found[0]), text)

    def sweep(self, text: str) -> str:
        """What ibnetdiscover prints: descriptions in quotes behind a `#`, and bare GUIDs in all other places."""
        return "".join(self._line(line) for line in text.splitlines(keepends=True))

    def _line(self, line: str) -> str:
        match = _DESCRIPTION.search(line)
        if match is None:
            return self._bare(line)
        head, told, tail = line[: match.start(2)], match[2], line[match.end(2) :]
        described = self._switch(told) if line.startswith("Switch") or '"S-' in head[1:] else self._adapter(told)
        return self._bare(head) + described + tail

    def _switch(self, told: str) -> str:
        name = switch_name(told)
        stem = name.partition("/")[0] if told.startswith("MF") else name
        return told.replace(stem, self.name(stem), 1) if stem else told

    def _adapter(self, told: str) -> str:
        host, _ = host_name(told)
        if host is not None:
            return told.replace(host, self.name(host), 1)
        return told if _PRODUCT.search(told) or len(told.split()) < 2 else self.name(told)

    def neighbours(self, text: str) -> str:
        """What lldpd told; only what is understood of it is written again."""
        heard = read_answer(text).neighbours
        return write_neighbours({port: tuple(map(self._neighbour, of_one)) for port, of_one in heard.items()})

    def _neighbour(self, one: Neighbour) -> Neighbour:
        chassis = self._identity(one.chassisIdSubtype, one.chassisId)
        return replace(
            one,
            chassisId=ChassisId(chassis) if chassis else None,
            portId=self._identity(one.portIdSubtype, one.portId, is_port=True),
            systemName=self.name(one.systemName) if one.systemName else None,
        )

    def _identity(self, subtype: str | None, told: str | None, *, is_port: bool = False) -> str | None:
        if told is None or subtype == MAC:
            return self.numbers(told) if told else told
        if is_port and subtype != ADDRESS:
            return self._port(told)
        return self._host(told) if subtype == ADDRESS else self.to.name(told)

    def _port(self, told: str) -> str:
        """As switches name their ports: that says nothing of whose they are."""
        return told if _PORT.fullmatch(told) else self.to.name(told)

    def smi(self, text: str) -> str:
        """Of `nvidia-smi -q` what says which GPU it is and how its fabric is; all else is dropped."""
        return self.numbers("".join(f"{line}\n" for line in _about_fabric(text)))

    def cluster(self, text: str) -> str:
        """The Nodes; values of labels are numbers or names."""
        lines = (line.partition(" ") for line in text.splitlines())
        return "".join(f"{self.name(name)}{blank}{self.numbers(words)}\n" for name, blank, words in lines)

    def walk(self, text: str) -> str:
        """SNMP: by column, for octets do not say what they are."""
        return "".join(self._row(*line.split("|", 2)) for line in text.splitlines() if line.count("|") >= 2)

    def _row(self, name: str, tag: str, told: str) -> str:
        column = _column(name)
        if name in _DROPPED or column in _DROPPED or column in _DESCRIPTIONS:
            told, tag = "", "4"
        elif name in _NAMES or column in _SYSTEM_NAMES:
            told, tag = self.name(_as_text(tag, told)), "4"
        elif tag == "4x" and len(told) == 12 and column not in _CAPABILITIES:
            told = self.to.hexadecimal(told)
        elif column in _PORTS:
            told = self._port(told) if tag == "4" else self.to.hexadecimal(told)
        elif column in _CHASSIS_IDS or name in (LLDP.chassis_id, LLDP_V2.chassis_id) or column == oids.ENTITY_SERIAL:
            told = self.to.hexadecimal(told) if tag == "4x" else self.to.name(told)
        return f"{name}|{tag}|{self.numbers(told) if tag == '4' else told}\n"

    def free(self, text: str) -> str:
        """Text that may name anything: known names, GUIDs and addresses."""
        known = sorted(self.met, key=len, reverse=True)
        if known:
            pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in known))
            text = pattern.sub(lambda found: self.met[found[0]], text)
        return self._bare(self.numbers(text))

    def _bare(self, text: str) -> str:
        return _BARE_GUID.sub(lambda found: (found[1] or "") + self._guid(found[2]), text)

    def _guid(self, digits: str) -> str:
        return f"{self.to.guid(int(digits, 16)):0{len(digits)}x}"

    def _eui(self, told: str) -> str:
        digits = self.to.hexadecimal(told.replace(":", "").lower())
        return ":".join(digits[at : at + 4] for at in range(0, 16, 4))

    def _mac(self, told: str) -> str:
        digits = self.to.hexadecimal(told.replace(":", "").lower())
        return ":".join(digits[at : at + 2] for at in range(0, 12, 2))

    def _address(self, told: str) -> str:
        try:
            return self.to.address(told)
        except ValueError:
            return told

    def _host(self, told: str) -> str:
        try:
            ip_address(told)
        except ValueError:
            return self.to.name(told)
        return self.to.address(told)


def _about_fabric(text: str) -> Iterator[str]:
    """Heads of GPUs, the few lines that are kept, and Fabric blocks."""
    depth: int | None = None
    for line in text.splitlines():
        stripped = line.expandtabs(8)
        indent = len(stripped) - len(stripped.lstrip())
        if depth is not None and stripped.strip() and indent <= depth:
            depth = None
        if stripped.strip() == "Fabric":
            depth = indent
        key = stripped.partition(":")[0].strip().lower()
        if depth is not None or key in _KEPT_OF_SMI or stripped.startswith("GPU "):
            yield line


def _as_text(tag: str, told: str) -> str:
    return bytes.fromhex(told).decode("utf-8", "replace") if tag == "4x" else told


def _column(name: str) -> str:
    """The object id up to the column, of the tables that are known."""
    for table in _COLUMNS:
        if name.startswith(f"{table}."):
            return table
    return ""


_CHASSIS_IDS = frozenset(f"{mib.remote}.{mib.remote_columns[1]}" for mib in (LLDP, LLDP_V2))
_PORTS = frozenset({oids.IF_NAME, oids.IF_DESCRIPTION}).union(
    *(
        {f"{mib.remote}.{mib.remote_columns[3]}", f"{mib.local_ports}.3", f"{mib.local_ports}.4"}
        for mib in (LLDP, LLDP_V2)
    )
)
_SYSTEM_NAMES = frozenset(f"{mib.remote}.{mib.remote_columns[5]}" for mib in (LLDP, LLDP_V2))
_DESCRIPTIONS = frozenset(f"{mib.remote}.{mib.remote_columns[4]}" for mib in (LLDP, LLDP_V2))
_CAPABILITIES = frozenset(f"{mib.remote}.{mib.remote_columns[6]}" for mib in (LLDP, LLDP_V2))
_COLUMNS = (*_PORTS, *_CHASSIS_IDS, *_SYSTEM_NAMES, *_DESCRIPTIONS, *_CAPABILITIES, oids.IF_ALIAS, oids.ENTITY_SERIAL)
