"""Runs a command of the image as a node's container runtime would: its user, its environment, a root to read only."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.deploy.image.store import Store

GIVEN = "/mnt"
"""Where a folder of the test stands inside."""
_ENTER = """
mount --bind {root} {root}
mount --bind {given} {root}{GIVEN}
mount -o remount,bind,ro {root}{GIVEN}
mount -t proc proc {root}/proc
mount -o remount,bind,ro {root}
exec chroot --userspec={user} {root} env -i {environment} {command}
"""


@dataclass(frozen=True, slots=True)
class Container:
    """An image that is unpacked."""

    root: Path
    user: str
    entrypoint: tuple[str, ...]
    environment: Mapping[str, str]

    def command(
        self, *arguments: str, given: Path, entrypoint: Sequence[str] | None = None, user: str = ""
    ) -> list[str]:
        """The command line that runs it with these arguments; `given` is a folder that it may read at GIVEN."""
        script = _ENTER.format(
            root=shlex.quote(str(self.root)),
            given=shlex.quote(str(given)),
            GIVEN=GIVEN,
            user=user or self.user,
            environment=shlex.join(f"{name}={value}" for name, value in self.environment.items()),
            command=shlex.join([*(self.entrypoint if entrypoint is None else entrypoint), *arguments]),
        )
        return ["unshare", "--mount", "--propagation", "private", "sh", "-ec", script]

    def run(
        self, *arguments: str, given: Path, entrypoint: Sequence[str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """One command to its end."""
        command = self.command(*arguments, given=given, entrypoint=entrypoint)
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@contextmanager
def unpacked(store: Store, image: str) -> Iterator[Container]:
    """A container of the image; removed at the end."""
    name = store.buildah("from", "--pull-never", image)
    try:
        config = json.loads(store.buildah("inspect", name))["OCIv1"]["config"]
        environment = dict(pair.split("=", 1) for pair in config["Env"])
        root = Path(store.buildah("mount", name))
        yield Container(root, config["User"], tuple(config["Entrypoint"]), environment)
    finally:
        store.buildah("rm", name)
