"""`bench agent`: what one agent takes of a node with 8 HCAs and 16 interfaces that it looks at every 10 seconds.

    python -m bench.agent [--seconds N]

It lays out a network namespace with 16 cables on each of which a switch speaks LLDP, and a folder that stands for the
sysfs of the node; in there run an API server and `hyperscout agent` with its own settings and, as in a pod, with the
token and the authority of an account. Measured are CPU and memory from its first report on; CPU also beside `cat` of
the files that each look reads, as seldom as it looks. Where a virtual machine takes idle memory away, each page costs
when it is touched again; what one costs here is told beside it. It takes root and openssl. The exit code is 1 if a
figure is over its limit.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import mmap
import os
import resource
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import aiohttp
import psutil

from bench.reference import MEGABYTE, Figure, report
from kube.crds import crds
from kube.embedded.server import EmbeddedServer

HCAS, INTERFACES = 8, 16
MOST_CPU, MOST_MEMORY = 1.0, 80.0
PERIOD = 10.0
SPEAKS_EVERY = 30.0
READY = 60.0
PAGES = 4096
LEAST = 3 * PERIOD
HOST = "127.0.0.1:8463"
API_HOST, API_PORT = "127.0.0.1", 6443
COUNTERS = (
    "symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors", "local_link_integrity_errors",
    "excessive_buffer_overrun_errors",
)  # fmt: skip
PORT = {"state": "4: ACTIVE", "phys_state": "5: LinkUp", "rate": "400 Gb/sec (4X NDR)", "link_layer": "InfiniBand"}


def draw_sysfs(root: Path) -> list[Path]:
    """The files of the node; those that each look has to read are given."""
    read = []
    for number in range(HCAS):
        device = root / f"class/infiniband/mlx5_{number}"
        for folder in ("device", "ports/1/counters", "ports/1/gids"):
            (device / folder).mkdir(parents=True)
        guid = f"b83f:d203:00ab:{number:04x}"
        texts = {"node_guid": guid, "sys_image_guid": guid, "node_type": "1: CA"}
        texts |= {"device/uevent": f"DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:{number + 16:02x}:00.0"}
        texts |= {"ports/1/gids/0": f"fe80:0000:0000:0000:{guid}"}
        texts |= {f"ports/1/{name}": text for name, text in PORT.items()}
        texts |= {f"ports/1/counters/{name}": "0" for name in COUNTERS}
        for name, text in texts.items():
            (device / name).write_text(f"{text}\n")
        read += [device / f"ports/1/{name}" for name in ("state", "phys_state", "rate")]
        read += [device / f"ports/1/counters/{name}" for name in COUNTERS]
    for number in range(INTERFACES):
        (root / f"class/net/eth{number}/device").mkdir(parents=True)
        (root / f"class/net/swp{number}").mkdir()
        (root / f"class/net/swp{number}/mtu").write_text("1500\n")  # seen, and no NIC
    return read


@contextlib.contextmanager
def laid_out() -> Iterator[str]:
    """A network namespace with the cables of the node, whose other ends are in it as well."""
    name = f"hs-bench-{os.getpid()}"
    _ip(f"netns add {name}")
    try:
        _ip(f"-n {name} link set lo up")
        for number in range(INTERFACES):
            _ip(f"-n {name} link add eth{number} type veth peer name swp{number}")
            _ip(f"-n {name} link set eth{number} up")
            _ip(f"-n {name} link set swp{number} up")
        yield name
    finally:
        _ip(f"netns del {name}")


def _ip(command: str) -> None:
    subprocess.run(["ip", *command.split()], check=True)


def a_frame(number: int) -> bytes:
    """What the switch at the other end says: chassis, port, for how long, and its name."""
    mac = bytes.fromhex(f"443839ff00{number:02x}")
    tlvs = ((1, b"\4" + mac), (2, b"\5" + f"Ethernet1/{number}".encode()), (3, b"\0\x78"), (5, b"leaf-07.example.com"))
    body = b"".join((kind << 9 | len(value)).to_bytes(2, "big") + value for kind, value in tlvs)
    return bytes.fromhex("0180c200000e") + mac + b"\x88\xcc" + body + b"\0\0"


async def serve(folder: Path) -> None:
    """What is beside the agent: an API server, and switches that speak. Runs in the namespace until it is ended."""
    speakers = []
    for number in range(INTERFACES):
        speaker = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        speaker.bind((f"swp{number}", 0))
        speakers.append(speaker)
    async with EmbeddedServer() as server:
        url = f"{server.url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {server.token}"}) as session:
            for definition in crds(cel=False):
                async with session.post(url, json=definition) as answer:
                    answer.raise_for_status()
        async with await behind_tls(folder, server.url):
            make_account(folder, server.token)
            while True:
                for number, speaker in enumerate(speakers):
                    speaker.send(a_frame(number))
                await asyncio.sleep(SPEAKS_EVERY)


def make_certificate(folder: Path) -> None:
    """Of the API server, signed by itself."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=bench", "-addext",
         f"subjectAltName=IP:{API_HOST}", "-keyout", str(folder / "key"), "-out", str(folder / "authority")],
        check=True, stderr=subprocess.DEVNULL,
    )  # fmt: skip


async def behind_tls(folder: Path, url: str) -> asyncio.Server:
    """The API server by HTTPS, as pods reach theirs."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(folder / "authority", folder / "key")
    port = urlsplit(url).port

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection(API_HOST, port)
        await asyncio.gather(_pipe(reader, there_writer), _pipe(there_reader, writer))

    return await asyncio.start_server(carry, API_HOST, API_PORT, ssl=tls)


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while part := await reader.read(1 << 16):
            writer.write(part)
            await writer.drain()
    writer.close()


def make_account(folder: Path, token: str) -> None:
    """As the kubelet puts it into a pod; the folder comes when it is whole."""
    new = folder / "new"
    new.mkdir()
    (new / "token").write_text(token)
    (new / "namespace").write_text("hyperscout-node")
    (new / "ca.crt").write_bytes((folder / "authority").read_bytes())
    new.rename(folder / "serviceaccount")


def within(namespace: str, *command: str) -> subprocess.Popen[bytes]:
    """Run this in the namespace."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("HYPERSCOUT", "KUBE"))}
    environment |= {"KUBERNETES_SERVICE_HOST": API_HOST, "KUBERNETES_SERVICE_PORT": str(API_PORT)}
    return subprocess.Popen(["ip", "netns", "exec", namespace, *command], env=environment)


AS_IN_A_POD = (
    "mount -t tmpfs none /run && mkdir -p /run/secrets/kubernetes.io"
    ' && cp -r "$0" /run/secrets/kubernetes.io/ && exec "$@"'
)
"""`ip netns exec` gives a mount namespace of its own, so nobody else sees this /run."""


@contextlib.contextmanager
def running(process: subprocess.Popen[bytes]) -> Iterator[psutil.Process]:
    """As long as the context is open."""
    try:
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait()


def until(path: Path) -> None:
    """Wait for the file."""
    latest = time.monotonic() + READY
    while not path.exists():
        if time.monotonic() > latest:
            raise RuntimeError(f"{path.name} does not come")
        time.sleep(0.1)


def wait_ready(namespace: str) -> None:
    """Until the agent's report stands."""
    ask = f"import urllib.request; urllib.request.urlopen('http://{HOST}/readyz', timeout=5)"
    latest = time.monotonic() + READY
    while subprocess.run(
        ["ip", "netns", "exec", namespace, sys.executable, "-c", ask], check=False, stderr=subprocess.DEVNULL
    ).returncode:
        if time.monotonic() > latest:
            raise RuntimeError("the agent does not get ready")
        time.sleep(0.5)


def cat_seconds(files: list[Path]) -> float:
    """CPU of one `cat` of the files."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["cat", *map(str, files)], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Memory:
    """Some of this process, to see what this machine takes for a page that was not touched for a while."""

    def __init__(self) -> None:
        self._pages = bytearray(PAGES * mmap.PAGESIZE)

    def microseconds(self) -> float:
        """CPU for each page, touched once."""
        began = time.process_time()
        sum(self._pages[:: mmap.PAGESIZE])
        return (time.process_time() - began) / PAGES * 1e6


def cpu_seconds(process: psutil.Process) -> float:
    """Of the process and of all that it started."""
    used = process.cpu_times()
    return used.user + used.system + used.children_user + used.children_system


def measure(seconds: float) -> int:
    """Everything, and the exit code."""
    with TemporaryDirectory() as path, laid_out() as namespace:
        folder = Path(path)
        read = draw_sysfs(folder / "sys")
        beside = within(namespace, sys.executable, "-m", "bench.agent", "--serve", path)
        with running(beside):
            account = folder / "serviceaccount"
            until(account)
            hyperscout = str(Path(sys.executable).with_name("hyperscout"))
            agent = within(
                namespace, "sh", "-c", AS_IN_A_POD, str(account), hyperscout, "agent", "--node", "bench",
                "--sysfs-root", str(folder / "sys"), "--set", f"sampling.period={PERIOD:g}",
            )  # fmt: skip
            with running(agent) as process:
                wait_ready(namespace)
                started, began, memory = cpu_seconds(process), time.monotonic(), 0
                cats, pages, idle = list[float](), list[float](), Memory()
                while time.monotonic() - began < seconds:
                    time.sleep(1.0)
                    memory = max(memory, process.memory_info().rss)
                    if time.monotonic() - began > PERIOD * (len(cats) + 1):
                        cats.append(cat_seconds(read))
                        pages.append(idle.microseconds())
                taken, lasted = cpu_seconds(process) - started, time.monotonic() - began
        idle.microseconds()
        hot = idle.microseconds()
    cat = sum(cats) / len(cats)
    look = taken / lasted * PERIOD
    print(f"start: {started:.2f} s of CPU to the first report; then {taken:.2f} s in {lasted:.0f} s")
    print(
        f"a look takes {look * 1000:.1f} ms of CPU, cat of its {len(read)} files {cat * 1000:.1f}: {look / cat:.1f} x"
    )
    print(f"this machine: {sum(pages) / len(pages):.2f} us for a page after {PERIOD:g} s, {hot:.2f} us for one in use")
    return report(
        [
            Figure("agent: share of one core", 100 * taken / lasted, MOST_CPU, "%"),
            Figure("agent: memory at its peak", memory / MEGABYTE, MOST_MEMORY, "MB"),
        ]
    )


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench agent")
    parser.add_argument("--seconds", type=float, default=300.0, help=f"{LEAST:g} or more")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.serve is not None:
        make_certificate(chosen.serve)
        asyncio.run(serve(chosen.serve))
        return 0
    if os.geteuid():
        sys.exit("bench agent lays out a network namespace, which takes root")
    if chosen.seconds < LEAST:
        parser.error(f"--seconds is {LEAST:g} or more: three looks")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))  # so that what it started ends with it
    return measure(chosen.seconds)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
