"""Neighbours as a file: in the form of `lldpctl -f json0`, whoever heard them."""

from __future__ import annotations

import json

from discovery.lldp import Neighbours
from discovery.reports import Neighbour


def write_neighbours(heard: Neighbours) -> str:
    """What `discovery.lldp.answers` reads as the same."""
    rows = [_interface(name, one) for name, neighbours in sorted(heard.items()) for one in neighbours]
    return json.dumps({"lldp": [{"interface": rows}]}, indent=1) + "\n"


def _interface(name: str, one: Neighbour) -> dict[str, object]:
    chassis: dict[str, object] = {"id": [{"type": one.chassisIdSubtype or "unhandled", "value": one.chassisId or ""}]}
    if one.systemName is not None:
        chassis["name"] = [{"value": one.systemName}]
    port = {"id": [{"type": one.portIdSubtype or "unhandled", "value": one.portId or ""}]}
    return {"name": name, "via": "LLDP", "chassis": [chassis], "port": [port]}
