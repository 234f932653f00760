"""Real nvidia-ml-py on a library that plays the driver."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from discovery.nvlink.domain import domain_of
from discovery.nvlink.gpus import GpuLook
from discovery.reports import ABSENT, FAILED, FOUND, NvLink
from tests.discovery.nvlink.conftest import Look
from tests.discovery.nvlink.stub import (
    CRC,
    GPU_IS_LOST,
    LOST,
    NO_DOMAIN,
    NOT_SUPPORTED,
    RECEIVE,
    RECOVERIES,
    RECOVERY,
    SYMBOL,
    WELL,
    StubGpu,
    StubHost,
    StubLink,
    ask,
    build,
)

RACK = "7b968a6d-c8aa-45e1-9e07-e1e51be99c31"
GB200 = StubGpu(cluster=RACK, clique=1, mask=WELL, summary=1)
H100 = StubGpu(state=3, cluster=NO_DOMAIN, clique=0)
L40S = StubGpu(fabric=NOT_SUPPORTED)


def told(look: GpuLook) -> tuple[NvLink, str | None]:
    assert look.outcome == FOUND, look
    return domain_of(look.gpus)


@pytest.mark.parametrize("newest", [1, 2, 3, 4])
def test_domain_and_clique_are_read_from_drivers_of_any_age(look: Look, newest: int) -> None:
    (found,) = look([StubHost([GB200] * 4)], newest)
    nvlink, why = told(found)
    assert (nvlink.clusterUuid, nvlink.cliqueId, nvlink.state, why) == (RACK, 1, "Completed", None)
    assert nvlink.healthSummary == (None if newest == 1 else "Healthy")
    assert found.gpus[2].uuid == "GPU-00000000-0000-4000-8000-000000000002"


def test_a_driver_from_before_there_were_fabrics_has_none(look: Look) -> None:
    (found,) = look([StubHost([GB200])], 0)
    assert told(found)[0].state == "NotSupported"


def test_of_several_cliques_the_first_for_ordinary_access_counts(look: Look) -> None:
    several = replace(GB200, clique=7, other_cliques=((0, 9), (1, 3), (2, 11), (3, 12)))
    none = replace(GB200, clique=None, other_cliques=((1, 3),))
    first, without = look([StubHost([several]), StubHost([none])])
    assert told(first)[0].cliqueId == 7
    nvlink, why = told(without)
    assert (nvlink.clusterUuid, nvlink.cliqueId) == (RACK, None)
    assert why == "its GPUs are in no clique for unicast access"


def test_an_all_zero_uuid_a_gpu_without_a_fabric_and_mig_do_not_become_domains(look: Look) -> None:
    hgx, l40s, both = look([StubHost([H100] * 8), StubHost([L40S] * 4), StubHost([L40S, GB200, GB200])])
    assert told(hgx)[0].clusterUuid == NO_DOMAIN
    assert told(l40s)[0] == NvLink(state="NotSupported", gpus=4)
    nvlink, why = told(both)
    assert (nvlink.clusterUuid, why) == (RACK, "1 of 3 GPUs support no fabric and are left out")


@pytest.mark.parametrize("refusal", [NOT_SUPPORTED, 2, 25])
def test_that_a_call_is_not_supported_ends_no_membership_that_another_tells(look: Look, refusal: int) -> None:
    known, none = look([StubHost([replace(gpu, newest=refusal)] * 4) for gpu in (GB200, L40S)])
    assert told(known)[0].clusterUuid == RACK
    assert told(none)[0].state == "NotSupported"


@pytest.mark.parametrize(("state", "word"), [(1, "NotStarted"), (2, "InProgress")])
def test_gpus_that_register_yet_leave_the_domain_unknown(look: Look, state: int, word: str) -> None:
    registering = replace(GB200, state=state)
    all_of_them, one = look([StubHost([registering] * 4), StubHost([registering, GB200, GB200, GB200])])
    assert told(all_of_them)[0] == NvLink(state=word, healthSummary="Healthy", gpus=4, unhealthyGpus=0)
    nvlink, why = told(one)
    assert (nvlink.clusterUuid, nvlink.state, why) == (None, word, f"1 of 4 GPUs are {word}")


def test_a_registration_that_failed_leaves_the_domain_unknown(look: Look) -> None:
    (found,) = look([StubHost([GB200, replace(GB200, status=10)])])
    nvlink, why = told(found)
    assert (nvlink.clusterUuid, nvlink.state) == (None, None)
    assert why is not None
    assert "GPU 1: its registration with the fabric failed with NVML code 10" in why


def test_gpus_that_disagree_leave_the_domain_unknown_and_are_told(look: Look) -> None:
    (found,) = look([StubHost([GB200, GB200, GB200, replace(GB200, clique=2)])])
    assert told(found) == (
        NvLink(healthSummary="Healthy", gpus=4, unhealthyGpus=0),
        f"its GPUs disagree: 3 in {RACK}.1, 1 in {RACK}.2",
    )


@pytest.mark.parametrize("gpu", [StubGpu(handle=GPU_IS_LOST), StubGpu(fabric=GPU_IS_LOST)])
def test_a_gpu_that_falls_off_is_told_and_hides_no_other(look: Look, gpu: StubGpu) -> None:
    some, all_of_them = look([StubHost([GB200, GB200, gpu, GB200]), StubHost([gpu] * 4)])
    nvlink, why = told(some)
    assert (nvlink.clusterUuid, nvlink.gpus, why) == (RACK, 4, "GPU 2: GPU is lost")
    assert (all_of_them.outcome, all_of_them.reason) == (FAILED, "no GPU of 4 can be read: GPU 0: GPU is lost")


def test_a_gpu_that_falls_off_while_its_links_are_read_keeps_its_domain(look: Look) -> None:
    (found,) = look([StubHost([GB200, replace(GB200, fields=GPU_IS_LOST, links=(StubLink(),) * 18)])])
    nvlink, why = told(found)
    assert (nvlink.clusterUuid, nvlink.links, why) == (RACK, None, "GPU 1: its links cannot be read: GPU is lost")


def test_a_mask_that_is_not_zero_is_well_and_what_is_not_is_said(look: Look) -> None:
    """Fields of two bits: 1 is true, 2 false; the configuration: 1 is right, 4 has no partition."""
    degraded, route = WELL ^ 0b11, WELL ^ 0b11 << 4
    unplaced = WELL ^ (1 ^ 4) << 8
    sick = [replace(GB200, mask=mask, summary=0) for mask in (WELL, degraded, route, unplaced)]
    (found,) = look([StubHost(sick)])
    assert [gpu.health for gpu in found.gpus] == ["Healthy", "LimitedCapacity", "Unhealthy", "Unhealthy"]
    nvlink, _ = told(found)
    assert (nvlink.clusterUuid, nvlink.healthSummary, nvlink.unhealthyGpus) == (RACK, "Unhealthy", 3)
    assert nvlink.reason == (
        "GPU 1: degraded bandwidth; GPU 2: unhealthy route; GPU 3: incorrect configuration (no partition)"
    )


def test_the_summary_of_the_driver_stands_above_the_mask(look: Look) -> None:
    (found,) = look([StubHost([replace(GB200, summary=3), replace(GB200, summary=2, mask=0), GB200])])
    assert [gpu.health for gpu in found.gpus] == ["LimitedCapacity", "Unhealthy", "Healthy"]


def test_links_and_what_they_could_not_repair_on_hopper_and_on_blackwell(look: Look) -> None:
    hopper = replace(H100, links=(StubLink(), StubLink(0, {CRC: 3, RECOVERY: 2, 161: 99}), StubLink(2), StubLink(3)))
    nvlink5 = {RECEIVE: 5, SYMBOL: 7, RECOVERIES: 4, LOST: 1, 209: 1000, 212: 1000, 213: 3}
    blackwell = replace(GB200, links=(StubLink(1, nvlink5), StubLink(1, {RECEIVE: 2**64 - 1})))
    (found,) = look([StubHost([hopper, blackwell, L40S])])
    four, two, none = (gpu.links for gpu in found.gpus)
    assert [link.active for link in four] == [True, False, True, False]
    assert [(link.errors, link.recoveries, link.losses) for link in four[:2]] == [(0, 0, None), (3, 2, None)]
    assert (two[0].errors, two[0].recoveries, two[0].losses) == (12, 4, 1)
    assert not none


def test_a_driver_without_fields_is_asked_for_no_links(look: Look) -> None:
    (found,) = look([StubHost([replace(H100, links=(StubLink(),))])], old=True)
    assert told(found)[0].links is None


@pytest.mark.parametrize(
    ("code", "advice"),
    [(9, "the NVIDIA driver is not loaded"), (18, "different versions"), (4, "/dev/nvidia*"), (999, "Unknown Error")],
)
def test_a_driver_that_does_not_answer_is_failed_and_says_what_to_do(look: Look, code: int, advice: str) -> None:
    failing, well = look([StubHost([GB200], init=code), StubHost([GB200])])
    assert failing.outcome == FAILED
    assert advice in (failing.reason or "")
    assert well.outcome == FOUND


def test_a_host_without_gpus_or_without_the_library_has_none(look: Look, tmp_path: Path) -> None:
    (no_gpus,) = look([StubHost()])
    assert (no_gpus.outcome, no_gpus.reason) == (ABSENT, "the NVIDIA driver knows of no GPU on this host")
    no_library = ask(tmp_path, tmp_path)
    assert no_library.outcome == ABSENT
    assert "there is no libnvidia-ml.so.1" in (no_library.reason or "")


def test_a_library_that_cannot_be_loaded_is_not_a_missing_one(tmp_path: Path) -> None:
    (tmp_path / "libnvidia-ml.so.1").write_bytes(b"\x7fELF is not all of it")
    found = ask(tmp_path, tmp_path)
    assert found.outcome == FAILED
    assert "cannot be loaded" in (found.reason or "")


def test_the_driver_is_let_go_after_every_look(libraries: Path, tmp_path: Path) -> None:
    path = StubHost([GB200, StubGpu(handle=GPU_IS_LOST)]).write(tmp_path / "host")
    ask(build(libraries), path)
    ask(build(libraries), path)
    assert Path(f"{path}.log").read_text() == "isis"
