"""Labels under keys of others after somebody spoilt the annotation that says which of them are ours."""

from __future__ import annotations

from structlog.testing import capture_logs

from controller.settings import ControllerSettings, NodeMarks
from kube.requests import Patch
from kube.types import NODES
from tests.controller.cluster import Cluster, controller
from tests.controller.nodes.real import until

NODE, KEY, WRITTEN = "node-00000", "rack", "hyperscout.io/written-labels"


async def test_they_are_ours_again_and_it_is_told(cluster: Cluster) -> None:
    async def stands() -> bool:
        metadata = (await cluster.nodes())[NODE].metadata
        return metadata.annotations.get(WRITTEN) == f"{KEY}={metadata.labels.get(KEY)}"

    with capture_logs() as logs:
        async with controller(cluster, ControllerSettings(nodes=NodeMarks(other_labels={KEY: "leaf"}))) as watched:
            await cluster.sweep()
            await watched.swept(1)
            await until(stands)
            spoilt = {"metadata": {"annotations": {WRITTEN: "garbage"}}}
            await cluster.client.patch(NODES, NODE, Patch(spoilt))
            await until(stands)
    told = [entry for entry in logs if entry["event"].startswith("spoilt annotation")]
    assert [(entry["node"], entry["annotation"]) for entry in told] == [(NODE, "garbage")]
