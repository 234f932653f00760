"""Several scans as one: nodes joined by GUID, cables by their ends; who told what is kept, for sources may disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from discovery.scan import LinkColumns, NodeColumns, Scan

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """What each scan says of each cable, one row a scan and cable; the columns run parallel."""

    link: NDArray[np.int64]
    """The row of the cable in the joined links."""
    scan: NDArray[np.int64]
    told: NDArray[np.uint8]
    """Which ends told of it in that scan, as `LinkColumns.reported_by`."""


def join_scans(scans: Sequence[Scan]) -> tuple[NodeColumns, LinkColumns, Words]:
    """One table of nodes and one of links for all scans; a node is known by its GUID, a link by its two ends."""
    if not scans:
        raise ValueError("no scan to conclude from")
    if len(scans) == 1:
        links = scans[0].links
        return scans[0].nodes, links, Words(np.arange(len(links)), np.zeros(len(links), np.int64), links.reported_by)
    guids = np.concatenate([scan.nodes.guid for scan in scans])
    described = np.concatenate([scan.nodes.described for scan in scans])
    first, number = _first_of_each(guids, described)
    columns = [
        np.concatenate([getattr(scan.nodes, column) for scan in scans])[first]
        for column in ("system_guid", "kind", "vendor_id", "device_id", "port_count")
    ]
    texts = [text for scan in scans for text in scan.nodes.description]
    nodes = NodeColumns(
        guids[first], columns[0], columns[1], columns[2], columns[3], columns[4],
        described[first], tuple(texts[row] for row in first.tolist()),
    )  # fmt: skip
    return nodes, *_join_links(scans, number)


def _first_of_each(
    guids: NDArray[np.uint64], described: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Rows to keep (a described one before a neighbour's word), and for each row the number of its node."""
    identity = guids.copy()
    unknown = identity == 0
    identity[unknown] = np.uint64(2**64 - 1) - np.arange(unknown.sum(), dtype=np.uint64)  # no identity: each its own
    order = np.lexsort((~described, identity))
    distinct, start, inverse = np.unique(identity[order], return_index=True, return_inverse=True)
    number = np.empty(len(guids), np.int32)
    number[order] = inverse
    kept = order[start]
    rank = np.argsort(np.argsort(kept))  # nodes keep the order in which they were first read
    position = np.empty(len(distinct), np.int64)
    position[rank] = kept
    return position, rank[number].astype(np.int32)


def _join_links(scans: Sequence[Scan], number: NDArray[np.int32]) -> tuple[LinkColumns, Words]:
    """Of a cable that several scans saw, what is known counts before what is not, and the slower rate of two."""
    offsets = np.cumsum([0] + [len(scan.nodes) for scan in scans[:-1]])
    seen = [_turned(scan.links, number[offset:]) for scan, offset in zip(scans, offsets.tolist(), strict=True)]
    column = {name: np.concatenate([getattr(links, name) for links in seen]) for name in LinkColumns.__slots__}
    order = np.lexsort((column["b_port"], column["b_node"], column["a_port"], column["a_node"]))
    ends = np.stack([column[name][order] for name in ("a_node", "a_port", "b_node", "b_port")])
    new = np.ones(len(order), np.bool_)
    new[1:] = (ends[:, 1:] != ends[:, :-1]).any(axis=0)
    first = np.flatnonzero(new)

    def merged(how: np.ufunc, values: NDArray[Scalar]) -> NDArray[Scalar]:
        return how.reduceat(values[order], first) if len(first) else values

    def slower(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
        # 0 is unknown: one less is 255, so it loses against everything known
        return merged(np.minimum, values - np.uint8(1)) + np.uint8(1)

    links = LinkColumns(
        a_node=ends[0, first],
        a_port=ends[1, first].astype(np.int16),
        b_node=ends[2, first],
        b_port=ends[3, first].astype(np.int16),
        a_port_guid=merged(np.maximum, column["a_port_guid"]),
        b_port_guid=merged(np.maximum, column["b_port_guid"]),
        width=slower(column["width"]),
        speed=slower(column["speed"]),
        reported_by=merged(np.bitwise_or, column["reported_by"]),
    )
    scan = np.repeat(np.arange(len(scans)), [len(links) for links in seen])
    return links, Words(np.cumsum(new) - 1, scan[order], column["reported_by"][order])


def _turned(links: LinkColumns, number: NDArray[np.int32]) -> LinkColumns:
    """The links with joined node numbers, each turned so that the end that comes first by (node, port) is `a`."""
    a, b = number[links.a_node], number[links.b_node]
    turn = (a > b) | ((a == b) & (links.a_port > links.b_port))
    told = links.reported_by
    turned_told = ((told & 1) << 1 | (told & 2) >> 1).astype(np.uint8)

    def chosen(one: NDArray[Scalar], other: NDArray[Scalar]) -> NDArray[Scalar]:
        return np.where(turn, other, one).astype(one.dtype)

    return LinkColumns(
        a_node=chosen(a, b),
        a_port=chosen(links.a_port, links.b_port),
        b_node=chosen(b, a),
        b_port=chosen(links.b_port, links.a_port),
        a_port_guid=chosen(links.a_port_guid, links.b_port_guid),
        b_port_guid=chosen(links.b_port_guid, links.a_port_guid),
        width=links.width,
        speed=links.speed,
        reported_by=chosen(told, turned_told),
    )
