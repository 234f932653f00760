"""The tree and the nodes' facts, kept up to date between passes and built again only where something changed."""

from __future__ import annotations

import structlog

from kube.cache import Added, Cache, Change, Changed, Deleted
from kube.types import HyperNode, Node
from scheduler import names
from scheduler.holdings import Holdings
from scheduler.kernel.snapshot import LinkCount, NodeFacts
from scheduler.kernel.tree import Tree
from scheduler.kernel.tree_build import build_tree
from scheduler.nodes import node_facts, read_hyper_nodes, read_links
from scheduler.wake import Wake

log = structlog.get_logger(__name__)

COMPLAINTS = 20
"""So many new ones are logged at once, the others counted."""


class Fabric:
    """What the kernel must know of nodes and HyperNodes."""

    def __init__(self, nodes: Cache[Node], hyper_nodes: Cache[HyperNode], holdings: Holdings, wake: Wake) -> None:
        self.nodes: dict[str, Node] = {}
        self._hyper_nodes = hyper_nodes
        self._holdings = holdings
        self._wake = wake
        self._facts: dict[str, NodeFacts] = {}
        self._tree: Tree | None = None
        self._complaints: set[str] = set()
        nodes.subscribe(self._node_changed)
        hyper_nodes.subscribe(self._hyper_node_changed)

    def tree(self) -> Tree:
        """All HyperNodes over all nodes; parts that contradict themselves are kept out and named in the log once."""
        if self._tree is None:
            read = read_hyper_nodes(self._hyper_nodes.values(), self.nodes)
            self._tree = build_tree((one.entry for one in read), self.nodes)
            complaints = {f"{one.entry.name}: {phrase}" for one in read for phrase in one.not_understood}
            complaints |= {problem.detail for problem in self._tree.problems}
            self._complain(complaints)
        return self._tree

    def _complain(self, complaints: set[str]) -> None:
        new = sorted(complaints - self._complaints)
        for complaint in new[:COMPLAINTS]:
            log.warning("HyperNode not understood", why=complaint)
        if new[COMPLAINTS:]:
            log.warning("more of HyperNodes is not understood", number=len(new) - COMPLAINTS)
        self._complaints = complaints

    def facts(self) -> list[NodeFacts]:
        """The facts of all nodes, as of now."""
        for name in self._holdings.touched:
            self._facts.pop(name, None)
        self._holdings.touched.clear()
        for name, node in self.nodes.items():
            if name not in self._facts:
                self._facts[name] = node_facts(node, self._holdings.on(name))
        return list(self._facts.values())

    def links(self) -> dict[str, LinkCount]:
        """The link counts that HyperNodes carry."""
        counts = ((one.metadata.name, read_links(one)) for one in self._hyper_nodes.values())
        return {name: count for name, count in counts if count is not None}

    def _node_changed(self, change: Change[Node]) -> None:
        match change:
            case Added(new):
                self.nodes[new.metadata.name] = new
                self._tree = None
            case Changed(old, new):
                self.nodes[new.metadata.name] = new
                if old.metadata.labels != new.metadata.labels:
                    self._tree = None
                if not _matters(old, new):
                    return
            case Deleted(old):
                self.nodes.pop(old.metadata.name, None)
                self._tree = None
        name = change.old.metadata.name if isinstance(change, Deleted) else change.new.metadata.name
        self._facts.pop(name, None)
        self._wake.up()

    def _hyper_node_changed(self, change: Change[HyperNode]) -> None:
        match change:
            case Changed(old, new):
                if old.spec == new.spec and read_links(old) == read_links(new):
                    return
                if old.spec != new.spec:
                    self._tree = None
            case Added() | Deleted():
                self._tree = None
        self._wake.up()


def _matters(old: Node, new: Node) -> bool:
    """Whether placement could differ: a heartbeat changes nothing."""
    return (
        old.spec != new.spec
        or old.metadata.labels != new.metadata.labels
        or old.metadata.deleting != new.metadata.deleting
        or old.status.allocatable != new.status.allocatable
        or any(_status(old, kind) != _status(new, kind) for kind in ("Ready", names.FABRIC_HEALTHY))
    )


def _status(node: Node, kind: str) -> str:
    condition = node.condition(kind)
    return condition.status if condition is not None else ""
