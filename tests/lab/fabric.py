"""A small Ethernet fabric that is really there: leaves, hosts, a spine; lldpd on all, snmpd on the switches.

The management station `nms` has a cable to port mgmt0 of every switch, and asks it there by SNMP.

Hosts are nodes of one RoCE adapter. A veth shows no adapter in sysfs, so each host has a drawn sysfs beside its real
interfaces: what is physical and which adapter it belongs to is read there, all else is asked of the kernel.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from tests.discovery.sysfs.adapters import bond, ethernet, nic
from tests.lab.namespaces import Lab, Machine
from tests.lab.speaking import Daemon, Speaker, Told, start_lldpd
from tests.lab.switching import serve_snmp

HOSTS_OF_A_LEAF = 4
UPLINK = "swp49"


@dataclass(slots=True)
class Fabric:
    """What was laid out."""

    lab: Lab
    station: Machine
    hosts: dict[str, Machine] = field(default_factory=dict)
    switches: dict[str, Machine] = field(default_factory=dict)
    daemons: dict[str, Daemon] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)
    """Of the switches, as the management station knows them."""

    def sysfs(self, host: str) -> Path:
        """Where the drawn sysfs of a host is."""
        return self.lab.folder / f"{host}-sys"

    def node_guid(self, host: str) -> str:
        """Of its adapter, as sysfs spells it."""
        return f"0242:a103:0000:{int(host.rpartition('-')[2]):04x}"

    def hosts_of(self, leaf: int) -> list[str]:
        """The names of those that hang under the leaf of that number, counted from 1."""
        return list(self.hosts)[(leaf - 1) * HOSTS_OF_A_LEAF : leaf * HOSTS_OF_A_LEAF]


def raise_fabric(lab: Lab, leaves: int = 2) -> Fabric:
    """`leaves` leaves of 4 hosts each (gpu-01, gpu-02, ...) under spine-01."""
    fabric = Fabric(lab, lab.machine("nms"))
    spine = fabric.switches["spine-01"] = lab.machine("spine-01")
    for leaf in range(1, leaves + 1):
        switch = fabric.switches[f"leaf-{leaf:02}"] = lab.machine(f"leaf-{leaf:02}")
        lab.cable((switch, UPLINK), (spine, f"swp{leaf}"))
        for place in range(1, HOSTS_OF_A_LEAF + 1):
            name = f"gpu-{(leaf - 1) * HOSTS_OF_A_LEAF + place:02}"
            host = fabric.hosts[name] = lab.machine(name)
            lab.cable((host, "eth0"), (switch, f"swp{place}"))
            draw_sysfs(fabric, name, ethernet("mlx5_0", "eth0", node_guid=fabric.node_guid(name)))
    for name in fabric.switches:
        _run_switch(fabric, name)
    for name, host in fabric.hosts.items():
        fabric.daemons[name] = start_lldpd(lab, host, Speaker(name, switch=False))
    for daemon in fabric.daemons.values():
        daemon.wait()
    return fabric


def add_second_leaves(fabric: Fabric) -> None:
    """Every leaf gets a twin (leaf-01b), and every host a second cable, to the twin: eth0 and eth1 are one bond.

    The bond is drawn in sysfs alone, for not every kernel that runs tests can make one.
    """
    lab, spine = fabric.lab, fabric.switches["spine-01"]
    leaves = [name for name in fabric.switches if name.startswith("leaf")]
    for number, leaf in enumerate(leaves, 1):
        twin = fabric.switches[f"{leaf}b"] = lab.machine(f"{leaf}b")
        lab.cable((twin, UPLINK), (spine, f"swp{len(leaves) + number}"))
        for place, name in enumerate(fabric.hosts_of(number), 1):
            lab.cable((fabric.hosts[name], "eth1"), (twin, f"swp{place}"))
            adapter = ethernet(
                "mlx5_bond_0", "eth0", ports__1__gid_attrs__ndevs__0="bond0", node_guid=fabric.node_guid(name)
            )
            draw_sysfs(fabric, name, adapter | nic("eth1") | bond("bond0", "eth0", "eth1"))
        _run_switch(fabric, twin.name)
        fabric.daemons[twin.name].wait()


def draw_sysfs(fabric: Fabric, host: str, files: dict[str, bytes]) -> None:
    """In place of what was drawn before."""
    root = fabric.sysfs(host)
    shutil.rmtree(root, ignore_errors=True)
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text)


def _run_switch(fabric: Fabric, name: str) -> None:
    """Its management port and its daemons."""
    lab, switch, number = fabric.lab, fabric.switches[name], len(fabric.addresses) + 1
    lab.cable((fabric.station, f"eth{number}"), (switch, "mgmt0"))
    lab.address(fabric.station, f"eth{number}", f"10.77.{number}.1/30")
    fabric.addresses[name] = f"10.77.{number}.2"
    lab.address(switch, "mgmt0", f"{fabric.addresses[name]}/30")
    serve_snmp(lab, switch, fabric.addresses[name])
    fabric.daemons[name] = start_lldpd(lab, switch, _switch(name), agentx=True)


def _switch(name: str) -> Speaker:
    """Ports are called as on many switches; the names in the kernel are others."""
    ports = {f"swp{number}": Told("local", f"Ethernet1/{number}") for number in (*range(1, 9), 49)}
    return Speaker(name, "a switch of the lab", ports)
