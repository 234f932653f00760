"""A fabric that ibsim plays: a dump is its net, its console cuts and mends cables and loses datagrams."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

PACKAGES = "ibsim-utils libumad2sim0 infiniband-diags"
PATIENCE = 20.0


@dataclass(frozen=True, slots=True)
class Fabric:
    """One that runs. `tool` is ibnetdiscover, attached to it."""

    tool: Path
    console: IO[str]

    def tell(self, command: str) -> None:
        """Type a command at its console."""
        self.console.write(command + "\n")
        self.console.flush()


def require_ibsim() -> Path:
    """The library that tools are preloaded with; without the packages the test is skipped, in CI it fails."""
    library = next(Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"), None)
    if library is None or not all(shutil.which(name) for name in ("ibsim", "ibnetdiscover")):
        sentence = f"needs the Debian packages {PACKAGES}"
        if os.environ.get("CI") == "true":
            pytest.fail(sentence)
        pytest.skip(sentence)
    return library


@contextmanager
def simulated(net: Path, folder: Path) -> Iterator[Fabric]:
    """Play the net, and attach tools to the first adapter of it."""
    library = require_ibsim()
    name = f"hyperscout-{os.getpid()}-{folder.name}"
    tool = folder / "ibnetdiscover"
    preload = f"IBSIM_SOCKNAME={name} LD_PRELOAD={library}"
    # Where a tool is killed, the preloaded library leaves a folder in the working directory.
    tool.write_text(f'#!/bin/sh\ncd "{folder}" && exec env {preload} {shutil.which("ibnetdiscover")} "$@"\n')
    tool.chmod(0o755)
    log = folder / "ibsim.log"
    with log.open("w") as words:
        process = subprocess.Popen(
            ["ibsim", "-s", "-N", "4096", "-S", "512", "-P", "65536", str(net)], stdin=subprocess.PIPE,
            stdout=words, stderr=words, text=True, env={**os.environ, "IBSIM_SOCKNAME": name}, cwd=folder,
        )  # fmt: skip
    assert process.stdin is not None
    try:
        _wait_for(tool, log)
        yield Fabric(tool, process.stdin)
    finally:
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.kill()
        process.wait()


def _wait_for(tool: Path, log: Path) -> None:
    """Until a sweep sees something."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done = subprocess.run([tool], capture_output=True, timeout=PATIENCE, check=False)
        if b"\nSwitch" in done.stdout:
            return
    raise AssertionError(f"ibsim plays nothing:\n{log.read_text()[-2000:]}")
