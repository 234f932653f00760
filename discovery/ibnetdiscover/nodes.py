"""The nodes of a dump, joined by GUID, and the node at either end of every port line.

Identity is the GUID: several blocks may tell of one node (the first with a header counts), and a peer without a block
of its own is a node all the same, known by what its neighbour says of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from discovery.ibnetdiscover.blocks import Blocks
from discovery.ibnetdiscover.grammar import UNKNOWN_KIND
from discovery.ibnetdiscover.rows import PortRows, Tables, chosen
from discovery.scan import NodeColumns, NodeKind

AGGREGATION_DEVICE = 0xCF09
AGGREGATION_DESCRIPTION = "Mellanox Technologies Aggregation Node"
"""How a SHARP aggregation node is known: it is a `Ca` like any adapter."""

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """The port lines that can be used, and the node index at their near and far end."""

    rows: PortRows
    near: NDArray[np.int64]
    far: NDArray[np.int64]


def join_nodes(blocks: Blocks, ports: PortRows, tables: Tables) -> tuple[NodeColumns, Ends]:
    """All nodes, those with a block first, each in the order in which the dump names it first."""
    known, has_header = (blocks.guid != 0) & (blocks.kind != UNKNOWN_KIND), blocks.line > 0
    tables.refuse(blocks.line[has_header & ~known], "a node without a GUID, or of a kind that the tool did not know")
    usable = np.concatenate((np.flatnonzero(known & has_header), np.flatnonzero(known & ~has_header)))
    own = _Distinct.of(blocks.guid[usable])
    node_of_block = np.full(len(blocks.guid), -1, np.int64)
    node_of_block[usable] = own.index

    near, far = node_of_block[blocks.of_port_row], own.find(ports.peer)
    good = _usable_ports(near, far, ports, tables)
    ports, near, far = chosen(ports, good), near[good], far[good]
    strange = np.flatnonzero(far < 0)
    peers = _Distinct.of(ports.peer[strange])
    far[strange] = peers.index + len(own.guids)
    columns = _columns(blocks, usable[own.first], chosen(ports, strange[peers.first]), tables)
    return columns, Ends(ports, near, far)


@dataclass(frozen=True, slots=True, eq=False)
class _Distinct:
    """Distinct GUIDs in the order of their first place."""

    guids: NDArray[np.uint64]
    first: NDArray[np.intp]
    """Where each stands first."""
    index: NDArray[np.intp]
    """Of every place the number of its GUID."""
    in_order: NDArray[np.uint64]
    number_in_order: NDArray[np.intp]

    @classmethod
    def of(cls, guids: NDArray[np.uint64]) -> _Distinct:
        in_order, first, inverse = np.unique(guids, return_index=True, return_inverse=True)
        order = np.argsort(first)
        number = np.empty(len(order), np.intp)
        number[order] = np.arange(len(order))
        return cls(in_order[order], first[order], number[inverse], in_order, number)

    def find(self, guids: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The number of each GUID, -1 where it is none of these."""
        if not len(self.in_order):
            return np.full(len(guids), -1, np.int64)
        place = np.minimum(np.searchsorted(self.in_order, guids), len(self.in_order) - 1)
        return np.where(self.in_order[place] == guids, self.number_in_order[place], -1)


def _usable_ports(
    near: NDArray[np.int64], far: NDArray[np.int64], ports: PortRows, tables: Tables
) -> NDArray[np.bool_]:
    nobodys = near < 0
    nameless = ~nobodys & (ports.peer == 0)
    strange = ~nobodys & ~nameless & (far < 0) & (ports.peer_kind == UNKNOWN_KIND)
    tables.refuse(ports.line[nobodys], "a port line of a node that could not be read")
    tables.refuse(ports.line[nameless], "the peer has no GUID, so nobody knows what it is")
    tables.refuse(ports.line[strange], "the tool did not know what kind of node the peer is")
    usable: NDArray[np.bool_] = ~(nobodys | nameless | strange)
    return usable


def _columns(blocks: Blocks, own: NDArray[np.intp], peers: PortRows, tables: Tables) -> NodeColumns:
    """`own`: the block that tells of each described node; `peers`: the line that names each other node first."""
    count = len(own) + len(peers.line)

    def column(of_blocks: NDArray[Scalar]) -> NDArray[Scalar]:
        values = np.zeros(count, of_blocks.dtype)
        values[: len(own)] = of_blocks[own]
        return values

    guid, kind, device = column(blocks.guid), column(blocks.kind), column(blocks.device_id)
    guid[len(own) :], kind[len(own) :] = peers.peer, peers.peer_kind
    texts = tables.texts.decode(
        np.concatenate((blocks.text_start[own], peers.text_start)),
        np.concatenate((blocks.text_end[own], peers.text_end)),
    )
    named_so = np.array([text.strip() == AGGREGATION_DESCRIPTION for text in texts], np.bool_)
    kind[(kind == NodeKind.HOST) & (named_so | (device == AGGREGATION_DEVICE))] = NodeKind.AGGREGATION
    return NodeColumns(
        guid=guid,
        system_guid=column(blocks.system_guid),
        kind=kind,
        vendor_id=column(blocks.vendor_id).astype(np.uint32),
        device_id=device.astype(np.uint32),
        port_count=column(blocks.port_count),
        described=np.arange(count) < len(own),
        description=tuple(texts),
    )
