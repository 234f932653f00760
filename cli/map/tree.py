"""The answer for people: each fabric's tree with its counts, then what is wrong, then who was left out."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from cli.map.counts import HostCount, count_hosts
from cli.output import printable
from cli.remarks import unplaced_lines
from topology.anomaly import Anomaly
from topology.conclude import Conclusion
from topology.hierarchy import HyperNode
from topology.structure import Fabric

CHILDREN_SHOWN = 72
"""A pod of a large fabric has 64 units; beyond that a list is for machines."""
SENTENCES_SHOWN = 5
NAMING = "set node_desc on these hosts, for example with rdma-ndd, and scan again"
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
    counts = count_hosts(conclusion)
    trees = [
        _fabric_tree(fabric, count, children)
        for fabric, count in zip(conclusion.structure.fabrics, counts, strict=True)
    ]
    return Group(
        *trees,
        *_anomalies(conclusion.anomalies),
        *map(Text, unplaced_lines(conclusion.unplaced)),
        *_why_no_tree(conclusion, counts),
        *_nameless(counts),
    )


def _fabric_tree(fabric: Fabric, count: HostCount, children: Mapping[str | None, Sequence[HyperNode]]) -> Tree:
    label = Text(printable(fabric.name), style="bold")
    facts = [fabric.role, fabric.link_layer, _count(len(fabric.switches), "switch"), _count(count.named, "host")]
    if fabric.planes > 1:
        facts.insert(2, _count(fabric.planes, "plane"))
    if count.nameless_adapters:
        facts.append(f"{_count(count.nameless_adapters, 'adapter')} without a host name")
    label.append("  " + ", ".join([*facts, _count(fabric.links, "link")]), style="not bold")
    label.append(f"  ({printable(fabric.rule)})", style="not bold dim")
    tree = Tree(label, guide_style="dim")
    _grow(tree, [one for one in children.get(None, ()) if one.fabric == fabric.name], children)
    return tree


def _grow(tree: Tree, hyper_nodes: Sequence[HyperNode], children: Mapping[str | None, Sequence[HyperNode]]) -> None:
    for one in hyper_nodes[:CHILDREN_SHOWN]:
        _grow(tree.add(_label(one)), children.get(one.name, ()), children)
    hidden = len(hyper_nodes) - CHILDREN_SHOWN
    if hidden > 0:
        tree.add(Text(f"... and {hidden} more (-o json lists every one)", style="dim"))


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
        yield Text(f"          ... and {len(found) - SENTENCES_SHOWN:,} more (-o json lists every one)", style="dim")


def _nameless(counts: Sequence[HostCount]) -> Iterator[Text]:
    """Machines that the fabric cannot name are in nobody's list, so it is said what became of them."""
    adapters = sum(count.nameless_adapters for count in counts)
    if adapters:
        yield Text(f"{_count(adapters, 'adapter')} without a host name: in no HyperNode; {NAMING}", style="dim")


def _why_no_tree(conclusion: Conclusion, counts: Sequence[HostCount]) -> Iterator[Text]:
    if conclusion.hierarchy.hyper_nodes:
        return
    if not any(count.named for count in counts):
        yield Text("no HyperNode: no host has a name, and members of HyperNodes are names of nodes")
    elif not any(host.node for host in conclusion.graph.hosts):
        yield Text("no HyperNode: no host is a node of the cluster; --nodes says which are")
    else:
        yield Text("no HyperNode: no node has a cable to a switch that makes a domain")


def _count(number: int, noun: str) -> str:
    plural = "es" if noun.endswith("ch") else "s"
    return f"{number:,} {noun}{'' if number == 1 else plural}"
