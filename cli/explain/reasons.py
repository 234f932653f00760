"""Why a node has no place, in a plain sentence behind the one word of `map`."""

from __future__ import annotations

from collections.abc import Sequence

from cli.explain.ports import adapters_of, switches_of
from discovery.descriptions import host_name
from discovery.scan import spell_guid
from topology.conclude import Conclusion
from topology.graph import Graph
from topology.hierarchy import tier_name
from topology.merge import switch_label

NAMED = 4
"""Switches that a sentence names."""


def why_unplaced(conclusion: Conclusion, node: str, reason: str) -> str:
    """The sentence behind `reason`, without a full stop."""
    match reason:
        case "no-switch":
            return "none of its adapters has a cable to a switch in these scans"
        case "NoFabricPort":
            return "no adapter in these scans carries its name: its cables are down, or it is called otherwise there"
        case "duplicate-name":
            return _twice(conclusion.graph, node)
        case "AmbiguousDomain":
            return _no_domain(conclusion, node)
        case _:
            return "these scans do not say why"


def _twice(graph: Graph, node: str) -> str:
    twins = {adapter for group in graph.duplicate_names for adapter in group if _names(graph, adapter, node)}
    guids = [spell_guid(int(graph.adapters.guid[adapter]), graph.spelled) or "?" for adapter in sorted(twins)]
    named = f" ({_listed(guids)})" if guids else ""
    return f"several adapters carry the same host and device name{named}, so nobody knows which is its own"


def _names(graph: Graph, adapter: int, node: str) -> bool:
    name = (host_name(graph.adapters.description[adapter])[0] or "").lower()
    return node in (name, name.partition(".")[0]) or name == node.partition(".")[0]


def _no_domain(conclusion: Conclusion, node: str) -> str:
    graph, structure = conclusion.graph, conclusion.structure
    hosts = [index for index, host in enumerate(graph.hosts) if host.node == node]
    fabrics = {int(structure.tree_of_host[host]) for host in hosts}
    hangs_on = [
        switch
        for switch in switches_of(graph, adapters_of(graph, hosts))
        if int(structure.fabric_of_switch[switch]) in fabrics
    ]
    named = _listed([switch_label(graph, switch) for switch in hangs_on])
    levels = {int(structure.level[switch]) for switch in hangs_on}
    one = len(hangs_on) == 1
    if hangs_on and 0 not in levels:
        tier = " or ".join(tier_name(level) if level > 0 else "unreached" for level in sorted(levels))
        what = f"is a {tier} switch and no leaf" if one else f"are {tier} switches and no leaves"
        return f"it hangs on {named}, which {what}; only leaves hold nodes"
    if hangs_on and all(structure.shared[switch] for switch in hangs_on if structure.level[switch] == 0):
        serves = "a leaf that serves" if one else "leaves that serve"
        return f"it hangs only on {named}, {serves} several leaf domains and belong{'s' if one else ''} to none"
    return f"its cables end at {named}, in several leaf domains of which none holds most of them"


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - NAMED
    shown = list(names[:NAMED]) + ([f"{rest} more"] if rest > 0 else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else "no switch"
