"""The text of nvidia-smi, in the spellings of several drivers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discovery.nvlink.domain import domain_of
from discovery.nvlink.gpus import Gpu
from discovery.nvlink.smi import parse_links, parse_query, with_links

RACK = "7b968a6d-c8aa-45e1-9e07-e1e51be99c31"
NEW = """
==============NVSMI LOG==============

Driver Version                            : 580.65.06
Attached GPUs                             : 2
GPU 00000008:01:00.0
    Product Name                          : NVIDIA GB200
    GPU UUID                              : GPU-aaaa
    Fabric
        State                             : Completed
        Status                            : Success
        CliqueId                          : 32766
        ClusterUUID                       : 7B968A6D-c8aa-45e1-9e07-e1e51be99c31
        Health
            Summary                       : {summary}
            Bandwidth                     : {bandwidth}
            Route Recovery in progress    : {recovery}
            Route Unhealthy               : {route}
            Access Timeout Recovery       : {recovery}
            Incorrect Configuration       : {configuration}
    Processes                             : None
GPU 00000009:01:00.0
    Product Name                          : NVIDIA GB200
    Fabric
        State                             : In Progress
        Status                            : N/A
        CliqueId                          : N/A
        ClusterUUID                       : N/A
        Health
            Bandwidth                     : N/A
    Processes                             : None
"""
WELL = {"summary": "Healthy", "bandwidth": "Full", "recovery": "False", "route": "False", "configuration": "None"}
LINKS = """GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-aaaa)
\t Link 0: 26.562 GB/s
\t Link 1: <inactive>
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-bbbb)
   Link 0: 26.562 GB/s
"""


def first(**words: str) -> Gpu:
    return parse_query(NEW.format(**{**WELL, **words}))[0]


def test_each_gpu_says_its_own_state_and_domain() -> None:
    one, two = parse_query(NEW.format(**WELL))
    assert (one.uuid, one.state, one.cluster, one.clique, one.health) == (
        "GPU-aaaa",
        "Completed",
        RACK,
        32766,
        "Healthy",
    )
    assert (two.state, two.cluster, two.clique, two.health) == ("InProgress", None, None, None)


@pytest.mark.parametrize(
    ("words", "health", "complaints"),
    [
        ({"summary": "Unhealthy", "route": "True"}, "Unhealthy", ("unhealthy route",)),
        ({"summary": "Limited Capacity", "bandwidth": "Degraded"}, "LimitedCapacity", ("degraded bandwidth",)),
        ({"summary": "N/A", "bandwidth": "Degraded"}, "LimitedCapacity", ("degraded bandwidth",)),
        ({"summary": "N/A"}, "Healthy", ()),
        ({"configuration": "No Partition", "summary": "N/A"}, "Unhealthy", ("incorrect configuration (no partition)",)),
        ({"configuration": "Of the Future", "summary": "N/A"}, "Unhealthy", ("incorrect configuration (15)",)),
        (dict.fromkeys(WELL, "N/A"), None, ()),
        (dict.fromkeys(WELL, "Not Supported"), None, ()),
    ],
)
def test_the_words_of_health(words: dict[str, str], health: str | None, complaints: tuple[str, ...]) -> None:
    gpu = first(**words)
    assert (gpu.cluster, gpu.health, gpu.complaints) == (RACK, health, complaints)


def test_tabs_colours_and_older_drivers_without_a_health_block() -> None:
    old = (
        "GPU 00000000:00:09.0\n\tGPU UUID\t: GPU-aaaa\n\tFabric\n\t\t\x1b[1mState\x1b[0m\t: Completed\n"
        f"\t\tStatus\t: Success\n\t\tCliqueId\t: 3\n\t\tClusterUUID\t: {RACK}\n\tProcesses\t: None\n"
    )
    (gpu,) = parse_query(old)
    assert (gpu.state, gpu.cluster, gpu.clique, gpu.health) == ("Completed", RACK, 3, None)


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("Status                            : Success", "Status : Timeout"),
        ("ClusterUUID                       : 7B968A6D-c8aa-45e1-9e07-e1e51be99c31", "ClusterUUID : N/A"),
        ("ClusterUUID                       : 7B968A6D-c8aa-45e1-9e07-e1e51be99c31", ""),
        ("State                             : Completed", "State : Bewildered"),
        ("    Fabric\n", ""),
    ],
)
def test_what_tells_no_domain_is_unknown_and_never_none(line: str, other: str) -> None:
    text = NEW.format(**WELL)
    assert line in text
    gpu = parse_query(text.replace(line, other, 1))[0]
    assert (gpu.state, gpu.cluster, gpu.clique) == (None, None, None)
    nvlink, why = domain_of([gpu])
    assert (nvlink.state, nvlink.clusterUuid) == (None, None)
    assert "GPU 0: " in str(why)


def test_a_gpu_that_has_no_fabric_says_n_a() -> None:
    (gpu,) = parse_query("GPU 00000000:21:00.0\n    Fabric\n        State : N/A\n        Status : N/A\n")
    assert gpu.state == "NotSupported"


def test_links_by_gpu_with_the_counters_of_both_generations() -> None:
    hopper = "\t Link 0: Replay Errors: 7\n\t Link 0: Recovery Errors: 2\n\t Link 0: CRC Errors: 3\n"
    blackwell = (
        "    Link 0: Rx packets: 90\n    Link 0: Malformed packet Errors: 4\n    Link 0: Rx Errors: 5\n"
        "    Link 0: Rx remote Errors: 100\n    Link 0: Link recovery successful events: 3\n"
        "    Link 0: Link recovery failed events: 1\n    Link 0: Total link recovery events: 4\n"
        "    Link 0: Effective BER: 15e-255\n    Link 0: Symbol Errors: 6\n    Link 0: Symbol BER: 15e-255\n"
    )
    gpus = LINKS.splitlines(keepends=True)
    links = parse_links(LINKS, gpus[0] + hopper + gpus[3] + blackwell)
    zero, one = links["GPU-aaaa"]
    assert (zero.active, zero.errors, zero.recoveries, zero.losses) == (True, 3, 2, None)
    assert (one.active, one.errors) == (False, None)
    (five,) = links["GPU-bbbb"]
    assert (five.errors, five.recoveries, five.losses) == (11, 4, 1)
    assert with_links(Gpu(index=0, uuid="GPU-cccc"), links).links == ()


@given(st.text(alphabet="GPU 0:.LinkFabricState\n\t-NA/1²", max_size=300))
def test_no_text_is_too_bad(text: str) -> None:
    parse_query(f"GPU 00000000:00:09.0\n{text}")
    parse_links(f"GPU 0: x (UUID: GPU-a)\n{text}", text)
