"""All objects that the controller looks at, as they stood at one moment."""

from __future__ import annotations

from dataclasses import dataclass

from discovery.reports import COMPLETE, SWEEPER_LABEL
from kube.types import HyperNode, Node, NodeReportObject, SweepReportObject, SwitchReportObject
from topology.documents import SOURCE, SOURCE_LABEL


@dataclass(frozen=True, slots=True)
class Snapshot:
    """In the order of their names, so that no result depends on the order in which they came."""

    nodes: tuple[Node, ...] = ()
    node_reports: tuple[NodeReportObject, ...] = ()
    switch_reports: tuple[SwitchReportObject, ...] = ()
    sweeps: tuple[SweepReportObject, ...] = ()
    hyper_nodes: tuple[HyperNode, ...] = ()

    @property
    def node_names(self) -> frozenset[str]:
        return frozenset(node.metadata.name for node in self.nodes)

    @property
    def ours(self) -> tuple[HyperNode, ...]:
        """The HyperNodes that carry our label."""
        return tuple(found for found in self.hyper_nodes if is_ours(found))

    @property
    def foreign(self) -> tuple[HyperNode, ...]:
        """The HyperNodes of everybody else."""
        return tuple(found for found in self.hyper_nodes if not is_ours(found))


def is_ours(hyper_node: HyperNode) -> bool:
    """Whether we may write it: by its label alone."""
    return hyper_node.metadata.labels.get(SOURCE_LABEL) == SOURCE


def sweeper_of(report: SwitchReportObject) -> str:
    """Who wrote it."""
    return report.metadata.labels.get(SWEEPER_LABEL, "")


def is_whole(sweep: SweepReportObject) -> bool:
    """Whether its last sweep counts for what is absent, too."""
    return sweep.spec.outcome == COMPLETE
