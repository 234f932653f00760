"""The sysfs probe: the RDMA devices of a node and their ports, as the kernel shows them below `class/infiniband`.

`read_devices` gives everything that one look finds; what never changes while a driver is loaded is read once and kept
in its result, which the next look is given. Virtual functions are left out: their cable is that of the physical
function, and a node may have hundreds. So are SMI sub-devices, which are another view of a port. Of what is left 256
devices are read, and the others are told by their number: they are there, whatever is not known of them.

A file that is missing, cannot be read (EINVAL) or says something unknown leaves its value unknown; how many say what is
not understood is told beside what was found. A device that vanishes while it is read leaves itself out. Nothing of that
hides another device. Source of the files and their
spelling: the kernel's Documentation/ABI/stable/sysfs-class-infiniband.
"""

from discovery.sysfs.boot import read_boot_id
from discovery.sysfs.found import Devices, PortKey
from discovery.sysfs.probe import NAME, read_devices
from discovery.sysfs.sampling import port_samples

__all__ = ["NAME", "Devices", "PortKey", "port_samples", "read_boot_id", "read_devices"]
