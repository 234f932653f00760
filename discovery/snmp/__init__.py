"""SNMP: what the switches of an Ethernet fabric say of their ports and neighbours.

`reading.walk_switch` asks one switch (LLDP-MIB or LLDP-V2-MIB, IF-MIB, ENTITY-MIB, `oids`) and gives its tables
(`tables`); `ports.ports_of` joins them port by port (`joining`), `switch.switch_report` makes the SwitchReport. Whom to
ask is in `targets`, with which community or user in `credentials`. All but `asking` and `reading` is pure.
"""

from discovery.snmp.asking import Bounds
from discovery.snmp.credentials import Credentials, read_credentials
from discovery.snmp.ports import PortFacts, ports_of
from discovery.snmp.reading import PROBE, ask_switch, walk_switch
from discovery.snmp.switch import Surroundings, identity, switch_report
from discovery.snmp.tables import SwitchTables
from discovery.snmp.targets import Target, read_targets

__all__ = [
    "PROBE",
    "Bounds",
    "Credentials",
    "PortFacts",
    "Surroundings",
    "SwitchTables",
    "Target",
    "ask_switch",
    "identity",
    "ports_of",
    "read_credentials",
    "read_targets",
    "switch_report",
    "walk_switch",
]
