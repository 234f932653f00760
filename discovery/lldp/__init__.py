"""LLDP: who is at the other end of this host's Ethernet cables.

A raw receiver hears the frames themselves (`listener`), lldpd is asked where it runs (`lldpd`); both give the same
neighbours. Frames are parsed purely (`frames`, `identifiers`); what was heard lives as long as its sender said (`heard`).
"""
