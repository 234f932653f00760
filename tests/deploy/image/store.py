"""Builds the image of deploy/Dockerfile without a container engine: buildah, on a base that debootstrap makes.

The base and the layers of locked packages are kept in a store in the cache, keyed by the suite and by the locks; what a
run builds on top of them is removed again at its end. Takes root.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.architecture.sources import ROOT
from tests.cluster.go import cache_root, say

SUITE = "bookworm"
BASE = f"localhost/debian:{SUITE}"
KEPT = "localhost/hyperscout-layers"
BUILT = "localhost/hyperscout"
"""With the process id of the run as its tag."""
_AUTHORITIES = Path("/etc/ssl/certs")
_PIP = {"PIP_CERT": "cert", "PIP_INDEX_URL": "index-url", "PIP_PROXY": "proxy"}
"""What this machine says of where packages come from, and how pip's configuration file calls it."""


@dataclass(frozen=True, slots=True)
class Store:
    """Images and containers in one folder."""

    folder: Path

    @classmethod
    def cached(cls) -> Store:
        """The one that outlives a run."""
        return cls(cache_root() / "images")

    def buildah(self, *arguments: str) -> str:
        """What a buildah command prints. RuntimeError where it fails."""
        command = ["buildah", "--root", str(self.folder), *arguments]
        environment = os.environ | {"STORAGE_DRIVER": "vfs", "BUILDAH_ISOLATION": "chroot"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=ROOT)
        if done.returncode:
            raise RuntimeError(
                f"{' '.join(command)} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-3000:]}"
            )
        return done.stdout.strip()

    def has(self, image: str) -> bool:
        """Whether the image is there."""
        return image in self._images()

    def _images(self) -> list[str]:
        listed: list[dict[str, Any]] = json.loads(self.buildah("images", "--json") or "[]") or []
        return [name for image in listed for name in image.get("names") or ()]

    @contextmanager
    def alone(self) -> Iterator[None]:
        """One process at a time builds and removes."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / ".alone").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def build(self, image: str) -> None:
        """Build our Dockerfile."""
        with self.alone():
            self._forget_the_dead()
            if not self.has(BASE):
                self._make_base()
            key = _key()
            for stage in ("packages", "runtime"):
                kept = f"{KEPT}:{stage}-{key}"
                if not self.has(kept):
                    say(f"building the image's layer of {stage}: about 60 s, once per lock")
                    self._bud("--target", stage, "-t", kept)
            self._bud("-t", image)

    def _forget_the_dead(self) -> None:
        """Images of runs that were killed: their tag is the process id of one that is no more."""
        tags = {name: name.rpartition(":")[2] for name in self._images() if name.startswith(f"{BUILT}:")}
        dead = [name for name, pid in tags.items() if not Path("/proc", pid).exists()]
        if dead:
            self.buildah("rmi", "--force", *dead)

    def _bud(self, *arguments: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            configuration = Path(folder) / "pip.conf"
            given = [f"{name} = {os.environ[key]}\n" for key, name in _PIP.items() if os.environ.get(key)]
            configuration.write_text("[global]\n" + "".join(given))
            volumes = (f"{_AUTHORITIES}:{_AUTHORITIES}:ro", f"{configuration}:/etc/pip.conf:ro")
            mounted = [part for volume in volumes for part in ("--volume", volume)]
            base = ("--build-arg", f"BASE={BASE}", "--file", "deploy/Dockerfile")
            self.buildah("bud", "--quiet", "--layers", "--force-rm", *mounted, *base, *arguments, str(ROOT))

    def _make_base(self) -> None:
        say(f"making a base image with debootstrap {SUITE}: about 90 s, once")
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            root = Path(folder) / "rootfs"
            command = ["debootstrap", "--variant=minbase", "--include=python3,ca-certificates", SUITE, str(root)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-2000:]}")
            shutil.rmtree(root / "var" / "cache" / "apt" / "archives")
            (Path(folder) / "Containerfile").write_text("FROM scratch\nCOPY rootfs /\n")
            self.buildah("bud", "--quiet", "--file", f"{folder}/Containerfile", "-t", BASE, folder)

    def remove(self, *images: str) -> None:
        """Remove these, layers of other locks, and everything that nothing is built on."""
        with self.alone():
            old = [name for name in self._images() if name.startswith(f"{KEPT}:") and not name.endswith(_key())]
            self.buildah("rmi", *images, *old)
            self.buildah("rmi", "--prune")


def _key() -> str:
    """Of the layers that are kept: they change with the locks, the base and how the Dockerfile makes them."""
    digest = hashlib.sha256(BASE.encode())
    for name in ("requirements-build.lock", "requirements-runtime.lock", "deploy/Dockerfile"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()[:16]
