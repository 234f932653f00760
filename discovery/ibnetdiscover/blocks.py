"""Which lines belong to one node.

A block is some attributes, then a header, then port lines. It needs no blank line around it, and where its header is
lost it is known by its `switchguid=`. Lines that follow a header which could not be read belong to nobody else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from discovery.ibnetdiscover.grammar import UNKNOWN_KIND, AttributeName
from discovery.ibnetdiscover.rows import AttributeRows, HeaderRows, PortRows
from discovery.scan import NodeKind

_ATTRIBUTE, _HEADER, _PORT = 1, 2, 3
_KINDS = (
    (AttributeName.SWITCH, NodeKind.SWITCH),
    (AttributeName.HOST, NodeKind.HOST),
    (AttributeName.ROUTER, NodeKind.ROUTER),
)
Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """One row a block, in line order; row 0 stands for "before any block" and is nobody (GUID 0)."""

    line: NDArray[np.int64]
    """Of the header; 0 where it has none."""
    guid: NDArray[np.uint64]
    kind: NDArray[np.uint8]
    """A NodeKind, or UNKNOWN_KIND."""
    system_guid: NDArray[np.uint64]
    vendor_id: NDArray[np.uint64]
    device_id: NDArray[np.uint64]
    port_count: NDArray[np.uint16]
    text_start: NDArray[np.int64]
    text_end: NDArray[np.int64]
    of_port_row: NDArray[np.int64]
    """One row a port line: its block."""


def gather_blocks(attributes: AttributeRows, headers: HeaderRows, ports: PortRows, broken: NDArray[np.int64]) -> Blocks:
    """Give every line to its block. `broken` are the lines of headers that could not be read."""
    # an entry of a port list is a header and a port line at once, so every line has two places
    block_at = _number_blocks(attributes.line * 2, np.concatenate((headers.line, broken)) * 2, ports.line * 2 + 1)
    of_header, of_attribute = block_at[headers.line * 2], block_at[attributes.line * 2]
    count = int(block_at.max(initial=0)) + 1

    def of_named(name: AttributeName) -> NDArray[np.uint64]:
        which = attributes.name == name
        return _scattered(attributes.value[which], of_attribute[which], count)

    guid, kind = np.zeros(count, np.uint64), np.full(count, UNKNOWN_KIND, np.uint8)
    for name, node_kind in _KINDS:
        which = attributes.name == name
        guid[of_attribute[which]], kind[of_attribute[which]] = attributes.value[which], node_kind
    guid[of_header], kind[of_header] = headers.guid, headers.kind
    return Blocks(
        line=_scattered(headers.line, of_header, count),
        guid=guid,
        kind=kind,
        system_guid=of_named(AttributeName.SYSTEM),
        vendor_id=of_named(AttributeName.VENDOR),
        device_id=of_named(AttributeName.DEVICE),
        port_count=_scattered(headers.ports, of_header, count),
        text_start=_scattered(headers.text_start, of_header, count),
        text_end=_scattered(headers.text_end, of_header, count),
        of_port_row=block_at[ports.line * 2 + 1],
    )


def _number_blocks(
    attributes: NDArray[np.int64], headers: NDArray[np.int64], ports: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The block at every place: a new one begins with a header or an attribute that no attribute precedes."""
    last = max(int(places.max(initial=0)) for places in (attributes, headers, ports))
    event_at = np.zeros(last + 1, np.uint8)
    event_at[attributes], event_at[headers], event_at[ports] = _ATTRIBUTE, _HEADER, _PORT
    places = np.flatnonzero(event_at)
    events = event_at[places]
    after_attribute = np.concatenate(([False], events[:-1] == _ATTRIBUTE))
    block_at = np.zeros(len(event_at), np.int64)
    block_at[places] = np.cumsum((events != _PORT) & ~after_attribute)
    return block_at


def _scattered(values: NDArray[Scalar], at: NDArray[np.int64], count: int) -> NDArray[Scalar]:
    column = np.zeros(count, values.dtype)
    column[at] = values
    return column
