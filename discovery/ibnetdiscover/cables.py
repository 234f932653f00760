"""The cables: the port lines of both ends become one row, and a port holds one cable."""

from __future__ import annotations

from dataclasses import fields
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from discovery.ibnetdiscover.nodes import Ends
from discovery.ibnetdiscover.rows import Tables
from discovery.scan import LinkColumns

MAX_NODES = 1 << 24
"""A cable's end is a node index and a port in 32 bits, a cable is two ends in 64."""
_PORT, _END = np.uint64(8), np.uint64(32)
_BY_A, _BY_B = np.uint8(1), np.uint8(2)

Scalar = TypeVar("Scalar", bound=np.generic)


def join_cables(ends: Ends, tables: Tables) -> LinkColumns:
    """One row a cable, by its ends.

    Where its two lines differ, the smaller width and the slower speed count. Of two cables that claim one port, that
    stays which both ends report, else the one of the later line; the other is reported as a problem.
    """
    links, lines = _merge(ends)
    second = _second_claims(links, lines)
    if not second.any():
        return links
    tables.refuse(lines[second], "another line gives one of these two ports to another cable, which is kept")
    return LinkColumns(*(getattr(links, column.name)[~second] for column in fields(LinkColumns)))


def _merge(ends: Ends) -> tuple[LinkColumns, NDArray[np.int64]]:
    """All claimed cables, and the last line that tells of each."""
    rows = ends.rows
    near = ends.near.astype(np.uint64) << _PORT | rows.port
    far = ends.far.astype(np.uint64) << _PORT | rows.peer_port
    near_is_a = near <= far
    key = np.where(near_is_a, near << _END | far, far << _END | near)
    order = np.argsort(key)
    key = key[order]
    new = np.ones(len(key), np.bool_)
    new[1:] = key[1:] != key[:-1]
    first = np.flatnonzero(new)
    a, b = key[first] >> _END, key[first].astype(np.uint32)

    def merged(how: np.ufunc, column: NDArray[Scalar]) -> NDArray[Scalar]:
        return how.reduceat(column[order], first) if len(first) else column

    def slower(column: NDArray[np.uint8]) -> NDArray[np.uint8]:
        # 0 is unknown: one less is 255, so it loses against everything known
        return merged(np.minimum, column - np.uint8(1)) + np.uint8(1)

    links = LinkColumns(
        a_node=(a >> _PORT).astype(np.int32),
        a_port=(a & 0xFF).astype(np.int16),
        b_node=(b >> _PORT).astype(np.int32),
        b_port=(b & 0xFF).astype(np.int16),
        a_port_guid=merged(np.maximum, np.where(near_is_a, rows.port_guid, rows.peer_port_guid)),
        b_port_guid=merged(np.maximum, np.where(near_is_a, rows.peer_port_guid, rows.port_guid)),
        width=slower(rows.width),
        speed=slower(rows.speed),
        reported_by=merged(np.bitwise_or, np.where(near_is_a, _BY_A, _BY_B)),
    )
    return links, merged(np.maximum, rows.line)


def _second_claims(links: LinkColumns, lines: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The cables whose port another cable holds with better right."""
    a = links.a_node.astype(np.int64) << 8 | links.a_port
    b = links.b_node.astype(np.int64) << 8 | links.b_port
    second = np.zeros(len(a), np.bool_)
    claimed = np.sort(np.concatenate((a, b[a != b])))
    contested = claimed[1:][claimed[1:] == claimed[:-1]]
    if not len(contested):
        return second
    both = links.reported_by == _BY_A | _BY_B
    suspects = np.flatnonzero(np.isin(a, contested) | np.isin(b, contested))
    taken: set[int] = set()
    for cable in suspects[np.lexsort((lines[suspects], both[suspects]))][::-1].tolist():
        held = {int(a[cable]), int(b[cable])}
        second[cable] = not taken.isdisjoint(held)
        if not second[cable]:
            taken |= held
    return second
