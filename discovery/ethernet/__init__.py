"""Ethernet fabrics from what LLDP heard: evidence of nodes and switches as SwitchReports like those of InfiniBand.

Two parties tell of a cable, its host (NodeReports) and its switch (SwitchReports, by SNMP), each in names of its own:
MACs, chassis ids, ids of ports. `attachments` reads what a node says, `switches` what a switch says, `telling` puts
both together: one SwitchReport a switch, with numbers for ports and GUIDs for adapters. From there on both link layers
are treated alike.
"""

from discovery.ethernet.attachments import Attached, HostEnd, read_attached
from discovery.ethernet.switches import OwnSwitch, read_switch
from discovery.ethernet.telling import Told, tell

__all__ = ["Attached", "HostEnd", "OwnSwitch", "Told", "read_attached", "read_switch", "tell"]
