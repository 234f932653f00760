"""What docs/gangs.md tells users to apply is placed as the page says."""

from __future__ import annotations

import re
from typing import Any

import yaml

from kube.types import POD_GROUPS, PODS, Body
from tests.architecture.sources import ROOT
from tests.scheduler.lab import Lab

PAGE = (ROOT / "docs" / "gangs.md").read_text()
BLOCKS = [list(yaml.safe_load_all(block)) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]


async def two_units(lab: Lab) -> None:
    """Two rows of leaf tier, of which only the second has eight free nodes with eight GPUs."""
    await lab.rack("a", 7, gpus=8)
    await lab.rack("b", 4, gpus=8)
    await lab.rack("c", 4, gpus=8)
    await lab.row("first", ["a"])
    await lab.row("second", ["b", "c"])


async def make_pods(lab: Lab, template: dict[str, Any], count: int) -> None:
    """What the Job controller makes of the template."""
    for index in range(count):
        metadata: Body = {**template["metadata"], "name": f"train-{index}", "namespace": "default"}
        await lab.client.create(PODS, {"metadata": metadata, "spec": template["spec"]})


async def test_the_job_with_a_pod_group_is_placed_below_one_leaf(lab: Lab) -> None:
    group, job = BLOCKS[0]
    await two_units(lab)
    await lab.client.create(POD_GROUPS, {**group, "metadata": {**group["metadata"], "namespace": "default"}})
    async with lab.scheduler():
        await make_pods(lab, job["spec"]["template"], job["spec"]["completions"])
        await lab.all_bound("train", 8)
        assert lab.racks_of("train") == {"b": 4, "c": 4}


async def test_the_same_by_annotations(lab: Lab) -> None:
    (metadata,) = BLOCKS[1]
    template = BLOCKS[0][1]["spec"]["template"]
    await two_units(lab)
    async with lab.scheduler():
        await make_pods(lab, {"metadata": metadata["metadata"], "spec": template["spec"]}, 8)
        await lab.all_bound("train", 8)
        assert lab.racks_of("train") == {"b": 4, "c": 4}
