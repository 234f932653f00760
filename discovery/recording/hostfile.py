"""The files of a host that probes read, as one text that people can read, compare and edit.

A line is a path, a tab and what the file says; a file of several lines has a line for each. `path/` is a folder, with
what tells it from the next one of its name behind a tab where that is known; a path with two tabs cannot be read, for
the reason behind them. In the text of a later moment, which lies over those before it, `-path` takes something away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from discovery.errors import AbsentSourceError, UnreadableSourceError
from discovery.source import Source

SYS, PROC = "sys", "proc"
"""The first parts of the paths."""


@dataclass(frozen=True, slots=True)
class HostFiles:
    """Files by path, folders that are told by themselves, and what cannot be read. A `Source`, too."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    folders: Mapping[str, str | None] = field(default_factory=dict)
    """What tells each from another of its name."""
    unreadable: Mapping[str, str] = field(default_factory=dict)
    """Why."""
    _below: dict[str, set[str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        below: dict[str, set[str]] = defaultdict(set)
        for path in (*self.files, *self.folders, *self.unreadable):
            while path:
                path, _, name = path.rpartition("/")
                if name in below[path]:
                    break
                below[path].add(name)
        object.__setattr__(self, "_below", dict(below))

    def read(self, path: str, limit: int) -> bytes:
        """As `Source.read`."""
        if path in self.unreadable:
            raise UnreadableSourceError(f"{path}: {self.unreadable[path]}")
        if path not in self.files:
            raise AbsentSourceError(f"{path}: not in this recording")
        return self.files[path][:limit]

    def names(self, path: str) -> tuple[str, ...]:
        """As `Source.names`."""
        if path in self.unreadable:
            raise UnreadableSourceError(f"{path}: {self.unreadable[path]}")
        if path not in self._below and path not in self.folders:
            raise AbsentSourceError(f"{path}: not in this recording")
        return tuple(sorted(self._below.get(path, ())))

    def made(self, path: str) -> str | None:
        """As `Source.made`."""
        return self.folders.get(path)

    def below(self, root: str) -> Source:
        """The same below a folder."""
        return _Below(self, root)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing at all."""
        return not self._below


@dataclass(frozen=True, slots=True)
class _Below:
    source: Source
    root: str

    def read(self, path: str, limit: int) -> bytes:
        return self.source.read(f"{self.root}/{path}", limit)

    def names(self, path: str) -> tuple[str, ...]:
        return self.source.names(f"{self.root}/{path}")

    def made(self, path: str) -> str | None:
        return self.source.made(f"{self.root}/{path}")


def read_host(text: str, before: HostFiles | None = None) -> HostFiles:
    """The files of one text, laid over those of the moments before it. What is no line of the form is passed over."""
    before = before or HostFiles()
    files: dict[str, bytes] = dict(before.files)
    folders, unreadable = dict(before.folders), dict(before.unreadable)
    fresh: set[str] = set()
    for line in text.splitlines():
        path, tab, said = line.partition("\t")
        if path.startswith("-"):
            for known in (files, folders, unreadable):
                _take_away(known, path[1:].rstrip("/"))
        elif path.endswith("/"):
            folders[path.rstrip("/")] = said or None
        elif tab and said.startswith("\t"):
            files.pop(path, None)
            unreadable[path] = said[1:]
        elif tab:
            unreadable.pop(path, None)
            files[path] = (files[path] if path in fresh else b"") + f"{said}\n".encode("utf-8", "replace")
            fresh.add(path)
    return HostFiles(files, folders, unreadable)


def write_host(host: HostFiles) -> str:
    """As text, in the order of the paths; folders are told where nothing below them tells of them."""
    return "".join(f"{line}\n" for line in sorted(_lines(host), key=lambda line: line.partition("\t")[0]))


def _lines(host: HostFiles) -> Iterator[str]:
    for path, data in host.files.items():
        for line in data.decode("utf-8", "replace").rstrip("\n").split("\n"):
            yield f"{path}\t{_plain(line)}"
    for path, made in host.folders.items():
        if made or not host._below.get(path):
            yield f"{path}/" + (f"\t{made}" if made else "")
    for path, reason in host.unreadable.items():
        yield f"{path}\t\t{_plain(reason)}"


def _plain(line: str) -> str:
    """Without signs that would end a line, or begin a second column."""
    return " ".join(line.split())


def _take_away(known: dict[str, bytes] | dict[str, str | None] | dict[str, str], path: str) -> None:
    for found in _at_and_below(known, path):
        del known[found]


def _at_and_below(known: Iterable[str], path: str) -> list[str]:
    return [found for found in known if found == path or found.startswith(f"{path}/")]
