"""Takes down what a probe reads of a host, as the probe reads it: a recording of exactly the files that count."""

from __future__ import annotations

from dataclasses import dataclass, field

from discovery.errors import AbsentSourceError, UnreadableSourceError
from discovery.recording.hostfile import HostFiles
from discovery.source import Source


@dataclass(slots=True)
class Taking:
    """A `Source` in front of another one; `root` is the first part of the paths under which it is recorded."""

    source: Source
    root: str
    _files: dict[str, bytes] = field(default_factory=dict)
    _folders: dict[str, str | None] = field(default_factory=dict)
    _unreadable: dict[str, str] = field(default_factory=dict)

    def read(self, path: str, limit: int) -> bytes:
        """As `Source.read`."""
        try:
            data = self._files[f"{self.root}/{path}"] = self.source.read(path, limit)
        except AbsentSourceError:
            raise
        except UnreadableSourceError as error:
            self._unreadable[f"{self.root}/{path}"] = str(error).removeprefix(f"{path}: ").partition(";")[0]
            raise
        return data

    def names(self, path: str) -> tuple[str, ...]:
        """As `Source.names`."""
        names = self.source.names(path)
        self._folders.setdefault(f"{self.root}/{path}", None)
        for name in names:
            self._folders.setdefault(f"{self.root}/{path}/{name}", None)
        return names

    def made(self, path: str) -> str | None:
        """As `Source.made`."""
        made = self.source.made(path)
        if made is not None:
            self._folders[f"{self.root}/{path}"] = made
        return made

    @property
    def taken(self) -> HostFiles:
        """All of it. What was only named is a folder, whatever it is: no probe has read it."""
        known = self._files.keys() | self._unreadable.keys()
        folders = {path: made for path, made in self._folders.items() if path not in known}
        return HostFiles(dict(self._files), folders, dict(self._unreadable))


def together(*hosts: HostFiles) -> HostFiles:
    """All of them as one."""
    return HostFiles(
        {path: data for host in hosts for path, data in host.files.items()},
        {path: made for host in hosts for path, made in host.folders.items()},
        {path: why for host in hosts for path, why in host.unreadable.items()},
    )
