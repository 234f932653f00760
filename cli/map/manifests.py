"""The HyperNodes of a map as manifests, ready for `kubectl apply -f -`."""

from __future__ import annotations

from cli.output import say
from topology.conclude import Conclusion
from topology.documents import documents, manifests_yaml, unwritable_nodes


def say_who_is_a_member(conclusion: Conclusion) -> None:
    """Without `--nodes` a login server or a host called localhost is a member like any other: say so."""
    members = {node for one in conclusion.hierarchy.hyper_nodes for node in one.nodes}
    if members:
        say(
            f"every host with a name is taken for a node of the cluster, {len(members):,} in all; "
            "--nodes FILE|REGEX chooses those that are"
        )


def to_yaml(conclusion: Conclusion) -> str:
    """Children before parents. What no API server would accept is left out and named on stderr."""
    left_out = unwritable_nodes(conclusion.hierarchy)
    if left_out:
        say(f"{len(left_out):,} hosts have no name that a Node can have and are left out, such as {left_out[0]!r}")
    tree = documents(conclusion.hierarchy)
    if not tree:
        say("no HyperNode has a member; nothing to apply")
        return ""
    return manifests_yaml(tree)
