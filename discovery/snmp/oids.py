"""Where things stand in the MIBs: the columns and scalars that are asked for. Numbers of the standards themselves.

LLDP-MIB (IEEE 802.1AB-2005), LLDP-V2-MIB (IEEE 802.1AB-2009), IF-MIB (RFC 2863), ENTITY-MIB (RFC 6933), SNMPv2-MIB
(RFC 3418), BRIDGE-MIB (RFC 4188), EtherLike-MIB (RFC 3635), SNMP-FRAMEWORK-MIB (RFC 3411).
"""

from __future__ import annotations

from dataclasses import dataclass

SYSTEM_DESCRIPTION = "1.3.6.1.2.1.1.1.0"
UPTIME = "1.3.6.1.2.1.1.3.0"
SYSTEM_NAME = "1.3.6.1.2.1.1.5.0"
BRIDGE_ADDRESS = "1.3.6.1.2.1.17.1.1.0"
ENGINE_BOOTS = "1.3.6.1.6.3.10.2.1.2.0"


@dataclass(frozen=True, slots=True)
class LldpMib:
    """One of the two forms of LLDP's MIB."""

    root: str
    index_length: int
    """Numbers in the index of a remote row; the second of them is the local port's."""
    remote_columns: tuple[int, int, int, int, int, int, int]
    """Of the remote table: chassis id subtype, chassis id, port id subtype, port id, port description, system name,
    enabled capabilities."""

    @property
    def chassis_subtype(self) -> str:
        return f"{self.root}.1.3.1.0"

    @property
    def chassis_id(self) -> str:
        return f"{self.root}.1.3.2.0"

    @property
    def system_name(self) -> str:
        return f"{self.root}.1.3.3.0"

    @property
    def local_ports(self) -> str:
        """The entry; its columns 2, 3 and 4 are id subtype, id and description."""
        return f"{self.root}.1.3.7.1"

    @property
    def remote(self) -> str:
        """The entry of the remote table."""
        return f"{self.root}.1.4.1.1"


LLDP = LldpMib("1.0.8802.1.1.2", 3, (4, 5, 6, 7, 8, 9, 12))
"""Indexed by time mark, local port number, remote index."""
LLDP_V2 = LldpMib("1.3.111.2.802.1.1.13", 4, (5, 6, 7, 8, 9, 10, 13))
"""Indexed by time mark, local ifIndex, destination address, remote index."""

IF_DESCRIPTION = "1.3.6.1.2.1.2.2.1.2"
IF_TYPE = "1.3.6.1.2.1.2.2.1.3"
IF_ADDRESS = "1.3.6.1.2.1.2.2.1.6"
IF_ADMIN = "1.3.6.1.2.1.2.2.1.7"
IF_OPER = "1.3.6.1.2.1.2.2.1.8"
IF_IN_ERRORS = "1.3.6.1.2.1.2.2.1.14"
IF_OUT_ERRORS = "1.3.6.1.2.1.2.2.1.20"
IF_NAME = "1.3.6.1.2.1.31.1.1.1.1"
IF_HIGH_SPEED = "1.3.6.1.2.1.31.1.1.1.15"
IF_ALIAS = "1.3.6.1.2.1.31.1.1.1.18"
SYMBOL_ERRORS = "1.3.6.1.2.1.10.7.2.1.18"
"""dot3StatsSymbolErrors; by ifIndex, as the others."""
IF_COLUMNS = (
    IF_DESCRIPTION, IF_TYPE, IF_ADDRESS, IF_ADMIN, IF_OPER, IF_IN_ERRORS, IF_OUT_ERRORS, IF_NAME, IF_HIGH_SPEED,
    IF_ALIAS, SYMBOL_ERRORS,
)  # fmt: skip

ENTITY_CLASS = "1.3.6.1.2.1.47.1.1.1.1.5"
ENTITY_SERIAL = "1.3.6.1.2.1.47.1.1.1.1.11"
ENTITY_MODEL = "1.3.6.1.2.1.47.1.1.1.1.13"
CHASSIS = 3
"""The class of the box itself."""

ETHERNET_TYPES = frozenset({6, 62, 69, 117})
"""ifType: ethernetCsmacd, fastEther, fastEtherFX and gigabitEthernet, the last three by old agents."""
UP, DOWN, NOT_PRESENT = 1, 2, 6
"""Of ifAdminStatus and ifOperStatus; the last of ifOperStatus alone."""
LINKLESS = frozenset({2, 3, 5, 7})
"""Of ifOperStatus: down, testing, dormant, lowerLayerDown; 4 is unknown."""
