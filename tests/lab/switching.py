"""snmpd in a lab: a switch that can be asked for what lldpd heard on its ports."""

from __future__ import annotations

from pathlib import Path

from tests.lab.namespaces import Lab, Machine, require
from tests.lab.waiting import wait_for_socket

COMMUNITY = "public"
USER, AUTH_PASSWORD, PRIV_PASSWORD = "fz", "authpass123", "privpass123"
"""SHA and AES."""
ADDRESS, PORT = "127.0.0.1", 1161


def agentx_socket(lab: Lab, machine: Machine) -> Path:
    """Through which lldpd shows its tables to the snmpd of the machine."""
    return lab.folder / f"{machine.name}.agentx"


def serve_snmp(lab: Lab, machine: Machine, address: str = ADDRESS) -> None:
    """Start snmpd there. It is asked at the address and PORT, from within the machine's network."""
    require("snmpd")
    configuration = lab.folder / f"{machine.name}-snmpd.conf"
    configuration.write_text(
        f"agentAddress udp:{address}:{PORT}\nrocommunity {COMMUNITY}\n"
        f"createUser {USER} SHA {AUTH_PASSWORD} AES {PRIV_PASSWORD}\nrouser {USER} authPriv\n"
        f"sysName {machine.name}\nsysDescr a switch of the lab\n"
        f"master agentx\nagentXSocket {agentx_socket(lab, machine)}\nagentXPerms 0777 0777\n"
    )
    persistent = lab.folder / f"{machine.name}-persist"
    persistent.mkdir()
    process = lab.start(
        machine, "snmpd", "-f", "-Lo", "-C", "-c", str(configuration), "-p", str(lab.folder / f"{machine.name}.pid"),
        environment={"SNMP_PERSISTENT_DIR": str(persistent), "MIBS": ""},
    )  # fmt: skip
    wait_for_socket(agentx_socket(lab, machine), process, "snmpd")
