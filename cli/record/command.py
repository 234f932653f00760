"""The `record` command itself: its arguments, and which parts of what is here it records."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.ending import REFUSED, CommandError

if TYPE_CHECKING:
    from cli.record.switches import SwitchOptions
    from cli.record.takings import Takings
    from discovery.recording.manifest import Manifest
    from discovery.recording.pseudonyms import Pseudonyms

_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
SWEEPER = "default"
NODE_NAME = "letters, digits, dashes and dots, a letter or a digit first and last, at most 253 in all"
LEAST_KEY, LONGEST_KEY = 16, 4096
"""Bytes."""
MOST_SWITCHES = 4096
NO_FABRIC = (
    "no fabric was recorded, and --fabric asks for one; "
    "run it on a host that has an active InfiniBand port and infiniband-diags, or leave --fabric out"
)
NO_SWITCH = "no switch was recorded, and --switch asks for some; mend what is told above, or leave --switch out"

Folder = Annotated[str, typer.Argument(metavar="DIR", help="A folder that is new or empty.", show_default=False)]
Host = Annotated[bool, typer.Option("--host/--no-host", help="Whether this host is recorded: sysfs, LLDP, GPUs.")]
Node = Annotated[
    str | None,
    typer.Option("--node", metavar="NAME", help="The Node of this host; else its host name.", show_default=False),
]
Fabric = Annotated[
    bool, typer.Option("--fabric", help="Record the InfiniBand fabric, too: ibnetdiscover and error counters.")
]
Ports = Annotated[
    list[str] | None,
    typer.Option(
        "--port", metavar="DEVICE:PORT", help="Ports to sweep from; else all active ones.", show_default=False
    ),
]
Counters = Annotated[bool, typer.Option("--counters/--no-counters", help="Whether perfquery reads error counters.")]
Switches = Annotated[
    list[str] | None,
    typer.Option(
        "--switch",
        metavar="TARGET",
        help="Ethernet switches to ask by SNMP: addresses, networks, names.",
        show_default=False,
    ),
]
Credentials = Annotated[
    str | None,
    typer.Option(
        "--credentials",
        metavar="DIR",
        help="The files `community`, or `user`, `auth-password` and `priv-password`, for --switch.",
        show_default=False,
    ),
]
SweeperName = Annotated[str, typer.Option("--sweeper", metavar="NAME", help="What the fabric is called.")]
SysfsRoot = Annotated[str, typer.Option("--sysfs-root", metavar="DIR", help="Where sysfs is.")]
ProcRoot = Annotated[str, typer.Option("--proc-root", metavar="DIR", help="Where procfs is.")]
Listen = Annotated[
    float,
    typer.Option(
        "--listen", metavar="SECONDS", min=0.0, max=600.0, help="How long to listen for LLDP where lldpd does not run."
    ),
]
Limit = Annotated[
    float, typer.Option("--limit", metavar="SECONDS", min=1.0, max=3600.0, help="For each program that is run.")
]
Anonymise = Annotated[
    bool, typer.Option("--anonymise", help="Give names, GUIDs, MACs, serial numbers and addresses other ones.")
]
Key = Annotated[
    str | None,
    typer.Option(
        "--key",
        metavar="FILE",
        help="With --anonymise: the same file gives the same names, so hosts that are recorded apart fit together. "
        "It is made where it is not there; keep it to yourself.",
        show_default=False,
    ),
]


def record(
    folder: Folder,
    host: Host = True,
    node: Node = None,
    fabric: Fabric = False,
    ports: Ports = None,
    counters: Counters = True,
    switches: Switches = None,
    credentials: Credentials = None,
    sweeper: SweeperName = SWEEPER,
    sysfs_root: SysfsRoot = "/sys",
    proc_root: ProcRoot = "/proc",
    listen: Listen = 35.0,
    limit: Limit = 120.0,
    anonymise: Anonymise = False,
    key: Key = None,
) -> int:
    """Record what the probes read here, into a folder of plain files that hyperscout replay plays.

    Exit code 1: nothing of the fabric that --fabric asks for, or of the switches of --switch, was recorded.
    """
    import asyncio

    from cli.output import say, write
    from cli.progress import phase
    from cli.record.fabric import FabricOptions, record_fabric
    from cli.record.folder import new_folder, write_folder
    from cli.record.host import HostOptions, record_host
    from cli.record.switches import record_switches
    from cli.record.takings import Takings

    if not (host or fabric or switches):
        raise CommandError("--no-host leaves nothing to record; name it, too: --fabric, or --switch TARGET")
    _refuse_idle("without --no-host", host, {"--node": node is not None})
    _refuse_idle("with --fabric", fabric, {"--port": bool(ports), "--no-counters": not counters})
    _refuse_idle("with --fabric or --switch", fabric or bool(switches), {"--sweeper": sweeper != SWEEPER})
    _refuse_idle("with --switch", bool(switches), {"--credentials": credentials is not None})
    _refuse_idle("with --anonymise", anonymise, {"--key": key is not None})
    names = _pseudonyms(anonymise, key)
    targets = _targets(sweeper, switches or (), credentials)
    name = _node_name(node) if host else ""
    takings, absent = Takings(), list[str]()
    with new_folder(Path(folder)):
        if host:
            record_host(HostOptions(name, Path(sysfs_root), Path(proc_root), listen, limit), takings)
        if fabric:
            options = FabricOptions(sweeper, tuple(ports or ()), Path(sysfs_root), limit, counters)
            with phase("sweeping the fabric"):
                absent += [] if asyncio.run(record_fabric(options, takings)) else [NO_FABRIC]
        if targets is not None:
            with phase("asking switches"):
                absent += [] if asyncio.run(record_switches(targets, takings)) else [NO_SWITCH]
        manifest, texts = _finished(takings, names)
        if not texts:
            raise CommandError(f"nothing could be recorded, so there is no {folder}", REFUSED)
        write_folder(Path(folder), manifest, texts)
    write(f"{folder}: {len(texts)} files recorded, {len(takings.failed)} things not\n")
    for sentence in absent:
        say(f"{sentence}; what else there was is in {folder}")
    return REFUSED if absent else 0


def _finished(takings: Takings, names: Pseudonyms | None) -> tuple[Manifest, Mapping[str, str]]:
    """The manifest and the files as they are written."""
    from datetime import UTC, datetime
    from importlib.metadata import version
    from os import uname

    from cli.output import say
    from discovery.recording.anonymising import anonymise
    from discovery.recording.manifest import Failure, Manifest

    manifest = Manifest(
        at=datetime.now(UTC).replace(microsecond=0),
        versions={"hyperscout": version("hyperscout"), "kernel": uname().release, **takings.versions},
        failed=tuple(takings.failed),
    )
    texts: Mapping[str, str] = {path: text for path, text in takings.texts.items() if text}
    if names is None:
        return manifest, texts
    done = anonymise(texts, names)
    for path, reason in done.left_out.items():
        say(f"{path} is left out: {reason}")
    failed = tuple(Failure(what=done.free(one.what), reason=done.free(one.reason)) for one in manifest.failed)
    return replace(manifest, failed=failed, anonymised=True), done.texts


def _refuse_idle(when: str, heeded: bool, given: Mapping[str, bool]) -> None:
    """CommandError for an option that is given and of use to nothing that is recorded."""
    for option, is_given in given.items():
        if is_given and not heeded:
            raise CommandError(f"{option} is of use {when} only")


def _node_name(given: str | None) -> str:
    from socket import gethostname

    name = given if given is not None else gethostname()
    if _NAME.fullmatch(name.lower()):
        return name.lower()
    if given is not None:
        raise CommandError(f"--node {given!r} is no name of a Node: give {NODE_NAME}")
    raise CommandError(f"the host name {name!r} is no name of a Node: give one by --node, of {NODE_NAME}")


def _targets(sweeper: str, words: Sequence[str], folder: str | None) -> SwitchOptions | None:
    """Whom to ask by SNMP; None: nobody. CommandError where that cannot be understood."""
    if not _NAME.fullmatch(sweeper):
        raise CommandError(f"--sweeper {sweeper!r}: give a name of lower-case letters, digits, dashes and dots")
    if not words:
        return None
    from cli.record.switches import SwitchOptions
    from discovery.errors import EvidenceError
    from discovery.snmp import read_credentials, read_targets
    from discovery.source import Tree

    if folder is None:
        raise CommandError("--switch needs --credentials DIR: a folder with the file `community`, or those of a user")
    try:
        path = Path(folder)
        found = read_credentials(Tree(Path(path.anchor)), str(path))  # the whole path, for sentences name it
        return SwitchOptions(sweeper, read_targets(words, MOST_SWITCHES), found)
    except (EvidenceError, ValueError) as error:
        raise CommandError(str(error)) from error


def _pseudonyms(wanted: bool, key: str | None) -> Pseudonyms | None:
    """By the key of the file, by one that is made and put there, or by one that nobody keeps."""
    if not wanted:
        return None
    from os import O_CREAT, O_EXCL, O_WRONLY, fdopen
    from os import open as open_file
    from secrets import token_bytes

    from discovery.recording.pseudonyms import Pseudonyms

    made = token_bytes(32)
    if key is None:
        return Pseudonyms(made)
    try:
        if not Path(key).exists():
            with fdopen(open_file(key, O_WRONLY | O_CREAT | O_EXCL, 0o600), "wb") as file:
                file.write(made)
        with Path(key).open("rb") as file:
            data = file.read(LONGEST_KEY + 1)
    except OSError as error:
        raise CommandError(f"--key {key}: {error.strerror or error}; give a file that can be read or made") from error
    if not LEAST_KEY <= len(data) <= LONGEST_KEY:
        raise CommandError(f"--key {key}: {len(data)} bytes; give {LEAST_KEY} to {LONGEST_KEY}, or a file to be made")
    return Pseudonyms(data)
