"""The answer of `whatif` for people: the kernel's sentences, one a line, and how the pods spread over HyperNodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from cli.output import printable
from scheduler.kernel.explain import sentences
from scheduler.kernel.outcome import Placement, Refusal

HYPER_NODES_SHOWN = 32


def to_text(outcome: Placement | Refusal) -> str:
    lines = list(sentences(outcome))
    if isinstance(outcome, Placement):
        lines += _spread(outcome)
    return printable("\n".join(lines)) + "\n"


def _spread(placement: Placement) -> Iterator[str]:
    """Pods and nodes by the lowest HyperNode, in tree order."""
    tree = placement.tree
    nodes: dict[int, set[int]] = defaultdict(set)
    pods: dict[int, int] = defaultdict(int)
    for assignment in placement.assignments:
        for node in assignment.nodes.tolist():
            home = int(tree.home[node])
            nodes[home].add(node)
            pods[home] += 1
    homes = sorted(nodes, key=lambda home: min(nodes[home]))
    for home in homes[:HYPER_NODES_SHOWN]:
        name = tree.names[home] if home < len(tree.names) else "in no HyperNode"
        members = sorted(nodes[home])
        first, last = tree.node_names[members[0]], tree.node_names[members[-1]]
        between = str(first) if len(members) == 1 else f"{first} to {last}"
        yield f"  {name}: {pods[home]:,} pods on {len(members):,} nodes ({between})"
    if len(homes) > HYPER_NODES_SHOWN:
        yield f"  ... and {len(homes) - HYPER_NODES_SHOWN:,} HyperNodes more (-o json shows every pod's node)"
