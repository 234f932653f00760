"""Small fabrics written by hand: cables as lines of text, turned into a scan.

`"sw1 sw2"` is a cable between two switches, `"sw1 sw2 x4"` are four; `"sw1 host:a/HCA-1"` joins an adapter named
`a HCA-1`. A switch is any first word or a second one without `host:`; ports are numbered in the order of the lines.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence

import numpy as np

from discovery.scan import LinkColumns, NodeColumns, NodeKind, Scan, Speed


def guid_of(name: str) -> int:
    """A stable GUID for a made-up name."""
    return 0x1000_0000_0000_0000 | zlib.crc32(name.encode())


def scan_of(cables: Sequence[str], switches: Sequence[str] = (), device_id: int = 0x1021) -> Scan:
    """The scan of these cables; `switches` adds switches that have no cable."""
    kinds: dict[str, NodeKind] = dict.fromkeys(switches, NodeKind.SWITCH)
    rows: list[tuple[str, int, str, int]] = []
    ports: Counter[str] = Counter()
    for cable in cables:
        near, far, *times = cable.split()
        kinds[near] = NodeKind.SWITCH
        kinds[far] = NodeKind.HOST if far.startswith("host:") else NodeKind.SWITCH
        for _ in range(int(times[0][1:]) if times else 1):
            ports[near] += 1
            near_port = ports[near]
            ports[far] += 1
            rows.append((near, near_port, far, ports[far]))
    names = list(kinds)
    index = {name: number for number, name in enumerate(names)}
    return Scan("by hand", _nodes(names, kinds, device_id), _links(rows, index))


def _nodes(names: Sequence[str], kinds: dict[str, NodeKind], device_id: int) -> NodeColumns:
    host = np.array([kinds[name] == NodeKind.HOST for name in names])
    return NodeColumns(
        guid=np.array([guid_of(name) for name in names], np.uint64),
        system_guid=np.zeros(len(names), np.uint64),
        kind=np.array([kinds[name] for name in names], np.uint8),
        vendor_id=np.full(len(names), 0x2C9, np.uint32),
        device_id=np.where(host, device_id, 0xD2F2).astype(np.uint32),
        port_count=np.where(host, 1, 65).astype(np.uint16),
        described=np.ones(len(names), np.bool_),
        description=tuple(name.removeprefix("host:").replace("/", " ") for name in names),
    )


def _links(rows: Sequence[tuple[str, int, str, int]], index: dict[str, int]) -> LinkColumns:
    ends = sorted(tuple(sorted(((index[a], p), (index[b], q)))) for a, p, b, q in rows)
    count = len(ends)
    return LinkColumns(
        a_node=np.array([a for (a, _), _ in ends], np.int32),
        a_port=np.array([p for (_, p), _ in ends], np.int16),
        b_node=np.array([b for _, (b, _) in ends], np.int32),
        b_port=np.array([q for _, (_, q) in ends], np.int16),
        a_port_guid=np.zeros(count, np.uint64),
        b_port_guid=np.zeros(count, np.uint64),
        width=np.full(count, 4, np.uint8),
        speed=np.full(count, Speed.NDR, np.uint8),
        reported_by=np.full(count, 3, np.uint8),
    )


def fat_tree(leaves: int, spines: int, hosts: int, cables: int = 2) -> list[str]:
    """A classic two-tier fabric: `hosts` one-port hosts a leaf, `cables` from each leaf to each spine."""
    lines = [f"leaf{leaf} host:h{leaf}-{host}/HCA-1" for leaf in range(leaves) for host in range(hosts)]
    return lines + [f"leaf{leaf} spine{spine} x{cables}" for leaf in range(leaves) for spine in range(spines)]
