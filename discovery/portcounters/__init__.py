"""Error counters of the ports of InfiniBand switches, as perfquery of infiniband-diags prints them.

Forms as in libibmad's dump of PortCounters and PortCountersExtended (IBTA volume 1, 16.1.3.5 and 16.1.4.11).
"""

from discovery.portcounters.perfquery import read_perfquery

__all__ = ["read_perfquery"]
