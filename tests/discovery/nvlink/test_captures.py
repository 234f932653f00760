"""What is known to be true of the real captures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from discovery.nvlink.domain import domain_of
from discovery.nvlink.smi import parse_links, parse_query, with_links
from discovery.reports import NvLink
from tests.discovery.nvlink.conftest import Look
from tests.discovery.nvlink.stub import NO_DOMAIN, NOT_SUPPORTED, WELL, StubGpu, StubHost, StubLink


@pytest.fixture(scope="module")
def printed(shared_data: Path) -> dict[str, str]:
    """By command what nvidia-smi printed first, on an H100."""
    text = (shared_data / "nvlink/nvidia-smi-h100.txt").read_text()
    parts = re.split(r"^#+\n# [^\n]*\n# \$ ([^\n]+?) *\n#+\n", text, flags=re.MULTILINE)
    found: dict[str, str] = {}
    for command, said in zip(parts[1::2], parts[2::2], strict=True):
        found.setdefault(command, said)
    return found


def test_an_h100_is_completed_in_no_domain_and_has_18_active_links(printed: dict[str, str]) -> None:
    (gpu,) = parse_query(printed["nvidia-smi -q"])
    links = parse_links(printed["nvidia-smi nvlink -s"], "")
    nvlink, why = domain_of([with_links(gpu, links)])
    assert nvlink == NvLink(clusterUuid=NO_DOMAIN, cliqueId=0, state="Completed", gpus=1, links=18)
    assert why is None
    assert [link.active for link in links["GPU-00000000-0000-0000-0000-000000000000"]] == [True] * 18


def played(profile: dict[str, Any]) -> StubHost:
    """The host of a profile. One without fabric information answers that there is none; so does the driver."""
    defaults, nvlink = profile["device_defaults"], profile.get("nvlink", {})
    fabric = defaults.get("fabric")
    links = (StubLink(),) * nvlink.get("links_per_gpu", 0)
    if fabric is None:
        gpu = StubGpu(fabric=NOT_SUPPORTED, links=links)
    else:
        assert fabric["state"] == "auto"
        gpu = StubGpu(cluster=fabric["cluster_uuid"], clique=fabric["clique_id"], mask=WELL, summary=1, links=links)
    return StubHost([gpu] * len(profile["devices"]))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a100", NvLink(state="NotSupported", gpus=8, links=96)),
        ("l40s", NvLink(state="NotSupported", gpus=8)),
        *(
            (
                name,
                NvLink(
                    clusterUuid="00000000-0000-0000-0000-000000000001",
                    cliqueId=0,
                    state="Completed",
                    healthSummary="Healthy",
                    gpus=8,
                    unhealthyGpus=0,
                    links=144,
                ),
            )
            for name in ("h100", "gb200", "gb300")
        ),
    ],
)
def test_the_profiles_are_read_through_nvidia_ml_py(shared_data: Path, look: Look, name: str, expected: NvLink) -> None:
    profile = yaml.safe_load((shared_data / f"nvlink/profile-{name}.yaml").read_text())
    (found,) = look([played(profile)])
    assert domain_of(found.gpus) == (expected, None)
