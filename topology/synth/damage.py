"""Drawings with defects: each step gives a changed copy, and the drawing itself keeps the record of what was done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from discovery.scan import NodeKind
from topology.synth.defects import Defects, SwitchNames
from topology.synth.drawing import Drawing, Fault
from topology.synth.draws import draw, shuffle
from topology.synth.spec import PRODUCTS

Rows = NDArray[np.int64]


def damage(drawing: Drawing, defects: Defects) -> Drawing:
    """The drawing with the defects: what was never built, what was mixed up, what broke, what nobody named."""
    steps: tuple[Callable[[Drawing, Defects], Drawing], ...] = (
        _leave_unbuilt,
        _exchange_rails,
        _exchange_hosts,
        _hang_strays,
        _lose_cables,
        _kill_switches,
        _cut_off,
        _forget_names,
    )
    for step in steps:
        drawing = step(drawing, defects)
    return drawing


def without_cable(drawing: Drawing, row: int) -> Drawing:
    """The drawing without one cable."""
    return _absent(drawing, np.array([row]))


def without_switch(drawing: Drawing, node: int) -> Drawing:
    """The drawing without one switch and its cables."""
    return _absent(drawing, np.flatnonzero((drawing.cables.lower == node) | (drawing.cables.upper == node)))


def _leave_unbuilt(drawing: Drawing, defects: Defects) -> Drawing:
    if defects.construction is None:
        return drawing
    site = defects.construction
    lower = drawing.cables.lower
    rail, host = drawing.places.rail[lower], drawing.places.host[lower]
    first = int(np.argmax(drawing.host_unit == site.unit))
    in_unit = drawing.host_cables() & (drawing.places.unit[lower] == site.unit)
    part = np.isin(rail, site.part_rails) & (host >= first + site.part_hosts)
    return _absent(drawing, np.flatnonzero(in_unit & (part | np.isin(rail, site.bare_rails))))


def _hung(drawing: Drawing) -> NDArray[np.bool_]:
    """Which cables may hang wrongly: present, between a unit's host and leaf, on the first plane."""
    lower, upper = drawing.cables.lower, drawing.cables.upper
    in_units = (drawing.places.unit[lower] >= 0) & (drawing.places.unit[upper] >= 0)
    on_plane: NDArray[np.bool_] = drawing.places.plane[upper] == 0
    return drawing.cables.present & drawing.host_cables() & in_units & on_plane


def _shuffled(drawing: Drawing, defects: Defects, purpose: str) -> Rows:
    """The cables that may hang wrongly and do not yet, in a drawn order."""
    rows = np.flatnonzero(_hung(drawing) & (drawing.cables.fault == Fault.NONE))
    return rows[shuffle(defects.seed, purpose, len(rows))]


def _exchange_rails(drawing: Drawing, defects: Defects) -> Drawing:
    """Two drawn cables of each of so many drawn hosts."""
    pairs = round(defects.rails_exchanged * int(_hung(drawing).sum()) / 2)
    rows = _shuffled(drawing, defects, "rails")
    host = drawing.places.host[drawing.cables.lower[rows]]
    order = np.argsort(host, kind="stable")
    rows, host = rows[order], host[order]
    follows = np.r_[False, host[1:] == host[:-1]]
    first = np.flatnonzero(~follows & np.r_[follows[1:], False])
    first = first[drawing.cables.upper[rows[first]] != drawing.cables.upper[rows[first + 1]]]
    if pairs > len(first):
        raise ValueError(f"{pairs} pairs of rails are to be exchanged, but only {len(first)} hosts have two rails")
    first = first[shuffle(defects.seed, "hosts", len(first))[:pairs]]
    return _exchanged(drawing, rows[first], rows[first + 1], Fault.RAILS_EXCHANGED)


def _exchange_hosts(drawing: Drawing, defects: Defects) -> Drawing:
    """Drawn pairs of cables of hosts of two units, whatever their rails."""
    pairs = round(defects.hosts_exchanged * int(_hung(drawing).sum()) / 2)
    rows = _shuffled(drawing, defects, "pairs")
    half = len(rows) // 2
    one, other = rows[:half], rows[half : 2 * half]
    unit = drawing.places.unit[drawing.cables.lower]
    apart = unit[one] != unit[other]
    if pairs > int(apart.sum()):
        raise ValueError(f"{pairs} pairs of cables are to be exchanged, but only {int(apart.sum())} join two units")
    return _exchanged(drawing, one[apart][:pairs], other[apart][:pairs], Fault.HOSTS_EXCHANGED)


def _exchanged(drawing: Drawing, one: Rows, other: Rows, fault: Fault) -> Drawing:
    """The switch ends of the two rows of each pair trade places."""
    here, there = np.r_[one, other], np.r_[other, one]
    cables = drawing.cables
    upper, upper_port, faults = cables.upper.copy(), cables.upper_port.copy(), cables.fault.copy()
    upper[here], upper_port[here], faults[here] = cables.upper[there], cables.upper_port[there], fault
    return replace(drawing, cables=replace(cables, upper=upper, upper_port=upper_port, fault=faults))


def _hang_strays(drawing: Drawing, defects: Defects) -> Drawing:
    """Drawn cables move to the next port of a drawn leaf of another unit; a leaf may have to grow."""
    rows = _shuffled(drawing, defects, "strays")[: defects.strays]
    cables, nodes, unit = drawing.cables, drawing.nodes, drawing.places.unit
    leaves = np.flatnonzero((drawing.places.level == 0) & (drawing.places.plane == 0) & (unit >= 0))
    if len(rows) and len(np.unique(unit[leaves])) < 2:
        raise ValueError("a stray cable needs a second unit to hang in")
    upper, upper_port, faults = cables.upper.copy(), cables.upper_port.copy(), cables.fault.copy()
    ports = nodes.port_count.copy()
    for row, choice in zip(rows.tolist(), draw(defects.seed, "leaves", len(rows)).tolist(), strict=True):
        others = leaves[unit[leaves] != unit[cables.lower[row]]]
        leaf = int(others[choice % len(others)])
        used = np.r_[upper_port[upper == leaf], cables.lower_port[cables.lower == leaf]]
        free = int(np.setdiff1d(np.arange(1, len(used) + 2), used)[0])
        upper[row], upper_port[row], faults[row] = leaf, free, Fault.STRAY
        ports[leaf] = max(int(ports[leaf]), free)
    changed = replace(cables, upper=upper, upper_port=upper_port, fault=faults)
    return replace(drawing, cables=changed, nodes=replace(nodes, port_count=ports))


def _lose_cables(drawing: Drawing, defects: Defects) -> Drawing:
    """Drawn cables go missing: host cables, then cables of any kind."""
    hosts = np.flatnonzero(drawing.cables.present & drawing.host_cables())
    hosts = hosts[shuffle(defects.seed, "host cables", len(hosts))][: round(defects.missing_host * len(hosts))]
    drawing = _absent(drawing, hosts)
    kind = drawing.nodes.kind[drawing.cables.lower]
    every = np.flatnonzero(drawing.cables.present & (kind != NodeKind.AGGREGATION))
    every = every[shuffle(defects.seed, "cables", len(every))][: round(defects.missing * len(every))]
    return _absent(drawing, every)


def _kill_switches(drawing: Drawing, defects: Defects) -> Drawing:
    for level, count in ((0, defects.dead_leaves), (1, defects.dead_spines)):
        switches = np.flatnonzero(drawing.places.level == level)
        for chosen in switches[shuffle(defects.seed, f"dead {level}", len(switches))][:count].tolist():
            drawing = without_switch(drawing, chosen)
    return drawing


def _cut_off(drawing: Drawing, defects: Defects) -> Drawing:
    lower = drawing.cables.lower
    leaves = (drawing.places.level == 0) & np.isin(drawing.places.unit, defects.cut_off)
    return _absent(drawing, np.flatnonzero(leaves[lower]))


def _forget_names(drawing: Drawing, defects: Defects) -> Drawing:
    """Switches and drawn adapters carry the text that they were shipped with."""
    nodes = drawing.nodes
    text = list(nodes.description)
    if defects.switch_names != "good":
        for node in np.flatnonzero(nodes.kind == NodeKind.SWITCH).tolist():
            text[node] = _factory_name(defects.switch_names, text[node], int(nodes.guid[node]))
    adapters = np.flatnonzero(nodes.kind == NodeKind.HOST)
    adapters = adapters[shuffle(defects.seed, "adapters", len(adapters))]
    for node in adapters[: round(defects.factory_adapters * len(adapters))].tolist():
        text[node] = PRODUCTS[int(nodes.device_id[node])]
    return replace(drawing, nodes=replace(nodes, description=tuple(text)))


def _factory_name(names: SwitchNames, text: str, guid: int) -> str:
    """A switch as shipped: its MAC for a name, with the model and ASIC of its own text; or the text of its product."""
    if names == "product":
        return "Quantum Mellanox Technologies"
    mac = f"{guid >> 40:06x}{guid & 0xFFFFFF:06x}"
    return f"MF0;switch-{mac}:{text.rpartition(':')[2]}"


def _absent(drawing: Drawing, rows: Rows) -> Drawing:
    present = drawing.cables.present.copy()
    present[rows] = False
    return replace(drawing, cables=replace(drawing.cables, present=present))
