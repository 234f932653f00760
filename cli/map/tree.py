"""The answer for people: each fabric's tree with its counts, then what is wrong, then who was left out."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from cli.output import printable
from topology.anomaly import Anomaly
from topology.conclude import Conclusion
from topology.graph import Unplaced
from topology.hierarchy import HyperNode
from topology.structure import Fabric

CHILDREN_SHOWN = 72
"""A pod of a large fabric has 64 units; beyond that a list is for machines."""
SENTENCES_SHOWN = 5
NAMES_SHOWN = 8
SEVERITIES: Mapping[str, str] = {"error": "bold red", "warning": "yellow", "info": "dim"}
"""In the order in which they are shown, with their colours."""


def to_tree(conclusion: Conclusion) -> str:
    """The text, coloured where stdout is a terminal and never broken into lines by its width."""
    console = Console(file=sys.stdout, width=10_000, highlight=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(_page(conclusion), soft_wrap=True)
    return captured.get()


def _page(conclusion: Conclusion) -> RenderableType:
    children: dict[str | None, list[HyperNode]] = defaultdict(list)
    for one in conclusion.hierarchy.hyper_nodes:
        children[one.parent].append(one)
    trees = [_fabric_tree(fabric, children) for fabric in conclusion.structure.fabrics]
    return Group(*trees, *_anomalies(conclusion.anomalies), *_unplaced(conclusion.unplaced))


def _fabric_tree(fabric: Fabric, children: Mapping[str | None, Sequence[HyperNode]]) -> Tree:
    planes = f"{_count(fabric.planes, 'plane')}, " if fabric.planes > 1 else ""
    label = Text(printable(fabric.name), style="bold")
    label.append(f"  {fabric.role}, {fabric.link_layer}, {planes}", style="not bold")
    label.append(", ".join(
        (_count(len(fabric.switches), "switch"), _count(len(fabric.hosts), "host"), _count(fabric.links, "link"))
    ), style="not bold")  # fmt: skip
    label.append(f"  ({printable(fabric.rule)})", style="not bold dim")
    tree = Tree(label, guide_style="dim")
    _grow(tree, [one for one in children.get(None, ()) if one.fabric == fabric.name], children)
    return tree


def _grow(tree: Tree, hyper_nodes: Sequence[HyperNode], children: Mapping[str | None, Sequence[HyperNode]]) -> None:
    for one in hyper_nodes[:CHILDREN_SHOWN]:
        _grow(tree.add(_label(one)), children.get(one.name, ()), children)
    hidden = len(hyper_nodes) - CHILDREN_SHOWN
    if hidden > 0:
        tree.add(Text(f"... and {hidden} more (-o json shows all)", style="dim"))


def _label(one: HyperNode) -> Text:
    label = Text(printable(one.name), style="cyan")
    label.append(f"  {one.tier_name} (tier {one.tier})", style="default")
    label.append(f"  {_count(len(one.nodes), 'node')}", style="default")
    if one.switches:
        label.append(f", {_count(len(one.switches), 'switch')}", style="default")
    return label


def _anomalies(anomalies: Sequence[Anomaly]) -> Iterator[Text]:
    if not anomalies:
        yield Text("no anomalies", style="green")
        return
    found: dict[tuple[str, str], list[Anomaly]] = defaultdict(list)
    for anomaly in anomalies:
        found[anomaly.severity, anomaly.kind].append(anomaly)
    yield Text(", ".join(_severity_counts(anomalies)), style="bold")
    for severity, style in SEVERITIES.items():
        for kind in sorted(kind for of, kind in found if of == severity):
            yield from _sentences(severity, style, kind, found[severity, kind])


def _severity_counts(anomalies: Sequence[Anomaly]) -> Iterator[str]:
    counts: Counter[str] = Counter(anomaly.severity for anomaly in anomalies)
    words = {"error": ("error", "errors"), "warning": ("warning", "warnings"), "info": ("remark", "remarks")}
    for severity, (one, many) in words.items():
        if counts[severity]:
            yield f"{counts[severity]:,} {one if counts[severity] == 1 else many}"


def _sentences(severity: str, style: str, kind: str, found: Sequence[Anomaly]) -> Iterator[Text]:
    line = Text(f"  {severity:7} ", style=style)
    line.append(f"{kind} x {len(found):,}", style="default")
    yield line
    for anomaly in found[:SENTENCES_SHOWN]:
        yield Text("          " + printable(anomaly.detail))
    if len(found) > SENTENCES_SHOWN:
        yield Text(f"          ... and {len(found) - SENTENCES_SHOWN:,} more (-o json shows all)", style="dim")


def _unplaced(unplaced: Sequence[Unplaced]) -> Iterator[Text]:
    reasons: dict[str, list[str]] = defaultdict(list)
    for one in unplaced:
        reasons[one.reason].append(one.node)
    for reason, nodes in sorted(reasons.items()):
        shown = ", ".join(printable(node) for node in nodes[:NAMES_SHOWN])
        more = f" and {len(nodes) - NAMES_SHOWN:,} more" if len(nodes) > NAMES_SHOWN else ""
        yield Text(f"{_count(len(nodes), 'node')} not placed, {reason}: {shown}{more}")


def _count(number: int, noun: str) -> str:
    plural = "es" if noun.endswith("ch") else "s"
    return f"{number:,} {noun}{'' if number == 1 else plural}"
