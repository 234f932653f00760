"""Every process and command from the image, its root read-only, on a real API server, with deploy/'s accounts."""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cli.demo.gangs import Job, pod_group, pods
from cli.demo.hardware import Hardware
from cli.demo.publishing import Publisher, create_all
from cli.demo.scenes import RACK, places_of
from kube.client import Client
from kube.connection import Access, Connection, FixedCredentials
from kube.types import POD_GROUPS, PODS
from tests.cli.processes.test_on_kubernetes import join
from tests.cluster.control_plane import ControlPlane, Settings
from tests.cluster.fixtures import require
from tests.cluster.ports import free_ports
from tests.cluster.process import Process
from tests.cluster.programs import KUBECTL
from tests.deploy.image.container import GIVEN, Container
from tests.security.installed import account_of, grant, install
from tests.security.manifests import SYSTEM

ALONE = Settings()
NODE = "gpu-node-1"
HYPER_NODES = "/apis/topology.volcano.sh/v1alpha1/hypernodes"
NODES, CONFIG_MAPS = "/api/v1/nodes", f"/api/v1/namespaces/{SYSTEM}/configmaps"
REPORTS = "/apis/hyperscout.io/v1alpha1"
LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{SYSTEM}/leases"
QUICK = {
    "agent": {
        "sampling.period": "0.1",
        "sampling.startSpread": "0",
        "host.node": NODE,
        "host.procRoot": f"{GIVEN}/proc",
    },
    "sweeper": {"lease.retryPeriod": "0.1"},
    "controller": {
        "lease.retryPeriod": "0.1",
        "debounce.quiet": "0.1",
        "sweepers": "demo-sweeper",
        "nodes.labels": "hyperscout,topograph",
    },
    "scheduler": {"lease.retryPeriod": "0.1"},
}
EXTRA = {"agent": ("--sysfs-root", f"{GIVEN}/sys"), "sweeper": ("--name", "default")}
PORT = Path("class/infiniband/mlx5_0/ports/1")
HEALTHY = {"state": "4: ACTIVE", "phys_state": "5: LinkUp", "rate": "400 Gb/sec (4X NDR)", "link_layer": "InfiniBand"}


@dataclass(slots=True)
class Site:
    """A control plane with our kinds on it, and our processes, which run from the image."""

    container: Container
    plane: ControlPlane
    folder: Path
    processes: dict[str, Process] = field(default_factory=dict)

    def account(self, name: str, token: str, namespace: str = SYSTEM) -> Path:
        """A folder with the kubeconfig of one account, which the image's user may read."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        authority = self.plane.credentials.authority
        (folder / "ca.crt").write_bytes(authority.read_bytes())
        text = self.plane.kubeconfig(token, namespace).replace(str(authority), f"{GIVEN}/ca.crt")
        (folder / "kubeconfig").write_text(text)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)
        return folder

    def prepare(self, name: str) -> Process:
        """One process of ours, not started yet."""
        account = account_of(self.plane, "hyperscout-sweeper-default" if name == "sweeper" else f"hyperscout-{name}")
        if name == "agent":
            draw_sysfs(self.folder / name)
        token = account.token_on(NODE) if name == "agent" else account.token()
        given = self.account(name, token, account.namespace)
        (port,) = free_ports(1)
        settings = [part for key, value in QUICK[name].items() for part in ("--set", f"{key}={value}")]
        address = ("--kubeconfig", f"{GIVEN}/kubeconfig", "--listen", f"127.0.0.1:{port}")
        command = self.container.command(name, *address, *EXTRA.get(name, ()), *settings, given=given)
        process = Process(name, command, self.folder / f"{name}.log", partial(is_ready, port))
        self.processes[name] = process
        return process

    def asks(self, *arguments: str, account: str = "") -> subprocess.CompletedProcess[str]:
        """A command of the image, as an administrator or as an account of ours."""
        token = account_of(self.plane, account).token() if account else self.plane.token
        given = self.account(account or "administrator", token)
        entrypoint = ["env", f"KUBECONFIG={GIVEN}/kubeconfig", *self.container.entrypoint]
        return self.container.run(*arguments, given=given, entrypoint=entrypoint)

    def last_words(self) -> str:
        """Of all processes of ours."""
        return "\n\n".join(process.last_words() for process in self.processes.values())

    def soon(self, holds: Callable[[], bool]) -> None:
        """Return once something holds that the processes bring about."""
        until = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < until, self.last_words()
            time.sleep(0.1)

    def items(self, path: str) -> list[dict[str, Any]]:
        """All objects below the path, without what says who wrote which field."""
        found: list[dict[str, Any]] = self.plane.ask("GET", path).body["items"]
        for item in found:
            item["metadata"].pop("managedFields", None)
        return found

    def names(self, path: str) -> list[str]:
        """Of all objects below the path."""
        return sorted(item["metadata"]["name"] for item in self.items(path))

    async def publish(self) -> None:
        """The demo's nodes and evidence."""
        hardware = Hardware()
        async with self.client() as client:
            await join(client, hardware.site.nodes)
            await Publisher(client).publish(hardware.look())

    async def submit(self, job: Job) -> None:
        """A gang."""
        async with self.client() as client:
            await create_all(client, POD_GROUPS, [pod_group(job)])
            await create_all(client, PODS, pods(job))

    def client(self) -> Client:
        """An administrator's."""
        access = Access({"Authorization": f"Bearer {self.plane.token}"}, self.plane.tls())
        return Client(Connection(self.plane.url, FixedCredentials(access)))


def draw_sysfs(folder: Path) -> None:
    """The sysfs of a node with one adapter, and a boot id."""
    (folder / "sys" / PORT / "gids").mkdir(parents=True)
    for name, text in HEALTHY.items():
        (folder / "sys" / PORT / name).write_text(text + "\n")
    (folder / "sys" / PORT / "gids/0").write_text("fe80:0000:0000:0000:b83f:d203:00ab:cd12\n")
    (folder / "sys" / PORT.parent.parent / "node_guid").write_text("b83f:d203:00ab:cd10\n")
    (folder / "proc/sys/kernel/random").mkdir(parents=True)
    (folder / "proc/sys/kernel/random/boot_id").write_text("5b1c\n")


def is_ready(port: int) -> bool:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
        return bool(answer.status == 200)


@pytest.fixture(scope="module")
def site(container: Container, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """All four processes at work on the demo's evidence."""
    require(*ALONE.programs, KUBECTL)
    folder = tmp_path_factory.mktemp("image")
    folder.chmod(0o755)
    with ControlPlane(folder / "plane", ALONE) as plane, ExitStack() as stack:
        install(plane)
        grant(plane, "hyperscout-controller-nodes", account_of(plane, "hyperscout-controller"))
        site = Site(container, plane, folder)
        asyncio.run(site.publish())
        plane.ask("POST", "/api/v1/nodes", {"metadata": {"name": NODE}})
        for name in ("agent", "sweeper", "controller", "scheduler"):
            process = site.prepare(name)
            process.start()
            stack.callback(process.stop)
        yield site


def test_the_agent_reports_the_ports_of_its_node(site: Site) -> None:
    path = f"{REPORTS}/nodereports/{NODE}"
    site.soon(lambda: site.plane.ask("GET", path).status == 200)
    (port,) = site.plane.ask("GET", path).body["spec"]["ports"]
    assert (port["device"], port["portGuid"], port["verdict"]) == ("mlx5_0", "b83fd20300abcd12", "Up")


def test_the_sweeper_says_why_it_cannot_sweep_where_no_fabric_is(site: Site) -> None:
    path = f"{REPORTS}/sweepreports/default"
    site.soon(lambda: site.plane.ask("GET", path).status == 200)
    spec = site.plane.ask("GET", path).body["spec"]
    assert (spec["outcome"], bool(spec["reasons"])) == ("Failed", True)


def test_controller_and_scheduler_place_a_gang_in_one_rack_of_the_tree_that_they_discover(site: Site) -> None:
    site.soon(lambda: len(site.names(HYPER_NODES)) == 9)
    asyncio.run(site.submit(Job("training", 18, RACK)))
    path = "/api/v1/namespaces/default/pods"
    site.soon(lambda: all(pod["spec"].get("nodeName") for pod in site.plane.ask("GET", path).body["items"]))
    nodes = [pod["spec"]["nodeName"] for pod in site.plane.ask("GET", path).body["items"]]
    assert (len(nodes), len(set(nodes)), len(places_of(nodes))) == (18, 18, 1)


def test_commands_of_the_image_ask_the_cluster(site: Site) -> None:
    site.soon(lambda: len(site.names(HYPER_NODES)) == 9)
    site.soon(lambda: "new spine" in json.dumps(site.items(CONFIG_MAPS)))  # the journal is written last
    name = site.names(HYPER_NODES)[0]
    for arguments, said in (
        (("whatif", "--gang", "2x4gpu", "--soft"), "is placed"),
        (("explain", "hypernode", name), name),
        (("changes",), "new spine"),
        (("uninstall", "--dry-run"), "would delete"),
    ):
        done = site.asks(*arguments)
        assert (done.returncode, said in done.stdout) == (0, True), (arguments, done.stdout, done.stderr)


def test_the_doctor_finds_the_whole_installation_and_nothing_amiss_but_the_sweep_without_a_fabric(site: Site) -> None:
    site.soon(lambda: len(site.names(HYPER_NODES)) == 9)
    done = site.asks("doctor", "-o", "json")
    found = json.loads(done.stdout)["findings"]
    amiss = [one for one in found if one["state"] != "fine"]
    assert [(one["topic"], "the last sweep of default is Failed" in one["sentence"]) for one in amiss] == [
        ("evidence", True)
    ]
    assert done.returncode == 1
    topics = {"version", "definitions", "accounts", "policies", "leaders", "writers", "volcano", "evidence"}
    assert {one["topic"] for one in found} == topics


def test_each_process_stops_when_told_and_the_removal_leaves_hyper_nodes_alone(site: Site) -> None:
    site.soon(lambda: any("hyperscout.io/leaf" in node["metadata"].get("labels", {}) for node in site.items(NODES)))
    for process in site.processes.values():
        process.wait_ready()
        process.stop()
        assert '"event": "stopped"' in process.last_words(), process.last_words()
    for name in ("hyperscout-controller", "hyperscout-scheduler"):
        assert site.plane.ask("GET", f"{LEASES}/{name}").body["spec"].get("holderIdentity", "") == ""
    done = site.asks("uninstall", account="hyperscout-uninstall")
    assert done.returncode == 0, done.stderr
    assert len(site.items(HYPER_NODES)) == 9
    assert [site.items(f"{REPORTS}/{kind}") for kind in ("nodereports", "switchreports", "sweepreports")] == [
        [],
        [],
        [],
    ]
    assert site.items(LEASES) == []
    assert "hyperscout.io/" not in json.dumps(site.items(NODES)) + json.dumps(site.items(CONFIG_MAPS))
    conditions = [condition["type"] for node in site.items(NODES) for condition in node["status"].get("conditions", ())]
    assert set(conditions) == {"Ready"}
