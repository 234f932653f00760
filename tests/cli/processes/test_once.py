"""`hyperscout agent --once`: the report of this host, without any cluster."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.architecture.sources import ROOT
from tests.cli.running import run

PORT = Path("class/infiniband/mlx5_0/ports/1")
FILES = {
    PORT / "state": "4: ACTIVE",
    PORT / "phys_state": "5: LinkUp",
    PORT / "link_layer": "InfiniBand",
    PORT / "gids/0": "fe80:0000:0000:0000:b83f:d203:00ab:cd12",
    PORT.parent.parent / "node_guid": "b83f:d203:00ab:cd10",
}


@pytest.fixture
def sysfs(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text + "\n")
    return tmp_path


def once(sysfs: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """With no kubeconfig anywhere."""
    command = [
        sys.executable,
        "-c",
        "from cli.main import main; raise SystemExit(main())",
        "agent",
        "--once",
        "--node",
        "gpu-node-1",
        "--sysfs-root",
        str(sysfs),
    ]
    environment = {"PATH": "/usr/bin:/bin:/usr/sbin", "HOME": str(sysfs)}
    return subprocess.run(
        [*command, *arguments], capture_output=True, text=True, cwd=ROOT, env=environment, timeout=60, check=False
    )


def test_the_report_is_yaml_with_the_outcome_of_every_probe(sysfs: Path) -> None:
    answer = once(sysfs, "--hear", "0.1", "--set", "probes.enabled=sysfs,netlink,lldp,lldpd,nvlink")
    assert (answer.returncode, "listened for LLDP for 0.1 s" in answer.stderr) == (0, True), answer.stderr
    document = yaml.safe_load(answer.stdout)
    assert (document["kind"], document["metadata"]) == ("NodeReport", {"name": "gpu-node-1"})
    assert [probe["name"] for probe in document["spec"]["probes"]] == ["sysfs", "netlink", "lldp", "lldpd", "nvlink"]
    (port,) = document["spec"]["ports"]
    assert (port["device"], port["portGuid"], port["verdict"]) == ("mlx5_0", "b83fd20300abcd12", "Up")


def test_a_probe_that_failed_is_told_and_ends_with_one(sysfs: Path) -> None:
    answer = once(sysfs, "-o", "json", "--set", "probes.enabled=sysfs,lldpd", "--set", "lldpd.socket=/none")
    assert answer.returncode == 1
    probes = {probe["name"]: probe["outcome"] for probe in json.loads(answer.stdout)["spec"]["probes"]}
    assert probes == {"sysfs": "Found", "lldpd": "Failed"}
    assert "the probe lldpd failed: lldpd.socket names /none" in answer.stderr
    assert "listened" not in answer.stderr


def test_a_sysfs_that_is_not_there_is_a_failure_that_names_the_setting(tmp_path: Path) -> None:
    answer = once(tmp_path / "none", "--set", "probes.enabled=sysfs")
    assert (answer.returncode, "host.sysfsRoot names" in answer.stderr) == (1, True)


def test_a_procfs_that_is_not_there_is_a_failure_that_names_the_setting(sysfs: Path) -> None:
    missing = str(sysfs / "none")
    answer = once(sysfs, "--set", "probes.enabled=sysfs", "--set", f"host.procRoot={missing}")
    assert (answer.returncode, f"host.procRoot names {missing}, " in answer.stderr) == (1, True), answer.stderr


def test_a_folder_without_a_boot_id_is_told_and_hides_no_port(sysfs: Path) -> None:
    answer = once(sysfs, "--set", "probes.enabled=sysfs", "--set", f"host.procRoot={sysfs}")
    spec = yaml.safe_load(answer.stdout)["spec"]
    assert (answer.returncode, len(spec["ports"]), "bootId" in spec) == (0, 1, False)
    assert f"host.procRoot names {sysfs}, and no sys/kernel/random/boot_id" in spec["probes"][0]["reason"]


def test_where_no_interface_is_physical_it_says_so_with_how_many_there_are(sysfs: Path) -> None:
    number = len(socket.if_nameindex())
    answer = once(sysfs, "--set", "probes.enabled=netlink")
    why = f"no network interface: {number} are seen from here, and by {sysfs}/class/net none of them is physical"
    assert (answer.returncode, why in answer.stderr) == (0, True), answer.stderr


@pytest.fixture
def cabled(sysfs: Path) -> Path:
    """A sysfs in which every interface of this host is one with a device."""
    for _, name in socket.if_nameindex():
        (sysfs / "class/net" / name / "device/driver").mkdir(parents=True)
    if not {name for _, name in socket.if_nameindex()} - {"lo"}:
        pytest.skip("this host has no interface but the loopback")
    return sysfs


def test_where_none_matches_it_names_the_setting_in_the_report_and_beside_it(cabled: Path) -> None:
    answer = once(cabled, "--set", "probes.enabled=netlink", "--set", "host.interfaces=no-such*")
    why = "host.interfaces (no-such*) matches none of the physical interfaces ("
    (probe,) = yaml.safe_load(answer.stdout)["spec"]["probes"]
    assert (probe["outcome"], probe["reason"].startswith(why)) == ("Found", True)
    assert f"the report has no network interface: {why}" in answer.stderr


def test_where_none_of_those_that_count_is_reported_it_says_what_they_lack(cabled: Path) -> None:
    answer = once(cabled, "--set", "probes.enabled=netlink")
    assert "none has an RDMA device or a neighbour that was heard" in answer.stderr


@pytest.mark.parametrize("option", [("--hear", "3"), ("-o", "json")])
def test_what_belongs_to_once_is_refused_without_it(
    capsys: pytest.CaptureFixture[str], option: tuple[str, str]
) -> None:
    answer = run(capsys, "agent", *option)
    assert (answer.code, answer.out) == (2, "")
    assert "--once" in answer.err
