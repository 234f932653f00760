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


def join_scans(scans: Sequence[Scan]) -> tuple[NodeColumns, NDArray[np.bool_], LinkColumns, Words]:
    """One table of nodes and one of links for all scans; a node is known by its GUID, a link by its two ends. With the
    nodes, by node, whether it is one of Ethernet.

    Nodes are in the order of their GUIDs and links in that of their ends, so that nothing depends on the input's order.
    """
    if not scans:
        raise ValueError("no scan to conclude from")
    guids = np.concatenate([scan.nodes.guid for scan in scans])
    described = np.concatenate([scan.nodes.described for scan in scans])
    texts = [text for scan in scans for text in scan.nodes.description]
    kept, number = _number_nodes(guids, described, texts)
    columns = [
        np.concatenate([getattr(scan.nodes, column) for scan in scans])[kept]
        for column in ("system_guid", "kind", "vendor_id", "device_id", "port_count")
    ]
    nodes = NodeColumns(
        guids[kept], columns[0], columns[1], columns[2], columns[3], columns[4],
        described[kept], tuple([texts[row] for row in kept.tolist()]),
    )  # fmt: skip
    ethernet = np.concatenate(
        [scan.ethernet if scan.ethernet is not None else np.zeros(len(scan.nodes), np.bool_) for scan in scans]
    )
    return nodes, ethernet[kept], *_join_links(scans, number)


def _number_nodes(
    guids: NDArray[np.uint64], described: NDArray[np.bool_], texts: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """By node the row to keep (a described one before a neighbour's word), and by row the number of its node."""
    identity = guids.copy()
    unknown = identity == 0
    identity[unknown] = np.uint64(2**64 - 1) - np.arange(unknown.sum(), dtype=np.uint64)  # no identity: each its own
    order = np.argsort(identity, kind="stable") if described.all() else np.lexsort((~described, identity))
    ordered = identity[order]
    new = np.r_[True, ordered[1:] != ordered[:-1]] if len(order) else np.empty(0, np.bool_)
    number = np.empty(len(guids), np.int64)
    number[order] = np.cumsum(new) - 1
    kept = order[new]
    for row in order[~new].tolist():  # two scans may have read two texts: the first in the alphabet that says anything
        node = number[row]
        if texts[row] != texts[kept[node]] and described[row] == described[kept[node]]:
            kept[node] = min(kept[node], row, key=lambda one: (not texts[one], texts[one]))
    return kept, number


def _join_links(scans: Sequence[Scan], number: NDArray[np.int64]) -> tuple[LinkColumns, Words]:
    """Of a cable that several scans saw, what is known counts before what is not, and the slower rate of two."""
    offsets = np.cumsum([0] + [len(scan.nodes) for scan in scans[:-1]])
    seen = [_turned(scan.links, number[offset:]) for scan, offset in zip(scans, offsets.tolist(), strict=True)]
    links = LinkColumns(*(np.concatenate([getattr(part, name) for part in seen]) for name in LinkColumns.__slots__))
    a = links.a_node.astype(np.int64) << 16 | links.a_port
    b = links.b_node.astype(np.int64) << 16 | links.b_port
    order = np.argsort(a)
    if (a[order[1:]] == a[order[:-1]]).any():  # a port with several cables, or a cable that several scans saw
        order = np.lexsort((b, a))
    a, b = a[order], b[order]
    new = np.r_[True, (a[1:] != a[:-1]) | (b[1:] != b[:-1])] if len(order) else np.empty(0, np.bool_)
    first = np.flatnonzero(new)

    def merged(how: np.ufunc, values: NDArray[Scalar]) -> NDArray[Scalar]:
        return how.reduceat(values[order], first) if len(first) < len(order) else values[order]

    def slower(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
        # 0 is unknown: one less is 255, so it loses against everything known
        return merged(np.minimum, values - np.uint8(1)) + np.uint8(1)

    joined = LinkColumns(
        a_node=links.a_node[order][new],
        a_port=links.a_port[order][new],
        b_node=links.b_node[order][new],
        b_port=links.b_port[order][new],
        a_port_guid=merged(np.maximum, links.a_port_guid),
        b_port_guid=merged(np.maximum, links.b_port_guid),
        width=slower(links.width),
        speed=slower(links.speed),
        reported_by=merged(np.bitwise_or, links.reported_by),
    )
    scan = np.repeat(np.arange(len(scans)), [len(part) for part in seen])
    return joined, Words(np.cumsum(new) - 1, scan[order], links.reported_by[order])


def _turned(links: LinkColumns, number: NDArray[np.int64]) -> LinkColumns:
    """The links with joined node numbers, each turned so that the end that comes first by (node, port) is `a`."""
    a, b = number[links.a_node].astype(np.int32), number[links.b_node].astype(np.int32)
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
