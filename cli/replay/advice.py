"""What is said of a replay beside its answer: who is a node, and why there is no HyperNode and what helps. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from cli.replay.playing import Play
from discovery.recording.layout import CLUSTER

NO_FABRIC = (
    "no fabric is recorded; record it, too (hyperscout record DIR --no-host --fabric, or --switch TARGET), "
    "and give both folders to replay"
)
NO_SWITCH = "no switch of the recorded fabric could be read; what was wrong stands behind its sweeps in the answer"
NO_NAME = (
    "no node is known, for the fabric names no host of InfiniBand; "
    "give the recordings of the hosts, too (hyperscout record DIR on each)"
)
NO_NODE = f"no node is known, for {CLUSTER} lists none; write their names there, one a line, or take the file away"


def about_nodes(play: Play) -> Iterator[str]:
    """Nothing where the recording says which hosts are nodes."""
    if play.hosts_are_nodes and play.nodes:
        yield (
            f"no host is recorded and no {CLUSTER} is there, so every host that the fabric names is taken for a node: "
            f"{len(play.nodes):,} of them; where some are none, list the nodes in {CLUSTER} of the first moment"
        )


def why_no_tree(play: Play) -> str:
    """Of a play that ended without a HyperNode: the reason and what to do."""
    if not play.sweepers:
        return NO_FABRIC
    if not any(sweeper.reports for sweeper in play.sweepers.values()):
        return NO_SWITCH
    if not play.nodes:
        return NO_NAME if play.hosts_are_nodes else NO_NODE
    waiting = play.controller.last.waiting if play.controller.last is not None else ""
    return waiting or (
        f"none of the nodes that are known ({len(play.nodes):,}) has a cable to a switch that was read; "
        "compare their names with those of the hosts in the fabric, or give the recordings of the hosts, too"
    )
