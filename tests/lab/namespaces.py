"""Machines as network namespaces, and the cables between them."""

from __future__ import annotations

import ctypes
import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

PATIENCE = 20.0
_NAMESPACES = Path("/run/netns")
_CLONE_NEWNET = 0x40000000
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Machine:
    """One namespace."""

    name: str
    """What the test calls it."""
    namespace: str
    """What the kernel calls it."""

    def within(self, *command: str) -> list[str]:
        """The command, as it is run in here."""
        return ["ip", "netns", "exec", self.namespace, *command]

    def run(self, *command: str) -> str:
        """What a program that ends by itself prints. Fails where it fails."""
        done = subprocess.run(self.within(*command), capture_output=True, text=True, check=False, timeout=PATIENCE)
        assert done.returncode == 0, f"{' '.join(command)} on {self.name}: {done.stderr}"
        return done.stdout

    @contextmanager
    def entered(self) -> Iterator[None]:
        """This thread is in here for as long; what it opens stays here. Await nothing meanwhile."""
        with open("/proc/thread-self/ns/net") as before, (_NAMESPACES / self.namespace).open() as inside:
            _enter(inside.fileno())
            try:
                yield
            finally:
                _enter(before.fileno())


@dataclass(slots=True)
class Lab:
    """What one test file has laid out."""

    folder: Path
    """For sockets, configurations and logs. Its path is short enough for a unix socket, and daemons that gave up their
    rights find their way into it."""
    prefix: str
    machines: dict[str, Machine] = field(default_factory=dict)
    processes: list[subprocess.Popen[str]] = field(default_factory=list)

    def machine(self, name: str) -> Machine:
        """A new one, with its loopback up."""
        made = Machine(name, f"{self.prefix}{name}")
        _ip(f"netns add {made.namespace}")
        self.machines[name] = made
        _ip(f"-n {made.namespace} link set lo up")
        return made

    def cable(self, a: tuple[Machine, str], b: tuple[Machine, str]) -> None:
        """Plug a cable in at two ports that are not there yet. Pull it with `unplug`."""
        (one, port), (other, far) = a, b
        _ip(f"-n {one.namespace} link add {port} type veth peer name {far} netns {other.namespace}")
        _ip(f"-n {one.namespace} link set {port} up")
        _ip(f"-n {other.namespace} link set {far} up")

    def address(self, machine: Machine, port: str, address: str) -> None:
        """Give the port an address, such as `10.77.1.1/30`."""
        _ip(f"-n {machine.namespace} addr add {address} dev {port}")

    def unplug(self, machine: Machine, port: str) -> None:
        """The veth is deleted, and with it its other end."""
        _ip(f"-n {machine.namespace} link del {port}")

    def start(
        self, machine: Machine, *command: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[str]:
        """A program that runs until the lab is taken down. Its words are in `<machine>-<program>.log`."""
        with (self.folder / f"{machine.name}-{Path(command[0]).name}.log").open("a") as log:
            process = subprocess.Popen(
                machine.within(*command), stdin=subprocess.DEVNULL, stdout=log, stderr=log, text=True,
                cwd=self.folder, env={**os.environ, **(environment or {})},
            )  # fmt: skip
        self.processes.append(process)
        return process


@contextmanager
def laid() -> Iterator[Lab]:
    """An empty lab. All that is in it ends with it."""
    require("ip", "lldpd", "lldpctl")
    folder = Path(tempfile.mkdtemp(prefix="hs-"))
    folder.chmod(0o755)
    lab = Lab(folder, f"hs-{os.getpid()}-{next(_numbers)}-")
    try:
        yield lab
    finally:
        for process in lab.processes:
            process.terminate()
        for process in lab.processes:
            _end(process)
        for machine in lab.machines.values():
            subprocess.run(["ip", "netns", "del", machine.namespace], capture_output=True, check=False)
        shutil.rmtree(folder, ignore_errors=True)


def require(*programs: str) -> None:
    """The right to make namespaces, and the programs; without them the test is skipped, in CI it fails."""
    missing = [program for program in (*programs, "unshare") if not shutil.which(program)]
    sentence = "needs the right to make network namespaces: only root has it, and not in every container"
    if missing:
        sentence = f"needs the programs {', '.join(missing)}: see ./dev packages"
    if missing or subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode:
        if os.environ.get("CI") == "true":
            pytest.fail(sentence)
        pytest.skip(sentence)


def _end(process: subprocess.Popen[str]) -> None:
    with suppress(subprocess.TimeoutExpired):
        process.wait(5.0)
        return
    process.kill()
    process.wait()


def _ip(command: str) -> None:
    done = subprocess.run(["ip", *command.split()], capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, f"ip {command}: {done.stderr}"


def _enter(namespace: int) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.setns(namespace, _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")
