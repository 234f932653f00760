"""Records this host: the files of sysfs and procfs that the agent's probes read, its LLDP neighbours, its GPUs."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from cli.progress import phase
from cli.record.takings import Takings
from discovery.commands import CommandError, Commands
from discovery.lldp import Listener, Lldpd, Neighbours, read_lldpd
from discovery.netlink import Links, read_links, read_recorded_links
from discovery.nvlink import child
from discovery.probing import Probed
from discovery.recording import layout
from discovery.recording.hostfile import PROC, SYS, write_host
from discovery.recording.neighbours import write_neighbours
from discovery.recording.taking import Taking, together
from discovery.reports import ABSENT, FAILED, FOUND
from discovery.source import Tree
from discovery.sysfs import read_boot_id, read_devices
from discovery.vantage import own_ports

_SMI = ((layout.SMI, ("-q",)), (layout.SMI_LINKS, ("nvlink", "-s")), (layout.SMI_ERRORS, ("nvlink", "-e")))


@dataclass(frozen=True, slots=True)
class HostOptions:
    """Times are in seconds."""

    node: str
    sysfs: Path = Path("/sys")
    proc: Path = Path("/proc")
    listen: float = 35.0
    """For LLDP, where lldpd does not run: senders speak every 30 s."""
    limit: float = 30.0
    """Of each program that is asked."""


def record_host(options: HostOptions, takings: Takings) -> None:
    """What cannot be read is told, and the rest recorded."""
    at = f"{layout.NODES}/{options.node}"
    sys, proc = Taking(Tree(options.sysfs), SYS), Taking(Tree(options.proc), PROC)
    devices, links = read_devices(sys), read_recorded_links(sys)
    own_ports(sys)
    if read_boot_id(proc) is None:
        takings.fail("boot id", f"{options.proc} cannot be read; give its place by --proc-root")
    for probed in (devices, links):
        if probed.outcome == FAILED:
            takings.fail(probed.name, probed.reason or "no reason was given")
    takings.texts[f"{at}/{layout.HOST}"] = write_host(together(sys.taken, proc.taken))
    interfaces = [link.name for link in links.found or ()]
    _record_links(options, at, takings)
    _record_neighbours(options, at, interfaces, takings)
    _record_gpus(options, at, takings)


def _record_links(options: HostOptions, at: str, takings: Takings) -> None:
    """What netlink and the drivers tell beyond sysfs: speeds, lanes, errors."""
    links = read_links(Tree(options.sysfs))
    if links.found is not None:
        told = msgspec.json.encode(Links(by_name=links.found.by_name))
        takings.texts[f"{at}/{layout.LINKS}"] = msgspec.json.format(told, indent=1).decode() + "\n"
    elif links.outcome == FAILED:
        takings.fail(links.name, links.reason or "no reason was given")


def _record_neighbours(options: HostOptions, at: str, interfaces: Sequence[str], takings: Takings) -> None:
    heard = read_lldpd(Lldpd(seconds=options.limit))
    if heard.outcome != FOUND and interfaces and options.listen > 0:
        if heard.outcome == FAILED:
            takings.fail(heard.name, heard.reason or "no reason was given")
        with phase(f"listening for LLDP on {len(interfaces)} interfaces for {options.listen:g} s"):
            heard = asyncio.run(_listened(interfaces, options.listen))
    if heard.found:
        takings.texts[f"{at}/{layout.LLDP_ANSWER}"] = write_neighbours(heard.found)
    if heard.reason and heard.outcome != ABSENT:
        takings.fail(heard.name, heard.reason)


async def _listened(interfaces: Sequence[str], seconds: float) -> Probed[Neighbours]:
    listener = Listener()
    try:
        listener.follow(interfaces)
        await asyncio.sleep(seconds)
        return listener.probed()
    finally:
        listener.close()


def _record_gpus(options: HostOptions, at: str, takings: Takings) -> None:
    """By NVML; where that says nothing, by the texts of nvidia-smi."""
    commands = Commands()
    with phase("asking for the GPUs"):
        look = child.look(commands, options.limit)
    if look.outcome == FOUND:
        takings.texts[f"{at}/{layout.NVML}"] = msgspec.json.format(msgspec.json.encode(look), indent=1).decode() + "\n"
        return
    if shutil.which("nvidia-smi") is None:
        if look.outcome == FAILED:
            takings.fail("GPUs", look.reason or "no reason was given")
        return
    for file, arguments in _SMI:
        try:
            answer = commands.run(("nvidia-smi", *arguments), options.limit)
        except CommandError as error:
            takings.fail(f"nvidia-smi {' '.join(arguments)}", str(error))
            continue
        if answer.code == 0:
            takings.texts[f"{at}/{file}"] = answer.output.decode("utf-8", "replace")
