"""Drawn InfiniBand fabrics as recordings: the map of a sweep, the counters of switch ports, the hosts' files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from discovery.descriptions import host_name
from discovery.scan import NodeKind, Speed
from tests.sites.hosts import NO_NIC, Adapter, boot, text
from topology.synth.drawing import Drawing
from topology.synth.evidence import scan_of
from topology.synth.text import write_text


def adapters(drawing: Drawing) -> dict[str, list[Adapter]]:
    """By host."""
    found: dict[str, list[Adapter]] = defaultdict(list)
    rows = zip(drawing.cables.lower.tolist(), drawing.cables.speed.tolist(), strict=True)
    speed = {node: Speed(row).name for node, row in rows}
    for node in np.flatnonzero(drawing.nodes.kind == NodeKind.HOST).tolist():
        name, device = host_name(drawing.nodes.description[node])
        found[name or ""].append(Adapter(device or "", int(drawing.nodes.guid[node]), speed[node]))
    return dict(found)


def hosts(*drawings: Drawing, nodes: Iterable[str] = ()) -> dict[str, str]:
    """The files of all hosts (or of those that are nodes), below a moment."""
    together: dict[str, list[Adapter]] = defaultdict(list)
    for drawing in drawings:
        for host, found in adapters(drawing).items():
            together[host] += found
    wanted = set(nodes) or together.keys()
    return {
        f"nodes/{host}/host.txt": text(
            [boot(number), NO_NIC, *(line for one in found for line in one.lines(100 + number))]
        )
        for number, (host, found) in enumerate(sorted(together.items()), 1)
        if host in wanted
    }


def sweep(drawing: Drawing) -> str:
    """What the discovery tool prints."""
    return write_text(scan_of(drawing)).decode()


def rail(drawing: Drawing, number: int) -> Drawing:
    """The cables of one rail alone: where rails never meet each is a subnet of its own."""
    kept = drawing.places.rail[drawing.cables.lower] == number
    return replace(drawing, cables=replace(drawing.cables, present=drawing.cables.present & kept))


def cut(drawing: Drawing, *rows: int) -> Drawing:
    """Without these cables."""
    present = drawing.cables.present.copy()
    present[list(rows)] = False
    return replace(drawing, cables=replace(drawing.cables, present=present))


def cables_of(drawing: Drawing, host: str, device: str | None = None) -> list[int]:
    """Rows of the cables of a host, or of one of its devices."""
    names = (host_name(drawing.nodes.description[lower]) for lower in drawing.cables.lower.tolist())
    return [row for row, (name, own) in enumerate(names) if name == host and device in (None, own)]


def switch(drawing: Drawing, name: str) -> int:
    """The switch of that name."""
    return next(node for node, told in enumerate(drawing.nodes.description) if f";{name}:" in told)


def lid(drawing: Drawing, node: int) -> int:
    """As the map gives it: all nodes of the drawing have a cable."""
    reached = np.unique(np.concatenate([drawing.cables.lower, drawing.cables.upper]))
    return 1 + int(np.flatnonzero(reached == node)[0])


def counters(lid: int, port: int, **values: int) -> str:
    """One port as perfquery prints it; what is not given is zero."""
    names = ("SymbolErrorCounter", "LinkErrorRecoveryCounter", "LinkDownedCounter", "PortRcvErrors")
    lines = [f"# Port extended counters: Lid {lid} port {port} (CapMask: 0x5A00 CapMask2: 0x0000)"]
    lines += [f"{name}:{'.' * (36 - len(name))}{values.get(name, 0)}" for name in names]
    return "".join(f"{line}\n" for line in lines)
