"""LLDP: who is at the other end of this host's Ethernet cables.

A raw receiver hears the frames themselves (`listener`), lldpd is asked where it runs (`lldpd`); both give the same
neighbours, and `neighbours` makes one list a port of them. Frames are parsed purely (`frames`, `identifiers`); what was
heard lives as long as its sender said (`heard`).
"""

from discovery.lldp.listener import Listener
from discovery.lldp.lldpd import Lldpd, read_lldpd
from discovery.lldp.neighbours import Neighbours, combine, folded, is_adapter

__all__ = ["Listener", "Lldpd", "Neighbours", "combine", "folded", "is_adapter", "read_lldpd"]
