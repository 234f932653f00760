"""What changed, as the journal keeps it: one bounded line a change, and the ring of ConfigMaps that the lines lie in.

A ConfigMap of the ring holds batches: the key is the number of the batch's first change since the journal began, in
twelve digits, the value its changes as JSON lines. A batch is never changed; a ConfigMap that has enough of them is
closed, and the next one of the ring is emptied and begun anew. So the last `KEPT` changes are always there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

import msgspec

from controller.reasons import Happening
from kube.records import ConfigMap
from topology.diff import Change

NAMES = tuple(f"hyperscout-changes-{number}" for number in range(6))
"""The ring, in the order in which it is filled."""
CLOSED_AT = 200
"""So many changes close a ConfigMap: five closed ones hold what is promised."""
KEPT = 1000
BATCH = 100
"""Changes of one write at most: a ConfigMap never has more than 299 of them, each under 3 KB."""
TOLD_AT_ONCE = 250
"""Changes of the tree that one look tells one by one."""

_SENTENCE, _NODES, _HYPER_NODES = 600, 1400, 600
"""Bytes of JSON at most."""
_KEY = 12
_BETWEEN_WORDS = re.compile(r"[\s,;:()]+")


class Entry(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """One change."""

    at: datetime
    reason: str
    what: str
    """A sentence."""
    hyper_nodes: tuple[str, ...] = ()
    """Those that it is about."""
    nodes: tuple[str, ...] = ()
    """Those that came, went, moved or turned, as far as there is room for their names."""
    nodes_left_out: int = 0
    switches: tuple[str, ...] = ()
    """Names of SwitchReports."""

    def names(self, name: str) -> bool:
        """Whether it is about the HyperNode, node or switch of that name, or its sentence has it as a word."""
        listed = (*self.hyper_nodes, *self.nodes, *self.switches)
        return name in listed or name in _BETWEEN_WORDS.split(self.what)


def of_changes(changes: Sequence[Change], at: datetime) -> Iterator[Entry]:
    """Changes of the tree in one look; a whole new tree does not push everything else out of the journal."""
    for change in changes[:TOLD_AT_ONCE]:
        yield _of_change(change, at)
    rest = changes[TOLD_AT_ONCE:]
    if rest:
        names = tuple(dict.fromkeys(name for change in rest for name in change.hyper_nodes))
        yield Entry(at, "MoreChanges", f"and {len(rest)} more changes", _bounded(names, _HYPER_NODES))


def _of_change(change: Change, at: datetime) -> Entry:
    """A change of the tree."""
    nodes = _bounded(change.nodes, _NODES)
    return Entry(
        at,
        change.kind,
        _cut(change.sentence),
        hyper_nodes=_bounded(change.hyper_nodes, _HYPER_NODES),
        nodes=nodes,
        nodes_left_out=len(change.nodes) - len(nodes),
    )


def of_happening(happening: Happening, at: datetime) -> Entry:
    """What an Event tells."""
    about, name = happening.about.kind, (happening.about.name,)
    return Entry(
        at,
        happening.reason,
        _cut(f"{about} {happening.about.name}: {happening.message}"),
        hyper_nodes=name if about == "HyperNode" else (),
        nodes=name if about == "Node" else (),
        switches=name if about == "SwitchReport" else (),
    )


def _bounded(names: Sequence[str], most: int) -> tuple[str, ...]:
    room = most
    for count, name in enumerate(names):
        room -= len(name) + 3  # two quotes and a comma; names are ASCII
        if room < 0:
            return tuple(names[:count])
    return tuple(names)


def _cut(sentence: str) -> str:
    """At most so many bytes as JSON; what is no printable sign becomes a question mark."""
    shown = "".join(sign if sign.isprintable() else "?" for sign in sentence[:_SENTENCE])
    cut = shown
    while len(msgspec.json.encode(cut)) > _SENTENCE:
        shown = shown[:-10]
        cut = shown + "…"
    return cut


def key_of(number: int) -> str:
    """The key of the batch that begins with the change of that number."""
    return f"{number:0{_KEY}d}"


def written(entries: Iterable[Entry]) -> str:
    """A batch as it is kept."""
    return "".join(msgspec.json.encode(entry).decode() + "\n" for entry in entries)


def batches(held: ConfigMap) -> Mapping[int, str]:
    """The batches of a ConfigMap by the number of their first change; keys that are none of ours are left out."""
    found = {key: text for key, text in held.data.items() if len(key) == _KEY and key.isdecimal()}
    return {int(key): found[key] for key in sorted(found)}


def next_number(held: ConfigMap) -> int:
    """The number of the change that would come next behind all that it holds."""
    return max((number + text.count("\n") for number, text in batches(held).items()), default=0)


def read_all(ring: Iterable[ConfigMap]) -> list[Entry]:
    """The last changes that the ring holds, the oldest first; a line that cannot be read is left out."""
    texts: dict[int, str] = {}
    for held in ring:
        texts |= batches(held)
    entries = [entry for number in sorted(texts) for entry in _read(texts[number])]
    return entries[-KEPT:]


def _read(text: str) -> Iterator[Entry]:
    for line in text.splitlines():
        try:
            yield msgspec.json.decode(line, type=Entry)
        except msgspec.DecodeError:
            continue
