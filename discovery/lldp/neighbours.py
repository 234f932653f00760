"""One list a port: what several sources heard is told once, and an adapter's firmware is told apart from switches.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from discovery.lldp.identifiers import MAC
from discovery.reports import Neighbour

Neighbours = Mapping[str, tuple[Neighbour, ...]]
"""By the name of this host's interface; one without a neighbour is left out."""

MAX_NEIGHBOURS = 8
"""So many a port; a management network may show hundreds. Who is told so many does not know whether that is all."""


def is_adapter(neighbour: Neighbour) -> bool:
    """Whether that is the firmware of a network adapter, which speaks LLDP beside its host: it names no system, and its
    port by a MAC. Switches name themselves, or their ports by something that people can read."""
    return neighbour.systemName is None and neighbour.portIdSubtype == MAC


def folded(heard: Iterable[Neighbour]) -> tuple[Neighbour, ...]:
    """What is heard on one port, in a fixed order: each neighbour once; an adapter's firmware and the operating system
    above it are one, so the firmware is told only where it is alone."""
    known: dict[tuple[str | None, str | None], Neighbour] = {}
    for neighbour in heard:
        key = (neighbour.chassisId, neighbour.portId)
        if key not in known or known[key].systemName is None:
            known[key] = neighbour
    named = [neighbour for neighbour in known.values() if not is_adapter(neighbour)]
    return tuple(sorted(named or known.values(), key=_order)[:MAX_NEIGHBOURS])


def combine(*sources: Neighbours) -> Neighbours:
    """What the sources heard together: on each port the first of them that heard anybody is believed.

    All hear the same frames, so the others add nothing there but what the first knows to be over.
    """
    ports = dict.fromkeys(port for source in sources for port in source)
    every = {port: folded(next((source[port] for source in sources if source.get(port)), ())) for port in ports}
    return {port: neighbours for port, neighbours in every.items() if neighbours}


def _order(neighbour: Neighbour) -> tuple[str, str]:
    return neighbour.chassisId or "", neighbour.portId or ""
