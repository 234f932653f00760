"""Running the real kubectl in a test."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Ran:
    """How a kubectl command ended."""

    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[list[str]]:
        """The words of each line that it printed."""
        return [line.split() for line in self.out.splitlines()]


@dataclass(frozen=True, slots=True)
class Kubectl:
    """kubectl with a kubeconfig in `home`."""

    path: Path
    home: Path
    namespace: str

    async def __call__(self, *arguments: str, manifest: object = None) -> Ran:
        """Run to the end. A manifest goes in as JSON on standard input (`-f -`)."""
        process = await self._start(arguments)
        text = json.dumps(manifest).encode() if manifest is not None else b""
        async with asyncio.timeout(30):
            out, err = await process.communicate(text)
        return Ran(process.returncode or 0, out.decode(), err.decode())

    async def must(self, *arguments: str, manifest: object = None) -> Ran:
        """Run to the end and succeed."""
        ran = await self(*arguments, manifest=manifest)
        assert ran.code == 0, f"kubectl {' '.join(arguments)}\n{ran.out}{ran.err}"
        return ran

    @asynccontextmanager
    async def following(self, *arguments: str) -> AsyncIterator[asyncio.StreamReader]:
        """The lines of a command that goes on, such as `get -w`; it ends with the context."""
        process = await self._start(arguments)
        assert process.stdout is not None
        try:
            yield process.stdout
        finally:
            process.terminate()
            await process.communicate()

    async def _start(self, arguments: tuple[str, ...]) -> asyncio.subprocess.Process:
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(self.home),
            "KUBECONFIG": str(self.home / "kubeconfig"),
            "KUBECACHEDIR": str(self.home / "cache"),
        }
        command = (str(self.path), "--namespace", self.namespace, *arguments)
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment)
