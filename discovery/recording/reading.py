"""A recording read from its folder, and what its files say at each moment.

Each moment lies over those before it: files of hosts line by line, counters port by port, every other file whole. An
empty file takes away what was there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from discovery.errors import EvidenceError, UnreadableSourceError
from discovery.recording import layout
from discovery.recording.ending import read_ending
from discovery.recording.files import read_file
from discovery.recording.hostfile import HostFiles, read_host
from discovery.recording.manifest import LONGEST, Manifest, ManifestError, read_manifest
from discovery.recording.perfquery import laid_over
from discovery.source import is_text

MAX_FILES = 200_000
QUIET = 900
"""Seconds that are played beyond the last moment."""


class RecordingError(EvidenceError):
    """The folder is no recording; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Node:
    """What is recorded of one node."""

    host: HostFiles = field(default_factory=HostFiles)
    texts: Mapping[str, str] = field(default_factory=dict)
    """The other files, by name."""


@dataclass(frozen=True, slots=True)
class Fabric:
    """What one sweeper gets."""

    texts: Mapping[str, str] = field(default_factory=dict)
    """By path below the sweeper's folder."""

    @property
    def is_ethernet(self) -> bool:
        """Whether its switches are asked by SNMP."""
        return any(path.startswith(f"{layout.SNMP}/") for path in self.texts)


@dataclass(frozen=True, slots=True)
class Moment:
    """Everything that stands at one time."""

    nodes: Mapping[str, Node] = field(default_factory=dict)
    fabrics: Mapping[str, Fabric] = field(default_factory=dict)
    cluster: str | None = None
    """The text of the Nodes; None: every recorded node is one."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One or several folders that were read as one."""

    manifest: Manifest
    changes: Mapping[int, Mapping[str, str]]
    """By second what is new then: text by path below the moment."""

    @property
    def until(self) -> int:
        """When the playing ends."""
        told = self.manifest.until
        return told if told is not None else max(self.changes, default=0) + QUIET

    def moments(self) -> Iterator[tuple[int, Moment]]:
        """Each moment as it stands, with its second, in order."""
        moment = Moment()
        for second in sorted(self.changes):
            moment = _after(moment, self.changes[second])
            yield second, moment


def read_recording(*folders: Path) -> Recording:
    """All of them together: hosts that were recorded apart become one site. Raises RecordingError, ManifestError."""
    manifests, changes, owners = list[Manifest](), dict[int, dict[str, str]](), dict[str, _Owner]()
    for folder in folders:
        try:
            data = read_file(folder / layout.MANIFEST)
        except UnreadableSourceError as error:
            raise RecordingError(
                f"{folder}: no recording ({error}); give a folder that hyperscout record wrote"
            ) from error
        try:
            manifests.append(read_manifest(data))
        except ManifestError as error:
            raise ManifestError(f"{folder / layout.MANIFEST}: {error}") from error
        things = dict[str, dict[tuple[int, str], str]]()
        for second, path, text in _files(folder):
            changes.setdefault(second, {})[path] = text
            things.setdefault(_thing(path), {})[second, path] = text
        for thing, files in things.items():
            owner = owners.setdefault(thing, _Owner(folder, files))
            if owner.files != files:
                raise RecordingError(
                    f"{thing} is in both {owner.folder} and {folder}, and not the same; give the folders of one site, "
                    "each thing once"
                )
    if not changes:
        raise RecordingError(f"{folders[0]}: a recording without any moment; a folder named by seconds is missing")
    return Recording(manifests[0], changes)


@dataclass(frozen=True, slots=True)
class _Owner:
    """The folder that something is recorded in, and its files by second and path."""

    folder: Path
    files: Mapping[tuple[int, str], str]


def _thing(path: str) -> str:
    """What a file tells of: a node or a fabric by its name, else the file."""
    first, _, rest = path.partition("/")
    name = rest.partition("/")[0]
    return {layout.NODES: name, layout.FABRICS: f"the fabric {name}"}.get(first, path)


def _files(folder: Path) -> Iterator[tuple[int, str, str]]:
    """Second, path below the moment, and text of every file."""
    for count, (moment, file) in enumerate(_places(folder), 1):
        if count > MAX_FILES:
            raise RecordingError(f"{folder}: more than {MAX_FILES:,} files; play a smaller part of it")
        if not is_text(path := file.relative_to(moment).as_posix()):
            raise RecordingError(f"{file}: a name that is no text (UTF-8); rename it, or take it away")
        text = _text(file)
        _check(file, path, text)
        yield int(moment.name), path, text


def _check(file: Path, path: str, text: str) -> None:
    """What a file holds that can be read in one way alone. RecordingError."""
    if path.startswith(f"{layout.FABRICS}/") and file.name.startswith(layout.SWEEP) and file.suffix == layout.CODE:
        try:
            read_ending(text)
        except ValueError as error:
            raise RecordingError(f"{file}: {error}") from error


def _places(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Every file, after its moment. UnreadableSourceError where a folder does not let us look."""
    try:
        for moment in sorted(path for path in folder.iterdir() if layout.is_moment(path.name) and path.is_dir()):
            if int(moment.name) > LONGEST:
                raise RecordingError(f"{moment}: a recording lasts {LONGEST} seconds (31 days) at most; take it away")
            for file in sorted(path for path in _below(moment) if path.is_file()):
                yield moment, file
    except OSError as error:
        where = error.filename or folder
        raise UnreadableSourceError(f"{where}: {error.strerror or error}; give a folder that can be read") from error


def _below(folder: Path) -> Iterator[Path]:
    """Everything that is no folder. OSError where one does not let us look: what it holds would be missed unseen."""

    def refuse(error: OSError) -> None:
        raise error

    for where, _, names in os.walk(folder, onerror=refuse):
        yield from (Path(where, name) for name in names)


def _text(file: Path) -> str:
    return read_file(file).decode("utf-8", "surrogateescape" if _is_of_bytes(file.name) else "replace")


def _is_of_bytes(name: str) -> bool:
    """Whether what others said stands in it as they sent it, whatever they take for text."""
    return name.endswith(layout.WALK) or (name.startswith(layout.SWEEP) and name.endswith(layout.MAP))


def _after(moment: Moment, changes: Mapping[str, str]) -> Moment:
    nodes, fabrics, cluster = dict(moment.nodes), dict(moment.fabrics), moment.cluster
    for path, text in changes.items():
        first, _, rest = path.partition("/")
        name, _, file = rest.partition("/")
        if path == layout.CLUSTER:
            cluster = text
        elif first == layout.NODES and file:
            nodes[name] = _changed_node(nodes.get(name, Node()), file, text)
        elif first == layout.FABRICS and file:
            fabrics[name] = _changed_fabric(fabrics.get(name, Fabric()), file, text)
    return Moment(nodes, fabrics, cluster)


def _changed_node(node: Node, file: str, text: str) -> Node:
    if file == layout.HOST:
        return Node(read_host(text, node.host), node.texts)
    return Node(node.host, _with(node.texts, file, text))


def _changed_fabric(fabric: Fabric, file: str, text: str) -> Fabric:
    if file == layout.COUNTERS:
        text = laid_over(fabric.texts.get(file, ""), text)
    return Fabric(_with(fabric.texts, file, text))


def _with(texts: Mapping[str, str], file: str, text: str) -> dict[str, str]:
    """An empty file is none."""
    left = {name: known for name, known in texts.items() if name != file}
    return {**left, file: text} if text.strip() else left
