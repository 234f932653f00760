"""The netlink probe: the network interfaces of a node that a cable goes into, and the moment when one of them changes.

`read_links` makes one look, over netlink where the kernel is asked and over sysfs for what only it tells;
`read_recorded_links` makes it from a sysfs alone, of a recording too. `LinkEvents` says at once which link changed.
"""

import discovery.netlink.decoding  # noqa: F401 - before the first part of pyroute2 is loaded
from discovery.netlink.events import EVERY, LinkEvents
from discovery.netlink.links import Link, Links
from discovery.netlink.reading import NAME, read_links
from discovery.netlink.recorded import read_recorded_links
from discovery.netlink.sampling import link_samples

__all__ = ["EVERY", "NAME", "Link", "LinkEvents", "Links", "link_samples", "read_links", "read_recorded_links"]
