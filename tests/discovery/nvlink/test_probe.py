"""The probe as the agent calls it: in a process of its own, within its time, and with nvidia-smi behind it."""

from __future__ import annotations

import ctypes
import os
import time
from pathlib import Path

import pytest

from discovery.commands import CommandError, Commands
from discovery.nvlink import GpuReader, read_domain
from discovery.reports import ABSENT, FAILED, FOUND
from tests.discovery.nvlink.stub import WELL, StubGpu, StubHost, build

RACK = "7b968a6d-c8aa-45e1-9e07-e1e51be99c31"
HOST = StubHost([StubGpu(cluster=RACK, clique=32766, mask=WELL, summary=1)] * 4)
QUERY = f"""GPU 00000008:01:00.0
    GPU UUID : GPU-aaaa
    Fabric
        State : Completed
        Status : Success
        CliqueId : 1
        ClusterUUID : {RACK}
"""


@pytest.fixture
def driver(libraries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the host that the stub plays for processes started from here."""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(build(libraries)))
    path = HOST.write(tmp_path / "host")
    monkeypatch.setenv("NVML_STUB", str(path))
    return path


def smi(folder: Path, query: str) -> tuple[str, ...]:
    """A program that prints that for -q, and one active link for nvlink -s."""
    program = folder / "nvidia-smi"
    (folder / "query").write_text(query)
    program.write_text(
        f"#!/bin/sh\ncase \"$*\" in -q) cat {folder}/query;; 'nvlink -s') "
        "printf 'GPU 0: x (UUID: GPU-aaaa)\\n\\t Link 0: 50 GB/s\\n';; *) exit 6;; esac\n"
    )
    program.chmod(0o755)
    return (str(program),)


def test_the_probe_finds_the_domain_in_a_process_of_its_own(driver: Path) -> None:
    probed = read_domain(GpuReader())
    assert (probed.name, probed.outcome, probed.reason) == ("nvlink", FOUND, None)
    assert probed.found is not None
    assert (probed.found.clusterUuid, probed.found.cliqueId, probed.found.gpus) == (RACK, 32766, 4)
    assert Path(f"{driver}.log").read_text() == "is"
    assert "libnvidia-ml" not in Path("/proc/self/maps").read_text()


def test_a_driver_that_hangs_is_cut_off_and_told(driver: Path) -> None:
    StubHost(HOST.gpus, seconds=60).write(driver)
    began = time.monotonic()
    probed = GpuReader(seconds=0.5).read()
    assert probed.outcome == FAILED
    assert "no answer within 0.5 s" in str(probed.reason)
    assert time.monotonic() - began < 10
    HOST.write(driver)
    assert GpuReader().read().outcome == FOUND


def test_a_process_that_dies_in_the_library_is_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "crash.c").write_text(
        "int nvmlInitWithFlags(unsigned flags) { (void)flags; *(volatile int *)0 = 1; }\n"
    )
    command = f"gcc -shared -fPIC -w -Wl,-soname,libnvidia-ml.so.1 -o {tmp_path}/libnvidia-ml.so.1 {tmp_path}/crash.c"
    assert os.system(command) == 0
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    probed = GpuReader().read()
    assert probed.outcome == FAILED
    assert "signal 11" in str(probed.reason)


def test_nvidia_smi_answers_where_nvml_is_not_usable_and_is_not_asked_otherwise(driver: Path, tmp_path: Path) -> None:
    command = smi(tmp_path, QUERY)
    by_nvml = GpuReader(smi_command=command).read()
    assert by_nvml.found is not None
    assert by_nvml.found.nvlink.cliqueId == 32766
    StubHost(init=18).write(driver)
    by_text = GpuReader(smi_command=command).read()
    assert by_text.found is not None
    assert (by_text.found.nvlink.cliqueId, by_text.found.nvlink.links) == (1, 1)
    assert "told by nvidia-smi, because the NVML library and the loaded driver are of different versions" in str(
        by_text.reason
    )


@pytest.mark.parametrize(
    "query", ["", "Failed to initialize NVML: Driver/library version mismatch\n", "\0" * (5 << 20)]
)
def test_where_nvidia_smi_says_nothing_of_use_nvml_has_the_last_word(driver: Path, tmp_path: Path, query: str) -> None:
    StubHost(init=18).write(driver)
    probed = GpuReader(smi_command=smi(tmp_path, query)).read()
    assert probed.outcome == FAILED
    assert str(probed.reason).startswith("the NVML library and the loaded driver")


def test_a_program_that_says_too_much_or_too_little_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    commands = Commands(most_bytes=1000)
    with pytest.raises(CommandError, match="more than 1,000 bytes"):
        commands.run(("yes",), 20.0)
    with pytest.raises(CommandError, match="no answer within"):
        commands.run(("sleep", "60"), 0.2)
    with pytest.raises(CommandError, match="no answer within"):
        commands.run(("sh", "-c", f"sleep 61 & echo $! > {tmp_path}/child; exit 0"), 0.5)
    child = Path("/proc", (tmp_path / "child").read_text().strip(), "status")
    deadline = time.monotonic() + 10
    while child.exists() and "\nState:\tZ" not in child.read_text():
        assert time.monotonic() < deadline, child.read_text()
        time.sleep(0.01)
    with pytest.raises(CommandError, match="/no/such/program cannot be started: No such file"):
        commands.run(("/no/such/program",), 1.0)


def has_driver() -> bool:
    """Whether this host has NVIDIA's own library."""
    try:
        ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return False
    return True


@pytest.mark.skipif(has_driver(), reason="this host has NVIDIA's own library")
def test_what_is_named_and_is_not_there_is_a_failure_that_names_the_setting(tmp_path: Path) -> None:
    missing = str(tmp_path / "none")
    for probed, setting in (
        (GpuReader(smi_command=(missing,)).read(), "nvlink.smi"),
        (GpuReader(library=missing).read(), "nvlink.library"),
    ):
        assert (probed.outcome, (probed.reason or "").startswith(f"{setting} names {missing}, ")) == (FAILED, True)


@pytest.mark.skipif(has_driver(), reason="this host has NVIDIA's own library")
def test_a_folder_without_the_library_is_no_failure_and_named_with_its_setting(tmp_path: Path) -> None:
    probed = GpuReader(library=str(tmp_path)).read()
    assert probed.outcome == ABSENT
    assert str(probed.reason).startswith(f"nvlink.library names {tmp_path}, and there is no libnvidia-ml.so.1 in it")


NONE = "==============NVSMI LOG==============\n\nDriver Version : 580.65.06\nAttached GPUs                 : 0\n"


@pytest.mark.skipif(has_driver(), reason="this host has NVIDIA's own library")
@pytest.mark.parametrize(
    ("query", "outcome", "why"),
    [
        ("hello\n", FAILED, "what it prints for -q is not understood"),
        ("", FAILED, "it prints nothing for -q"),
        ("\0" * (5 << 20), FAILED, "it says more than"),
        (f"Attached GPUs : 2\n{QUERY}", FAILED, "tells of 2 GPUs and shows 1"),  # cut short
        (f"Attached GPUs : 1\n{QUERY}", FOUND, "told by nvidia-smi"),
        (NONE, ABSENT, "there is no libnvidia-ml.so.1"),
        ("No devices were found\n", ABSENT, "there is no libnvidia-ml.so.1"),
    ],
)
def test_without_nvml_a_command_that_is_of_no_use_is_a_failure_and_one_that_sees_no_gpu_is_none(
    tmp_path: Path, query: str, outcome: str, why: str
) -> None:
    command = smi(tmp_path, query)
    probed = GpuReader(smi_command=command).read()
    assert (probed.outcome, why in str(probed.reason)) == (outcome, True), probed.reason
    assert (f"nvlink.smi names {command[0]}, and" in str(probed.reason)) is (outcome == FAILED)


@pytest.mark.skipif(has_driver(), reason="this host has NVIDIA's own library")
def test_a_command_that_ends_with_an_error_leaves_the_node_without_gpus_and_is_told(tmp_path: Path) -> None:
    probed = GpuReader(smi_command=("sh", "-c", "exit 9")).read()
    assert probed.outcome == ABSENT
    assert str(probed.reason).endswith("; nvlink.smi ended with 9")


@pytest.mark.skipif(has_driver(), reason="this host has NVIDIA's own library")
@pytest.mark.parametrize("code", [15, 18, 255])  # off the bus, another version than the driver's, anything
def test_a_command_that_ends_with_another_error_tells_nothing_of_the_gpus(code: int) -> None:
    probed = GpuReader(smi_command=("sh", "-c", f"exit {code}")).read()
    assert (probed.outcome, f"and it ended with {code}:" in str(probed.reason)) == (FAILED, True)


def test_this_host_is_read_as_it_is() -> None:
    """Without an NVIDIA driver nothing is there; on a machine with one, whatever it says is an answer."""
    probed = GpuReader().read()
    if not has_driver():
        assert probed.outcome == ABSENT
        return
    assert probed.outcome == FOUND or probed.reason
    if probed.found is not None:
        assert all(gpu.uuid and (gpu.state or gpu.trouble) for gpu in probed.found.gpus if not gpu.lost)
