"""The process `hyperscout scheduler`: what it needs of the cluster, and how its room is watched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cli.processes.preflight import Needs
from cli.processes.running import Process, Surroundings, run_process
from cli.processes.settings import SchedulerOptions
from kube.access import lease_rights, rights
from kube.errors import ApiError
from kube.pod import Pod
from kube.resources import (
    CLAIMS,
    CSI_NODES,
    EVENTS,
    HYPER_NODES,
    JOBS,
    NODES,
    POD_GROUPS,
    PODS,
    VOLCANO_JOBS,
    VOLUMES,
)
from scheduler.groups import GroupKey
from scheduler.metrics import SchedulerMetrics
from scheduler.reporter import Statement
from scheduler.role import Role
from scheduler.running import run_scheduler


@dataclass(frozen=True, slots=True)
class Watching:
    """Makes health and figures of what the scheduler does."""

    surroundings: Surroundings
    metrics: SchedulerMetrics

    def synced(self) -> None:
        """Ready."""
        self.surroundings.health.synced = True

    def turned(self) -> None:
        """Alive."""
        self.surroundings.health.beat()

    def rests(self) -> None:
        """Nothing to do until a term begins."""
        self.surroundings.health.rest()

    def judged(self, statement: Statement, pods: Sequence[Pod]) -> None:
        """Counted."""
        self.metrics.judged(statement, pods)

    def gone(self, key: GroupKey) -> None:
        """Forgotten."""
        self.metrics.gone(key)

    def wrote(self, verb: str, error: ApiError | None) -> None:
        """Alive, and counted."""
        self.surroundings.health.beat()
        self.surroundings.metrics.wrote(verb, error)


def needs(namespace: str) -> Needs:
    """Kinds and rights; those on the Lease in this namespace."""
    return Needs(
        (HYPER_NODES, POD_GROUPS),
        (
            *rights("list watch", PODS, NODES, HYPER_NODES, POD_GROUPS, CLAIMS, VOLUMES, CSI_NODES),
            *rights("list watch", VOLCANO_JOBS),  # also where there are none: the server refuses before it knows a kind
            *rights("get", PODS, POD_GROUPS, JOBS),
            *rights("create", PODS, subresource="binding"),
            *rights("create", PODS, subresource="eviction"),
            *rights("patch", PODS, subresource="status"),
            *rights("update", POD_GROUPS),
            *rights("create", EVENTS),
            *lease_rights(namespace, "hyperscout-scheduler"),
        ),
    )


def run(options: SchedulerOptions) -> int:
    """Run the process to its end."""

    async def room(surroundings: Surroundings) -> None:
        watching = Watching(surroundings, SchedulerMetrics(surroundings.registry))
        role = Role(surroundings.tenure, watching)
        await run_scheduler(surroundings.client, options.settings(), surroundings.stop, role)

    return run_process(Process("scheduler", needs, room, options.cluster, options.http, options.log, options.lease))
