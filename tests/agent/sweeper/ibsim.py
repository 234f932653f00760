"""A fabric that ibsim plays: a dump is its net, its console cuts and mends cables, loses datagrams and sets counters.

ibnetdiscover goes by directed routes and works at once. perfquery goes by LID: it needs the LIDs and routes that one
sweep of opensm sets, and no opensm that stays.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

PACKAGES = "ibsim-utils libumad2sim0 infiniband-diags opensm"
PROGRAMS = ("ibsim", "ibnetdiscover", "perfquery", "opensm")
DEVICE = "ibsim0"
"""What the simulated adapter is called, whichever it is."""
PATIENCE = 60.0
_ADAPTER = re.compile(r'^Ca\s+\d+ "(H-[0-9a-f]+)"\s+# "\S+ mlx5_', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fabric:
    """One that runs. `tool` is ibnetdiscover and `counters` perfquery, attached to it."""

    tool: Path
    counters: Path
    opensm: Path
    sysfs: Path
    """A tree that shows the simulated adapter as active."""
    console: IO[str]

    def tell(self, command: str) -> None:
        """Type a command at its console."""
        self.console.write(command + "\n")
        self.console.flush()

    def route(self) -> None:
        """Give every port a LID, and every switch its routes."""
        subprocess.run([self.opensm, "-o"], capture_output=True, timeout=PATIENCE, check=True)


def require_ibsim() -> Path:
    """The library that tools are preloaded with; without the packages the test is skipped, in CI it fails."""
    library = next(Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"), None)
    if library is None or not all(map(shutil.which, PROGRAMS)):
        sentence = f"needs the Debian packages {PACKAGES}"
        if os.environ.get("CI") == "true":
            pytest.fail(sentence)
        pytest.skip(sentence)
    return library


@contextmanager
def simulated(net: Path, folder: Path, adapter: str = "") -> Iterator[Fabric]:
    """Play the net, and attach tools to an adapter of it; to the last one of a host where none is named."""
    library = require_ibsim()
    adapter = adapter or _ADAPTER.findall(net.read_text())[-1]
    name = f"hyperscout-{os.getpid()}-{folder.name}"
    preload = f"IBSIM_SOCKNAME={name} SIM_HOST={adapter} OSM_CACHE_DIR=. OSM_TMP_DIR=. LD_PRELOAD={library}"
    tool, counters, opensm = (_attached(program, folder, preload) for program in PROGRAMS[1:])
    log = folder / "ibsim.log"
    with log.open("w") as words:
        process = subprocess.Popen(
            ["ibsim", "-s", "-N", "4096", "-S", "512", "-P", "65536", str(net.resolve())], stdin=subprocess.PIPE,
            stdout=words, stderr=words, text=True, env={**os.environ, "IBSIM_SOCKNAME": name}, cwd=folder,
        )  # fmt: skip
    assert process.stdin is not None
    try:
        _wait_for(tool, log)
        yield Fabric(tool, counters, opensm, _sysfs(folder / "sys"), process.stdin)
    finally:
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.kill()
        process.wait()


def _attached(program: str, folder: Path, preload: str) -> Path:
    """The program on the simulated fabric. Where one is killed its library leaves a folder behind, there."""
    tool = folder / program
    tool.write_text(f'#!/bin/sh\ncd "{folder}" && exec env {preload} {shutil.which(program)} "$@"\n')
    tool.chmod(0o755)
    return tool


def _sysfs(root: Path) -> Path:
    """The simulated adapter as the kernel would show it; its port GUID is not told."""
    port = root / "class/infiniband" / DEVICE / "ports/1"
    port.mkdir(parents=True)
    (port / "link_layer").write_text("InfiniBand\n")
    (port / "state").write_text("4: ACTIVE\n")
    return root


def _wait_for(tool: Path, log: Path) -> None:
    """Until a sweep sees something."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done = subprocess.run([tool], capture_output=True, timeout=PATIENCE, check=False)
        if b"\nSwitch" in done.stdout:
            return
    raise AssertionError(f"ibsim plays nothing:\n{log.read_text()[-2000:]}")
