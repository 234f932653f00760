"""A story: the files of a recording, moment by moment, and how it is played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from discovery.recording import layout
from discovery.recording.manifest import Manifest, write_manifest

DRAWN = "Drawn by tests/sites for hyperscout; this site exists nowhere, and every name, GUID and address is invented.\n"
AGAIN = "It is made anew by\n\n    .venv/bin/python -m tests.sites\n"


@dataclass(frozen=True, slots=True)
class Story:
    """One folder below `fixtures/`."""

    name: str
    tells: str
    """What happens, in a sentence or two."""
    moments: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    """Text by path below the moment, by second."""
    until: int | None = None

    def files(self) -> dict[str, bytes]:
        """All files of the folder but the expected results."""
        manifest = Manifest(story=self.tells, until=self.until, versions={"ibnetdiscover": "drawn"})
        files = {
            layout.MANIFEST: write_manifest(manifest),
            layout.PROVENANCE: f"{self.tells}\n\n{DRAWN}{AGAIN}".encode(),
        }
        for second, texts in self.moments.items():
            files |= {f"{layout.moment_name(second)}/{path}": text.encode() for path, text in texts.items()}
        return files
