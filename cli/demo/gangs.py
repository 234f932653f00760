"""The objects of a training job: one PodGroup and its pods, as a user would apply them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cli.demo.marks import LABELS, TOLERATION
from kube.meta import Body

NAMESPACE = "default"
"""Of the gangs, where nobody says another."""
GPUS = 4
"""Of every pod, as many as a node has: one pod a node."""
GROUP_ANNOTATION = "scheduling.k8s.io/group-name"


@dataclass(frozen=True, slots=True)
class Job:
    """A gang of like pods. `tier` None is a soft gang."""

    name: str
    pods: int
    tier: int | None

    @property
    def rule(self) -> str:
        """The topology rule in words."""
        return "soft" if self.tier is None else f"hard, highestTierAllowed {self.tier}"


def pod_group(job: Job, namespace: str = NAMESPACE) -> Body:
    """Volcano's PodGroup of the job."""
    topology: Body = {"mode": "soft"} if job.tier is None else {"mode": "hard", "highestTierAllowed": job.tier}
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": job.name, "namespace": namespace, "labels": LABELS},
        "spec": {"minMember": job.pods, "queue": "default", "networkTopology": topology},
    }


def pods(job: Job, namespace: str = NAMESPACE, nodes: Mapping[str, str] | None = None) -> list[Body]:
    """The pods of the job, in rank order; they run on nodes with these labels only."""
    return [_pod(job, rank, namespace, nodes or {}) for rank in range(job.pods)]


def _pod(job: Job, rank: int, namespace: str, nodes: Mapping[str, str]) -> Body:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"{job.name}-{rank:02d}",
            "namespace": namespace,
            "labels": {"job": job.name, **LABELS},
            "annotations": {GROUP_ANNOTATION: job.name},
        },
        "spec": {
            "schedulerName": "hyperscout",
            "nodeSelector": dict(nodes),
            "tolerations": [TOLERATION],
            "containers": [
                {
                    "name": "trainer",
                    "image": "registry.example/trainer:1",
                    "resources": {
                        "requests": {"cpu": "1", "nvidia.com/gpu": str(GPUS)},
                        "limits": {"nvidia.com/gpu": str(GPUS)},
                    },
                }
            ],
        },
    }
