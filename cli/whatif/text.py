"""The answer of `whatif` for people: the kernel's sentences, one a line, and how the pods spread over HyperNodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from cli.captured import Offer
from cli.output import printable
from cli.ranges import compressed
from cli.whatif.taints import InTheWay
from scheduler.kernel.explain import sentences
from scheduler.kernel.outcome import Placement, Refusal
from scheduler.kernel.quantity import GPU, show_amount

HYPER_NODES_SHOWN = 32


def assumption(offer: Offer) -> str:
    """What every node of a captured fabric is taken to have; a scan cannot say it."""
    given = [show_amount(resource, amount) for resource, amount in offer.items() if amount and resource != "pods"]
    endless = [resource for resource, amount in offer.items() if amount is None]
    rest = f"{' and '.join(endless)} without limit" if endless else "nothing else"
    amounts = ", ".join([*given, rest]).replace(GPU, "gpu")
    return f"assumed of every node: {amounts} (--node-resources); at most {offer['pods']} pods"


def to_text(outcome: Placement | Refusal, taints: InTheWay | None) -> str:
    lines = list(sentences(outcome))
    if isinstance(outcome, Placement):
        lines += _spread(outcome)
    elif taints is not None:
        lines.append(_remedy(taints, outcome.gang.pods))
    return printable("\n".join(lines)) + "\n"


def _remedy(taints: InTheWay, pods: int) -> str:
    """Which taints are in the way, and how to ask for pods that tolerate them."""
    said = "A taint is" if len(taints.taints) == 1 else "Taints are"
    options = " ".join(f"--tolerate {taint}" for taint in taints.taints)
    fitting = "the gang" if taints.fits >= pods else f"{taints.fits:,} of {_counted(pods, 'pod')}"
    return f"{said} in the way: with {options} {fitting} would fit."


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
        members = compressed(tree.node_names[node] for node in nodes[home])
        yield f"  {name}: {_counted(pods[home], 'pod')} on {_counted(len(nodes[home]), 'node')} ({members})"
    if len(homes) > HYPER_NODES_SHOWN:
        rest = _counted(len(homes) - HYPER_NODES_SHOWN, "HyperNode")
        yield f"  ... and {rest} more (-o json shows every pod's node)"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
