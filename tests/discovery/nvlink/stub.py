"""The stub NVML: the library compiled from nvml.c, the hosts that it plays, and real nvidia-ml-py asking it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

from discovery.nvlink.gpus import GpuLook

SOURCE = Path(__file__).with_name("nvml.c")
NO_DOMAIN = "00000000-0000-0000-0000-000000000000"
NOT_SUPPORTED, GPU_IS_LOST = 3, 15
WELL = 0b10_10_10_10 | 1 << 8 | 0b01_01 << 12
"""A health mask in which everything is well: full bandwidth, no recoveries, a good route, a right configuration, a
partition, a connected fabric manager. It is not 0."""
STATE, CRC, RECOVERY, RECEIVE, SYMBOL, RECOVERIES, LOST = 165, 163, 162, 208, 221, 215, 214
"""Fields of a link."""

_ASK = """
import os, sys
import msgspec
from discovery.nvlink import nvml
for line in sys.stdin:
    os.environ["NVML_STUB"] = line.strip()
    sys.stdout.buffer.write(msgspec.json.encode(nvml.look()) + b"\\n")
    sys.stdout.buffer.flush()
"""


@dataclass(frozen=True, slots=True)
class StubLink:
    """One link; `fields`: value by field id, those not listed are not supported."""

    state: int = 1
    fields: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StubGpu:
    """One GPU as the driver knows it."""

    handle: int = 0
    """What asking for the device returns."""
    fabric: int = 0
    """What asking for its fabric returns."""
    newest: int = 0
    """What asking for it by the newest structure returns."""
    fields: int = 0
    """What asking for its fields returns."""
    state: int = 3
    status: int = 0
    cluster: str = NO_DOMAIN
    clique: int | None = 0
    other_cliques: tuple[tuple[int, int], ...] = ()
    mask: int = 0
    summary: int = 0
    links: tuple[StubLink, ...] = ()

    def lines(self, n: int) -> Iterator[str]:
        """As nvml.c reads them."""
        yield f"gpu {n} {self.handle} GPU-00000000-0000-4000-8000-{n:012d}"
        cluster = self.cluster.replace("-", "")
        health = f"{self.mask} {self.summary}"
        yield f"fabric {n} {self.fabric} {self.state} {self.status} {cluster} {health} {self.clique or 0}"
        pointers = ((0, self.clique),) if self.clique is not None else ()
        yield from (f"clique {n} {kind} {number}" for kind, number in (*pointers, *self.other_cliques))
        yield from (f"newest {n} {self.newest}", f"fields {n} {self.fields}")
        yield f"field {n} 0 91 0 1 {len(self.links)}"
        for number, link in enumerate(self.links):
            yield f"field {n} {number} {STATE} 0 1 {link.state}"
            yield from (f"field {n} {number} {key} 0 3 {value}" for key, value in link.fields.items())
            old = link.fields
            yield f"link {n} {number} {int(link.state == 1)} {old.get(RECOVERY, 0)} {old.get(CRC, 0)}"


@dataclass(frozen=True, slots=True)
class StubHost:
    """The GPUs of one host, and how NVML starts there."""

    gpus: Sequence[StubGpu] = ()
    init: int = 0
    seconds: int = 0

    def write(self, path: Path) -> Path:
        """The file that the library reads."""
        lines = [f"init {self.init} {self.seconds}", f"count {len(self.gpus)}"]
        lines += [line for n, gpu in enumerate(self.gpus) for line in gpu.lines(n)]
        path.write_text("\n".join(lines) + "\n")
        return path


def build(folder: Path, newest: int = 4, *, old: bool = False) -> Path:
    """A folder for LD_LIBRARY_PATH with the library in it, of a driver with that structure of fabric information."""
    if shutil.which("gcc") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("gcc is missing: apt-get install gcc libc6-dev")
        pytest.skip("needs gcc: apt-get install gcc libc6-dev")
    folder = folder / f"nvml-{newest}{'-old' if old else ''}"
    library = folder / "libnvidia-ml.so.1"
    if not library.exists():
        folder.mkdir(parents=True, exist_ok=True)
        macros = [f"-DNEWEST={newest}", *(["-DOLD"] if old else [])]
        command = ["gcc", "-shared", "-fPIC", "-Wall", "-Werror", *macros, "-Wl,-soname,libnvidia-ml.so.1"]
        subprocess.run([*command, "-o", str(library), str(SOURCE)], check=True)
    return folder


@dataclass(slots=True)
class Asker:
    """A process in which the probe asks the library in `folder`, host after host, as after so many restarts."""

    folder: Path
    _process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _ASK],
            env=os.environ | {"LD_LIBRARY_PATH": str(self.folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def look(self, path: Path) -> GpuLook:
        """What the probe sees of the host that the file describes."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{path}\n".encode())
        self._process.stdin.flush()
        return msgspec.json.decode(self._process.stdout.readline(), type=GpuLook)

    def close(self) -> None:
        """End the process."""
        self._process.communicate(timeout=10)


def ask(folder: Path, path: Path) -> GpuLook:
    """The same once."""
    asker = Asker(folder)
    try:
        return asker.look(path)
    finally:
        asker.close()
