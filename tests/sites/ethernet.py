"""Drawn RoCE pods: what lldpd prints on their hosts, and what an SNMP walk of their switches gives."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from discovery.descriptions import host_name, switch_name
from discovery.recording.layout import LLDP_ANSWER, WALK
from discovery.scan import NodeKind
from tests.sites.hosts import Nic, Roce, boot, text
from tests.sites.story import Story
from topology.synth.drawing import Drawing
from topology.synth.ethernet import mac_of_node
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

LLDP, IF, IFX, MEGABITS = "1.0.8802.1.1.2.1", "1.3.6.1.2.1.2.2.1", "1.3.6.1.2.1.31.1.1.1", 200_000
PEER_LINK, OFFSET, MINUTE = 60, 500, 60
"""The port of the first cable between the two leaves of a pair; how far LLDP's port numbers are ahead of IF-MIB's."""


@dataclass(frozen=True, slots=True)
class End:
    """Who is at the other end of a switch port."""

    mac: str
    port: str
    name: str
    is_host: bool = False


def stories() -> Iterator[Story]:
    """One with access to the switches, one without."""
    pod = draw_tree(Tree(units=(Unit(4, 2),) * 2, spines=2, name="roce", host_prefix="gpu-", aggregation=False))
    pulled = ("gpu-00003", "eth1")
    start = {**_hosts(pod, bonded=True), **_answers(pod), **_walks(pod)}
    leg = next(nic for nic in _nics(pod, bonded=True)["gpu-00003"] if nic.name == "eth1")
    yield Story(
        "roce-mlag",
        "8 hosts with a bond of two 200G ports to the two leaves of their rack, an MLAG pair with two cables between "
        "them, under 2 spines; told by LLDP and SNMP. At ten minutes gpu-00003 loses the carrier of eth1.",
        {
            0: start,
            10 * MINUTE: {
                "nodes/gpu-00003/host.txt": text(leg.down()),
                f"nodes/gpu-00003/{LLDP_ANSWER}": _answers(pod, pulled)[f"nodes/gpu-00003/{LLDP_ANSWER}"],
                **{path: walk for path, walk in _walks(pod, pulled).items() if walk != start[path]},
            },
        },
        until=30 * MINUTE,
    )
    rails = draw_tree(Tree(units=(Unit(4, 4),) * 2, spines=2, name="rr", host_prefix="gpu-", aggregation=False))
    yield Story(
        "roce-hosts-only",
        "8 hosts with 4 rails of RoCE in 2 units; nobody may ask the switches, so all that is known is what the hosts "
        "hear by LLDP: two leaf domains under a root that is assumed.",
        {0: {**_hosts(rails, bonded=False), **_answers(rails)}},
    )


def _nics(drawing: Drawing, *, bonded: bool) -> dict[str, list[Nic]]:
    """By host, in the order of its devices."""
    found: dict[str, list[Nic]] = defaultdict(list)
    for node in _adapters(drawing):
        host, device = host_name(drawing.nodes.description[node])
        number = (device or "").rpartition("_")[2]
        bond = "bond0" if bonded else None
        found[host or ""].append(Nic(f"eth{number}", mac_of_node(drawing, node), 2 + int(number), bond, MEGABITS))
    return found


def _hosts(drawing: Drawing, *, bonded: bool) -> dict[str, str]:
    files = {}
    for number, (host, nics) in enumerate(sorted(_nics(drawing, bonded=bonded).items()), 1):
        groups = [("mlx5_bond_0", tuple(nics))] if bonded else [(f"mlx5_{nic.name[3:]}", (nic,)) for nic in nics]
        devices = [Roce(name, _guid(own[0].mac), own) for name, own in groups]
        lines = [line for device in devices for line in device.lines(100 + number)]
        masters = ["sys/class/net/bonding_masters\tbond0"] if bonded else []
        files[f"nodes/{host}/host.txt"] = text([boot(number), *masters, *lines])
    return files


def _guid(mac: str) -> int:
    digits = mac.replace(":", "")
    return int(f"{digits[:6]}0300{digits[6:]}", 16)


def _answers(drawing: Drawing, pulled: tuple[str, str] = ("", "")) -> dict[str, str]:
    """What `lldpctl -f json0` prints on every host."""
    heard: dict[str, list[Mapping[str, object]]] = defaultdict(list)
    for row, lower in enumerate(drawing.cables.lower.tolist()):
        host, device = host_name(drawing.nodes.description[lower])
        if drawing.nodes.kind[lower] != NodeKind.HOST or (host, f"eth{(device or '_')[5:]}") == pulled:
            continue
        switch = int(drawing.cables.upper[row])
        port = f"swp{int(drawing.cables.upper_port[row])}"
        heard[host or ""].append(
            {
                "name": f"eth{(device or '')[5:]}",
                "via": "LLDP",
                "chassis": [
                    {
                        "id": [{"type": "mac", "value": mac_of_node(drawing, switch)}],
                        "name": [{"value": switch_name(drawing.nodes.description[switch])}],
                    }
                ],
                "port": [{"id": [{"type": "ifname", "value": port}]}],
            }
        )
    return {
        f"nodes/{host}/{LLDP_ANSWER}": json.dumps({"lldp": [{"interface": found}]}, indent=1) + "\n"
        for host, found in heard.items()
    }


def _walks(drawing: Drawing, pulled: tuple[str, str] = ("", "")) -> dict[str, str]:
    """What an SNMP walk of every switch gives."""
    ends, dark = _ends(drawing, pulled)
    return {
        f"fabrics/eth/snmp/{name}{WALK}": _walk(name, mac_of_node(drawing, switch), ends[switch], dark[switch])
        for switch in sorted(ends)
        if (name := switch_name(drawing.nodes.description[switch]))
    }


def _ends(drawing: Drawing, pulled: tuple[str, str]) -> tuple[dict[int, dict[int, End]], dict[int, set[int]]]:
    """By switch who is heard on each port, and the ports that lost their carrier."""
    cables, texts = drawing.cables, drawing.nodes.description
    ends: dict[int, dict[int, End]] = defaultdict(dict)
    dark: dict[int, set[int]] = defaultdict(set)
    for row, lower in enumerate(cables.lower.tolist()):
        upper, below, above = int(cables.upper[row]), int(cables.lower_port[row]), int(cables.upper_port[row])
        host, device = host_name(texts[lower])
        if drawing.nodes.kind[lower] == NodeKind.HOST:
            if (host, f"eth{(device or '_')[5:]}") == pulled:
                dark[upper].add(above)
                continue
            mac = mac_of_node(drawing, lower)
            ends[upper][above] = End(mac, mac, host or "", is_host=True)
        else:
            ends[upper][above] = End(mac_of_node(drawing, lower), f"swp{below}", switch_name(texts[lower]) or "")
            ends[lower][below] = End(mac_of_node(drawing, upper), f"swp{above}", switch_name(texts[upper]) or "")
    leaves = [switch for switch in ends if drawing.places.level[switch] == 0]
    for one in leaves:
        for other in leaves:
            if one != other and drawing.places.unit[one] == drawing.places.unit[other]:
                for port in (PEER_LINK, PEER_LINK + 1):
                    ends[one][port] = End(mac_of_node(drawing, other), f"swp{port}", switch_name(texts[other]) or "")
    return ends, dark


def _walk(name: str, mac: str, ends: Mapping[int, End], dark: set[int]) -> str:
    octets = mac.replace(":", "")
    lines = [
        "1.3.6.1.2.1.1.1.0|4|a switch that is drawn",
        "1.3.6.1.2.1.1.3.0|67|123456",
        f"1.3.6.1.2.1.1.5.0|4|{name}",
        "1.3.6.1.6.3.10.2.1.2.0|2|7",
        f"{LLDP}.3.1.0|2|4",
        f"{LLDP}.3.2.0|4x|{octets}",
    ]
    for port in sorted({*ends, *dark}):
        lines += _port(port, f"{octets[:10]}{port:02x}", up=port in ends)
    for port, end in sorted(ends.items()):
        lines += _neighbour(port + OFFSET, end)
    return "".join(f"{line}\n" for line in lines)


def _port(port: int, octets: str, *, up: bool) -> list[str]:
    return [
        f"{IF}.2.{port}|4|swp{port}",
        f"{IF}.3.{port}|2|6",
        f"{IF}.6.{port}|4x|{octets}",
        f"{IF}.7.{port}|2|1",
        f"{IF}.8.{port}|2|{1 if up else 2}",
        f"{IFX}.1.{port}|4|swp{port}",
        f"{IFX}.15.{port}|66|{MEGABITS}",
        f"{LLDP}.3.7.1.2.{port + OFFSET}|2|5",
        f"{LLDP}.3.7.1.3.{port + OFFSET}|4|swp{port}",
    ]


def _neighbour(local: int, end: End) -> list[str]:
    """Chassis id, port id, name and capabilities: a bridge, or a station only."""
    octets = end.mac.replace(":", "")
    columns = [
        (4, "2", "4"),
        (5, "4x", octets),
        (6, "2", "3" if end.is_host else "5"),
        (7, "4x" if end.is_host else "4", octets if end.is_host else end.port),
        (9, "4", end.name),
        (12, "4x", "01" if end.is_host else "20"),
    ]
    return [f"{LLDP}.4.1.1.{column}.0.{local}.1|{tag}|{value}" for column, tag, value in columns]


def _adapters(drawing: Drawing) -> list[int]:
    return [node for node, kind in enumerate(drawing.nodes.kind.tolist()) if kind == NodeKind.HOST]
