"""All processes of a site, played side by side: who does what at which second of the recording."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from heapq import merge
from itertools import groupby
from typing import TypeVar, cast

from cli.replay.control import PlayedController
from cli.replay.fabric import PlayedSweeper
from cli.replay.node import PlayedAgent
from controller.conclusion.reading import read_hosts
from controller.snapshot import Snapshot
from discovery.errors import EvidenceError
from discovery.identity import NodeName
from discovery.recording import layout
from discovery.recording.hostfile import PROC
from discovery.recording.reading import Moment, Recording
from discovery.reports import SWEEPER_LABEL, NodeReport, SweepReport, SwitchReport
from discovery.sysfs import read_boot_id
from kube.types import (
    Node,
    NodeCondition,
    NodeReportObject,
    NodeSpec,
    NodeStatus,
    ObjectMeta,
    SweepReportObject,
    SwitchReportObject,
)

S = TypeVar("S")
T = TypeVar("T")

NOT_READY, CORDONED, SILENT = "not-ready", "cordoned", "silent"
"""Words about a Node: its kubelet tells nothing; nobody shall come; its agent does not run."""
LABEL = "label="


class PlayError(EvidenceError):
    """Something recorded cannot be played; the message says what, and what to do."""


@dataclass(frozen=True, slots=True)
class SweepTold:
    """How a sweep went, where it went otherwise than the one before it."""

    second: int
    sweeper: str
    outcome: str
    reasons: tuple[str, ...]


@dataclass(slots=True)
class Play:
    """A recording, played to its end."""

    recording: Recording
    controller: PlayedController = field(default_factory=PlayedController)
    agents: dict[str, PlayedAgent] = field(default_factory=dict)
    sweepers: dict[str, PlayedSweeper] = field(default_factory=dict)
    sweeps: list[SweepTold] = field(default_factory=list)
    reports: dict[str, NodeReport] = field(default_factory=dict)
    """As they stand, also of nodes whose agent is silent."""
    hosts_are_nodes: bool = False
    """Nothing tells of nodes but the fabric, so that every host that it names is one, as for `hyperscout map`."""
    nodes: frozenset[str] = frozenset()
    """Names of the Nodes as they stand."""
    _objects: dict[tuple[str, str], tuple[object, object]] = field(default_factory=dict)
    """By kind and name what each object was made from, and the object: what did not change is the same one."""

    def run(self) -> None:
        """From the first second to the last. Raises NoTreeError and PlayError."""
        manifest = self.recording.manifest
        moments = list(self.recording.moments())
        self.hosts_are_nodes = not any(moment.nodes or moment.cluster is not None for _, moment in moments)
        moment = Moment()
        for second in _seconds(self.recording):
            while moments and moments[0][0] <= second:
                moment = moments.pop(0)[1]
            self._step(moment, second, manifest.at + timedelta(seconds=second))

    def _step(self, moment: Moment, second: int, at: datetime) -> None:
        manifest = self.recording.manifest
        words = cluster_of(moment)
        if second % manifest.look == 0:
            for name in moment.nodes:
                self._look(name, moment, words.get(name, frozenset()), second, at)
        if second % manifest.sweep == 0:
            for name in moment.fabrics:
                self._sweep(name, moment, second, at)
            if self.hosts_are_nodes:
                self.nodes |= self._named_hosts()  # a cable that is cut takes no Node away
        if self.hosts_are_nodes:
            words = dict.fromkeys(self.nodes, frozenset())
        self.nodes = frozenset(words)
        self.controller.look(self._snapshot(words), second, at)

    def _named_hosts(self) -> frozenset[str]:
        """Those at switches of InfiniBand: on Ethernet a name alone places nobody."""
        reports = [report for sweeper in self.sweepers.values() for report in sweeper.reports.items()]
        return frozenset(
            host
            for name, report in reports
            for _, host in read_hosts(SwitchReportObject(metadata=_meta(name), spec=report))
        )

    def _look(self, name: str, moment: Moment, words: frozenset[str], second: int, at: datetime) -> None:
        if SILENT in words:
            self.agents.pop(name, None)
            return
        agent = self.agents.get(name)
        boot = read_boot_id(moment.nodes[name].host.below(PROC))
        if agent is None or agent.boot_id not in (None, boot):  # a process does not outlive its host
            agent = self.agents[name] = PlayedAgent(NodeName(name), remembered=self.reports.get(name))
        with _naming(f"{layout.NODES}/{name}", second):
            agent.look(moment.nodes[name], at, float(second))
        if agent.report is not None:
            self.reports[name] = agent.report

    def _sweep(self, name: str, moment: Moment, second: int, at: datetime) -> None:
        sweeper = self.sweepers.setdefault(name, PlayedSweeper(name))
        before = sweeper.last
        with _naming(f"{layout.FABRICS}/{name}", second):
            sweeper.sweep(moment.fabrics[name], at)
        now = sweeper.last
        if now is not None and (before is None or (before.outcome, before.reasons) != (now.outcome, now.reasons)):
            self.sweeps.append(SweepTold(second, name, now.outcome, now.reasons))

    def _snapshot(self, words: Mapping[str, frozenset[str]]) -> Snapshot:
        reports = sorted(self.reports.items())
        switches = sorted(
            (
                (name, report, sweeper.name)
                for sweeper in self.sweepers.values()
                for name, report in sweeper.reports.items()
            ),
            key=lambda row: row[0],
        )
        sweeps = ((name, sweeper.last) for name, sweeper in sorted(self.sweepers.items()))
        return Snapshot(
            nodes=tuple(self._node(name, words[name]) for name in sorted(words)),
            node_reports=tuple(self._same("node", name, report, _node_report) for name, report in reports),
            switch_reports=tuple(
                self._same("switch", name, (report, sweeper), _switch_report) for name, report, sweeper in switches
            ),
            sweeps=tuple(self._same("sweep", name, last, _sweep) for name, last in sweeps if last is not None),
        )

    def _node(self, name: str, words: frozenset[str]) -> Node:
        return self._same("Node", name, (words, self.controller.nodes.get(name)), _node)

    def _same(self, kind: str, name: str, source: S, make: Callable[[str, S], T]) -> T:
        known = self._objects.get((kind, name))
        if known is None or known[0] != source:
            known = self._objects[kind, name] = (source, make(name, source))
        return cast("T", known[1])


def _seconds(recording: Recording) -> Iterator[int]:
    """At which something happens, in order."""
    manifest, end = recording.manifest, recording.until + 1
    moments = sorted(second for second in recording.changes if second < end)
    ticks = merge(moments, range(0, end, manifest.look), range(0, end, manifest.sweep))
    return (second for second, _ in groupby(ticks))


@contextmanager
def _naming(folder: str, second: int) -> Iterator[None]:
    """That what is in a folder cannot be played says which one."""
    try:
        yield
    except ValueError as error:
        raise PlayError(f"{folder} at second {second}: {error}; repair what it holds, or take it away") from error


def _node_report(name: str, report: NodeReport) -> NodeReportObject:
    return NodeReportObject(metadata=_meta(name), spec=report)


def _switch_report(name: str, told: tuple[SwitchReport, str]) -> SwitchReportObject:
    report, sweeper = told
    return SwitchReportObject(metadata=_meta(name, {SWEEPER_LABEL: sweeper}), spec=report)


def _sweep(name: str, report: SweepReport) -> SweepReportObject:
    return SweepReportObject(metadata=_meta(name), spec=report)


def _node(name: str, known: tuple[frozenset[str], NodeCondition | None]) -> Node:
    words, fabric = known
    ready = NodeCondition(type="Ready", status="Unknown" if NOT_READY in words else "True")
    labels = dict(word.removeprefix(LABEL).partition("=")[::2] for word in words if word.startswith(LABEL))
    return Node(
        metadata=_meta(name, labels),
        spec=NodeSpec(unschedulable=CORDONED in words),
        status=NodeStatus(conditions=(ready, fabric) if fabric is not None else (ready,)),
    )


def cluster_of(moment: Moment) -> dict[str, frozenset[str]]:
    """The Nodes, with the words about each."""
    if moment.cluster is None:
        return {name: frozenset() for name in moment.nodes}
    lines = (line.split() for line in moment.cluster.splitlines() if not line.startswith("#"))
    return {words[0]: frozenset(words[1:]) for words in lines if words}


def _meta(name: str, labels: Mapping[str, str] | None = None) -> ObjectMeta:
    return ObjectMeta(name=name, uid=f"uid-{name}", resource_version="1", labels=labels or {})
