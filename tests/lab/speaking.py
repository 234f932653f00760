"""lldpd in a lab: what a machine tells its neighbours, and what its own lldpd heard."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.lab.namespaces import PATIENCE, Lab, Machine
from tests.lab.switching import agentx_socket
from tests.lab.waiting import wait_for_socket


@dataclass(frozen=True, slots=True)
class Told:
    """What a port tells of itself: its id, by lldpd's name of the subtype (`ifname`, `macaddress`, `local`)."""

    subtype: str
    identity: str = ""
    """For `local` alone."""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Speaker:
    """What one machine tells. The chassis id is its MAC, unless `chassis` gives another (of subtype local)."""

    name: str
    description: str = "a machine of the lab"
    ports: Mapping[str, Told] = field(default_factory=dict)
    """Others tell their interface's name."""
    chassis: str = ""
    interval: int = 1
    """Seconds between two frames of a port; they count for five times as long, and one more."""
    switch: bool = True
    """Whether it says that it is a bridge and a router."""

    def configuration(self) -> str:
        """For lldpd's own client."""
        lines = [
            f"configure system hostname {self.name}",
            f'configure system description "{self.description}"',
            f"configure lldp tx-interval {self.interval}",
            "configure lldp tx-hold 5",
            "configure lldp portidsubtype ifname",
            f"configure system capabilities enabled {'bridge,router' if self.switch else 'station'}",
        ]
        lines += [f"configure system chassisid {self.chassis}"] if self.chassis else []
        for port, told in self.ports.items():
            words = ["configure ports", port, "lldp portidsubtype", told.subtype, told.identity]
            words += [f'description "{told.description}"'] if told.description else []
            lines.append(" ".join(word for word in words if word))
        return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Daemon:
    """One lldpd that runs."""

    machine: Machine
    socket: Path
    """For `lldpctl -u`; a file, so it works from every namespace."""
    process: subprocess.Popen[str]

    def ask(self, *command: str) -> str:
        """What lldpcli answers."""
        done = subprocess.run(
            ["lldpcli", "-u", str(self.socket), *command], capture_output=True, text=True, check=True, timeout=PATIENCE
        )
        return done.stdout

    def wait(self) -> None:
        """Until it answers."""
        wait_for_socket(self.socket, self.process, "lldpd")

    def stop(self) -> None:
        """It says goodbye (a frame that lives for zero seconds) and ends."""
        self.process.terminate()
        self.process.wait(PATIENCE)


def speak(lab: Lab, machine: Machine, speaker: Speaker) -> Daemon:
    """Start lldpd there, and wait until it answers."""
    daemon = start_lldpd(lab, machine, speaker)
    daemon.wait()
    return daemon


def start_lldpd(lab: Lab, machine: Machine, speaker: Speaker, *, agentx: bool = False) -> Daemon:
    """Start lldpd there; it sends at once. `agentx`: the machine's snmpd shows its tables (see `switching`)."""
    path, configuration = lab.folder / f"{machine.name}.sock", lab.folder / f"{machine.name}.conf"
    configuration.write_text(speaker.configuration())
    extra = ["-x", "-X", str(agentx_socket(lab, machine))] if agentx else []
    process = lab.start(machine, "lldpd", "-d", "-u", str(path), "-O", str(configuration), *extra)
    return Daemon(machine, path, process)
