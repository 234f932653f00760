"""Drawings as evidence: the Scan that a sweep of the drawn fabric would give."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discovery.scan import LinkColumns, NodeKind, Scan
from topology.synth.drawing import Cables, Drawing
from topology.synth.draws import shuffle
from topology.synth.rows import pick

BOTH_ENDS = 3


def scan_of(drawing: Drawing, plane: int | None = None, shuffle_seed: int | None = None) -> Scan:
    """What a sweep sees: present cables and the nodes on them, of all planes or of one, in the order of the drawing
    or in a drawn one.
    """
    seen = drawing.cables.present
    source = f"synthetic {drawing.name}"
    if plane is not None:
        seen = seen & (drawing.places.plane[drawing.cables.upper] == plane)
        source = f"{source} plane {plane + 1}"
    rows = np.flatnonzero(seen)
    reached = np.unique(np.concatenate([drawing.cables.lower[rows], drawing.cables.upper[rows]])).astype(np.int64)
    if shuffle_seed is not None:
        rows = rows[shuffle(shuffle_seed, "cables", len(rows))]
        reached = reached[shuffle(shuffle_seed, "nodes", len(reached))]
    number = np.full(len(drawing.nodes), -1, np.int32)
    number[reached] = np.arange(len(reached), dtype=np.int32)
    return Scan(source, pick(drawing.nodes, reached), _links(drawing, pick(drawing.cables, rows), number))


def _links(drawing: Drawing, cables: Cables, number: NDArray[np.int32]) -> LinkColumns:
    """Cables as links: the end that comes first by (node, port) is `a`."""
    lower, upper = number[cables.lower], number[cables.upper]
    turned = (upper < lower) | ((upper == lower) & (cables.upper_port < cables.lower_port))
    port_guid = np.where(drawing.nodes.kind == NodeKind.SWITCH, 0, drawing.nodes.guid)
    lower_guid, upper_guid = port_guid[cables.lower], port_guid[cables.upper]
    lower_port, upper_port = cables.lower_port.astype(np.int16), cables.upper_port.astype(np.int16)
    return LinkColumns(
        a_node=np.where(turned, upper, lower),
        a_port=np.where(turned, upper_port, lower_port),
        b_node=np.where(turned, lower, upper),
        b_port=np.where(turned, lower_port, upper_port),
        a_port_guid=np.where(turned, upper_guid, lower_guid),
        b_port_guid=np.where(turned, lower_guid, upper_guid),
        width=cables.width,
        speed=cables.speed,
        reported_by=np.full(len(cables), BOTH_ENDS, np.uint8),
    )
