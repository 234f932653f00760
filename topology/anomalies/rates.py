"""`degraded-link`: cables that run narrower or slower than their like.

Like are cables with the same device ids at both ends and the same role (host, or the levels of the two switches). The
majority of at least five gives the rate; one or two lanes where the same pair of devices runs four is degraded in any
case, except on a split port. Adapters of Ethernet tell no device id: there the like of a host's cable are those of the
same device at the same switch, and cables between switches of unknown models have none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discovery.scan import Speed
from topology.anomalies.cabling import Cabling, listed
from topology.anomaly import Anomaly, CableEnd

Ends = tuple[CableEnd, CableEnd]

ENOUGH = 5
CLEAR = 2 / 3
"""A majority is clear where more than this share of the like cables runs at one rate."""

SPLIT_PORTS = frozenset({81, 129})
"""Port counts of switches whose ports are split in two (40 and 64 ports, each twice, and the aggregation node's)."""

MOST_OF_A_SWITCH = 16
"""More degraded cables than that of one switch and one rate are one finding of that switch."""


@dataclass(frozen=True, slots=True, eq=False)
class Cables:
    """Host links, then trunks, as one table. `switch` is the far end of a host link and the first end of a trunk."""

    kind: NDArray[np.int64]
    """A number for the device ids at both ends and the role."""
    switch: NDArray[np.int64]
    split: NDArray[np.bool_]
    width: NDArray[np.int64]
    speed: NDArray[np.int64]

    def rate(self) -> NDArray[np.int64]:
        """Width and speed in one number."""
        return self.width << 8 | self.speed


def find_degraded(cabling: Cabling) -> Iterator[Anomaly]:
    """One finding a cable, both ends named."""
    cables = _tabulate(cabling)
    rows = np.flatnonzero((cables.width > 0) & (cables.speed > 0))
    rate = cables.rate()
    groups, group, counts = np.unique(cables.kind[rows] << 16 | rate[rows], return_inverse=True, return_counts=True)
    kinds = groups >> 16
    norm = np.zeros(len(groups), np.int64)
    always = np.zeros(len(groups), np.bool_)
    for kind in np.unique(kinds).tolist():
        own = np.flatnonzero(kinds == kind)
        rates, number = groups[own] & 0xFFFF, counts[own]
        best = int(np.argmax(number))
        usual = int(rates[best]) if number[best] > CLEAR * number.sum() and number.sum() >= ENOUGH else 0
        full = int(rates[rates >> 8 >= 4].max(initial=0))
        norm[own] = usual or full
        slower = (rates >> 8 < usual >> 8) | (rates & 0xFF < usual & 0xFF)
        narrow = (rates >> 8 < 4) & (full > 0)
        norm[own[~slower & ~narrow]] = 0
        always[own] = (rates >> 8 == 1) | (rates & 0xFF < usual & 0xFF)
    split = cables.split[rows] & ~always[group]
    yield from _report(cabling, cables, rows, np.where(split, 0, norm[group]))


def _report(cabling: Cabling, cables: Cables, rows: NDArray[np.int64], norm: NDArray[np.int64]) -> Iterator[Anomaly]:
    bad = np.flatnonzero(norm)
    if not len(bad):
        return
    chosen, expected = rows[bad], norm[bad]
    owner = cables.switch[chosen] << 32 | cables.rate()[chosen] << 16 | expected
    order = np.argsort(owner, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(owner[order])) + 1):
        row = int(chosen[part[0]])
        found, usual = spell_rate(int(cables.rate()[row])), spell_rate(int(expected[part[0]]))
        rates = f"{found} where others of its kind run at {usual}"
        pairs = sorted((_ends(cabling, link) for link in chosen[part].tolist()), key=lambda pair: _place(pair[1]))
        for group in [pairs] if len(pairs) > MOST_OF_A_SWITCH else [[pair] for pair in pairs]:
            yield _degraded(cabling, group, int(cables.switch[row]), rates)


def _ends(cabling: Cabling, row: int) -> Ends:
    trunk = row - len(cabling.graph.host_links)
    return cabling.link_ends(row) if trunk < 0 else cabling.trunk_ends(trunk)


def _place(end: CableEnd) -> tuple[str, str, int]:
    return end.name or "", end.guid or "", end.port or 0


def _degraded(cabling: Cabling, pairs: list[Ends], switch: int, rates: str) -> Anomaly:
    names = [f"{_spell_end(near)} to {_spell_end(far)}" for near, far in pairs]
    cables = f"The cable from {names[0]} runs" if len(pairs) == 1 else f"{len(pairs)} cables run"
    detail = f"{cables} at {rates}" + (f": {listed(names, 4)}." if len(pairs) > 1 else ".")
    fabric = int(cabling.structure.fabric_of_switch[switch])
    return cabling.anomaly("degraded-link", "warning", fabric, (end for pair in pairs for end in pair), detail)


def _spell_end(end: CableEnd) -> str:
    return f"{end.name or end.guid}" + (f" port {end.port}" if end.port else "")


def spell_rate(rate: int) -> str:
    """`4xNDR`, or `400G` of Ethernet, from width and speed in one number."""
    speed = Speed(rate & 0xFF)
    return speed.spelled if speed > Speed.XDR else f"{rate >> 8}x{speed.spelled}"


def _tabulate(cabling: Cabling) -> Cables:
    graph, level = cabling.graph, cabling.structure.level.astype(np.int64)
    links, trunks = graph.host_links, graph.trunks
    switch_device = np.array([switch.device_id for switch in graph.switches], np.int64)
    ethernet = np.array([switch.ethernet for switch in graph.switches], np.bool_)
    ids, number = np.unique(np.r_[switch_device, graph.adapters.device_id], return_inverse=True)
    of_switch, of_adapter = number[: len(switch_device)], number[len(switch_device) :]
    host_kind = of_adapter[links.adapter] * len(ids) + of_switch[links.switch]
    ends = np.stack([(level[end] + 1) * len(ids) + of_switch[end] for end in (trunks.a, trunks.b)])
    span = (int(level.max(initial=0)) + 2) * len(ids)
    trunk_kind = len(ids) ** 2 + ends.min(axis=0) * span + ends.max(axis=0)
    trunk_kind[trunks.a == trunks.b] = -1
    split = _split_switches(cabling)
    width = np.r_[links.width, trunks.width].astype(np.int64)
    plain = np.flatnonzero(ethernet[links.switch])
    host_kind[plain] = (links.switch[plain].astype(np.int64) << 24 | cabling.device[plain] + 1) + (1 << 44)
    fabric = cabling.structure.fabric_of_switch.astype(np.int64)
    trunk_kind += np.where(ethernet[trunks.a], fabric[trunks.a] + 1 << 36, 0)
    unknown = ethernet[trunks.a] & ((switch_device[trunks.a] == 0) | (switch_device[trunks.b] == 0))
    width[len(links) :][unknown] = 0
    width[len(links) :][trunks.a == trunks.b] = 0  # a self-link has no like
    return Cables(
        kind=np.r_[host_kind, np.maximum(trunk_kind, 0)],
        switch=np.r_[links.switch, trunks.a].astype(np.int64),
        split=np.r_[split[links.switch], split[trunks.a] | split[trunks.b]],
        width=width,
        speed=np.r_[links.speed, trunks.speed].astype(np.int64),
    )


def _split_switches(cabling: Cabling) -> NDArray[np.bool_]:
    """By switch: its ports are split, as its port count says or as most of its cables do."""
    graph = cabling.graph
    count = len(graph.switches)
    ends = np.r_[graph.host_links.switch, graph.trunks.a, graph.trunks.b]
    width = np.r_[graph.host_links.width, graph.trunks.width, graph.trunks.width]
    halves = np.bincount(ends[width == 2], minlength=count)
    known = np.bincount(ends[width > 0], minlength=count)
    by_ports = np.array([switch.port_count in SPLIT_PORTS for switch in graph.switches], np.bool_)
    return by_ports | (2 * halves > known)
