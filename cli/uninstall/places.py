"""Where our things live, and what the removal has to be allowed to do there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cli.namespaces import NODE, SYSTEM
from cli.uninstall.kinds import DAEMON_SETS, DEPLOYMENTS
from controller.hyper_nodes.recreating import OWN_CONFIG_MAPS
from kube.access import Right, rights
from kube.resources import (
    CONFIG_MAPS,
    HYPER_NODES,
    LEASES,
    NODE_REPORTS,
    NODES,
    PODS,
    SWEEP_REPORTS,
    SWITCH_REPORTS,
    Resource,
)

REPORTS: tuple[Resource[Any], ...] = (NODE_REPORTS, SWITCH_REPORTS, SWEEP_REPORTS)
PREFIX = "hyperscout-"
"""How the names of our own objects in the two namespaces begin."""


@dataclass(frozen=True, slots=True)
class Places:
    """The two namespaces; they may be one."""

    system: str = SYSTEM
    """Controller and scheduler."""
    nodes: str = NODE
    """Agents and sweepers."""

    @property
    def namespaces(self) -> tuple[str, ...]:
        """Each once."""
        return tuple(dict.fromkeys((self.system, self.nodes)))


def needs(places: Places, *, purge: bool, dry_run: bool = False) -> list[Right]:
    """Every right that it takes; a dry run only looks."""
    looks = rights("list", NODES, HYPER_NODES, *REPORTS)
    acts = [*rights("get patch", NODES), *rights("patch", NODES, subresource="status"), *rights("delete", *REPORTS)]
    if purge:
        acts += rights("delete", HYPER_NODES)
    for name in OWN_CONFIG_MAPS:
        looks += rights("get", CONFIG_MAPS, namespace=places.system, name=name)
        acts += rights("delete", CONFIG_MAPS, namespace=places.system, name=name)
    for namespace in places.namespaces:
        looks += rights("list", DEPLOYMENTS, DAEMON_SETS, PODS, LEASES, namespace=namespace)
        acts += rights("patch", DEPLOYMENTS, subresource="scale", namespace=namespace)
        acts += rights("delete", DAEMON_SETS, LEASES, namespace=namespace)
    return looks if dry_run else looks + acts
