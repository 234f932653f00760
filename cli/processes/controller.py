"""The process `hyperscout controller`: what it needs of the cluster, and how its room is watched."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from cli.processes.collecting import search_seldom, set_aside
from cli.processes.preflight import Needs
from cli.processes.running import Process, Surroundings, run_process
from cli.processes.settings import ControllerOptions
from controller.decide import Decision
from controller.hyper_nodes.recreating import OWN_CONFIG_MAPS
from controller.metrics import ControllerMetrics
from controller.role import Role
from controller.running import run_controller, wall_clock
from controller.settings import NodeMarks
from kube.access import lease_rights, rights
from kube.errors import ApiError
from kube.resources import CONFIG_MAPS, EVENTS, HYPER_NODES, NODE_REPORTS, NODES, SWEEP_REPORTS, SWITCH_REPORTS

NO_MARKS = NodeMarks()


@dataclass(frozen=True, slots=True)
class Watching:
    """Makes health and figures of what the controller does."""

    surroundings: Surroundings
    metrics: ControllerMetrics

    def synced(self) -> None:
        """Ready."""
        self.surroundings.health.synced = True

    def turned(self) -> None:
        """Alive."""
        self.surroundings.health.beat()

    def reconciled(self, seconds: float) -> None:
        """Counted."""
        self.metrics.reconciled(seconds)

    def wrote(self, verb: str, error: ApiError | None) -> None:
        """Alive, and counted."""
        self.surroundings.health.beat()
        self.surroundings.metrics.wrote(verb, error)

    def journaled(self, waiting: int, lost: int) -> None:
        """Counted."""
        self.metrics.journaled(waiting, lost)

    def looked(self, decision: Decision) -> None:
        """The figures of the tree."""
        if decision.outcome is not None:
            self.metrics.concluded(decision.outcome)
        set_aside()


def needs(namespace: str, marks: NodeMarks = NO_MARKS) -> Needs:
    """Kinds and rights; those on the Lease in this namespace. `marks`: what Nodes get beside their condition."""
    return Needs(
        (HYPER_NODES, NODE_REPORTS, SWITCH_REPORTS, SWEEP_REPORTS),
        (
            *rights("list watch", NODES, HYPER_NODES, NODE_REPORTS, SWITCH_REPORTS, SWEEP_REPORTS),
            *rights("create patch delete", HYPER_NODES),
            *rights("patch", NODES, HYPER_NODES, NODE_REPORTS, subresource="status"),
            *rights("patch", NODE_REPORTS),
            *(rights("get patch", NODES) if marks.edits_nodes else ()),
            *rights("create", EVENTS),
            *lease_rights(namespace, "hyperscout-controller"),
            *rights("create", CONFIG_MAPS, namespace=namespace),
            *(
                right
                for name in OWN_CONFIG_MAPS
                for right in rights("get patch", CONFIG_MAPS, namespace=namespace, name=name)
            ),
        ),
    )


def run(options: ControllerOptions) -> int:
    """Run the process to its end."""
    search_seldom()

    async def room(surroundings: Surroundings) -> None:
        watching = Watching(surroundings, ControllerMetrics(surroundings.registry))
        role = Role(surroundings.tenure, watching)
        stop, client = surroundings.stop, surroundings.client
        settings = replace(options.settings(), namespace=surroundings.namespace)
        await run_controller(client, settings, stop, wall_clock, watching.looked, role)

    asked = partial(needs, marks=options.nodes.marks())
    return run_process(Process("controller", asked, room, options.cluster, options.http, options.log, options.lease))
