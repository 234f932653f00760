"""What a replay concluded, for people: the tree and what is not well of it, then nodes, anomalies, what happened."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from rich.console import Console, Group
from rich.text import Text
from rich.tree import Tree

from cli.output import printable
from cli.replay.document import HyperNodeRow, NodeRow, ReplayDocument

CHILDREN_SHOWN = 72
EVENTS_SHOWN = 100


def to_text(document: ReplayDocument) -> str:
    """Coloured where stdout is a terminal, and never broken into lines by its width."""
    console = Console(file=sys.stdout, width=10_000, highlight=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(Group(*_trees(document), *_facts(document)), soft_wrap=True)
    return captured.get()


def _trees(document: ReplayDocument) -> Iterator[Tree | Text]:
    if not document.hyper_nodes:
        yield Text(f"no HyperNode: {printable(document.waiting) or 'nothing was concluded'}")
    below = {child for row in document.hyper_nodes.values() for child in row.members if child in document.hyper_nodes}
    for name, row in document.hyper_nodes.items():
        if name not in below:
            yield _tree(name, row, document)


def _tree(name: str, row: HyperNodeRow, document: ReplayDocument) -> Tree:
    tree = Tree(_label(name, row), guide_style="dim")
    children = [child for child in row.members if child in document.hyper_nodes]
    for child in children[:CHILDREN_SHOWN]:
        tree.add(_tree(child, document.hyper_nodes[child], document))
    if len(children) > CHILDREN_SHOWN:
        tree.add(Text(f"... and {len(children) - CHILDREN_SHOWN} more (-o json lists every one)", style="dim"))
    if not children:
        tree.add(Text(printable(" ".join(row.members)), style="dim"))
    return tree


def _label(name: str, row: HyperNodeRow) -> Text:
    label = Text(printable(name), style="cyan")
    label.append(f"  {row.tier_name} (tier {row.tier})", style="default")
    if row.assumed:
        label.append("  assumed", style="yellow")
    for kind, said in row.conditions.items():
        if not said.startswith("True"):
            label.append(f"  {kind} {said}", style="red" if said.startswith("False") else "yellow")
    if not row.links.startswith("0/") and row.links:
        label.append(f"  {row.links} links unhealthy", style="red")
    return label


def _facts(document: ReplayDocument) -> Iterator[Text]:
    for name, row in document.nodes.items():
        for line in _node(row):
            yield Text(printable(f"node {name}: {line}"))
    for name, said in document.switch_ports.items():
        yield Text(printable(f"switch port {name}: {said}"))
    if not document.anomalies:
        yield Text("no anomalies", style="green")
    for anomaly in document.anomalies:
        yield Text(printable(anomaly), style="bold red" if anomaly.startswith("error") else "")
    for sweep in document.sweeps:
        yield Text(printable(f"sweep {sweep}"), style="dim")
    for event in document.events[:EVENTS_SHOWN]:
        yield Text(printable(f"event {event}"))
    if len(document.events) > EVENTS_SHOWN:
        yield Text(f"... and {len(document.events) - EVENTS_SHOWN} more events (-o json lists every one)", style="dim")


def _node(row: NodeRow) -> Iterator[str]:
    """What of it is not well."""
    if row.hyper_node is None:
        yield f"not placed, {row.placed or 'nothing was concluded'}"
    if row.fabric_healthy and not row.fabric_healthy.startswith("True"):
        yield f"FabricHealthy {row.fabric_healthy}"
    yield from (f"port {port} {said}" for port, said in row.ports.items())
    yield from (f"probe {probe} failed: {reason}" for probe, reason in row.failed.items())
