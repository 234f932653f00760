"""What pods hold of the nodes, ours and foreign ones, seen or only assumed.

An assumption is a binding that is being made, or was made and is not yet seen in the watch. It holds its place on the
node until the watch shows the pod bound, ended or gone, or until the binding is known to have failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kube.types import Pod
from scheduler.nodes import Usage, usage_of


@dataclass(frozen=True, slots=True)
class Holding:
    """One pod's place on a node."""

    node: str
    usage: Usage


class Holdings:
    """By pod UID, and by node."""

    def __init__(self) -> None:
        self.assumed: dict[str, str] = {}
        """Pod UID to node, for bindings that no watch has shown yet."""
        self.touched: set[str] = set()
        """Nodes whose holdings changed since somebody cleared this set."""
        self._by_pod: dict[str, Holding] = {}
        self._on_node: dict[str, dict[str, Usage]] = {}

    def on(self, node: str) -> Iterable[Usage]:
        """What the pods of a node hold."""
        return self._on_node.get(node, _NOTHING).values()

    def see(self, pod: Pod) -> None:
        """The watch shows a pod, in whatever state."""
        uid = pod.metadata.uid
        if pod.finished:
            self.forget(uid)
            return
        if pod.spec.node_name:
            self.assumed.pop(uid, None)
        node = pod.spec.node_name or self.assumed.get(uid, "")
        if node:
            self._hold(uid, Holding(node, usage_of(pod)))
        else:
            self._let_go(uid)

    def forget(self, uid: str) -> None:
        """The pod is gone, or has ended: it holds nothing."""
        self.assumed.pop(uid, None)
        self._let_go(uid)

    def assume(self, pod: Pod, node: str) -> None:
        """A binding of the pod is about to be made."""
        self.assumed[pod.metadata.uid] = node
        self._hold(pod.metadata.uid, Holding(node, usage_of(pod)))

    def refute(self, uid: str) -> None:
        """The binding was not made after all; what a watch has shown since then stays."""
        if self.assumed.pop(uid, None) is not None:
            self._let_go(uid)

    def _hold(self, uid: str, holding: Holding) -> None:
        if self._by_pod.get(uid) == holding:
            return
        self._let_go(uid)
        self._by_pod[uid] = holding
        self._on_node.setdefault(holding.node, {})[uid] = holding.usage
        self.touched.add(holding.node)

    def _let_go(self, uid: str) -> None:
        holding = self._by_pod.pop(uid, None)
        if holding is None:
            return
        usages = self._on_node[holding.node]
        del usages[uid]
        if not usages:
            del self._on_node[holding.node]
        self.touched.add(holding.node)


_NOTHING: Mapping[str, Usage] = {}
