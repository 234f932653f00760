"""What the reports, and the labels of Nodes, say of NVLink: the domain of every node, and how its part of it is. Pure.

A domain is cluster UUID and clique, both: unrelated racks share the number of a clique. In none is only who says so: an
all-zero UUID, or no fabric at all. Who cannot tell keeps the domain that it had. Health never changes a domain, and one
that is unknown changes nothing of what was known of it.

The label `nvidia.com/gpu.clique` counts where the agent sees no NVLink itself: without NVML in its container, or where
there is no agent. Only the controller may read Nodes. A label that is not there, or vanished, says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import NamedTuple

from discovery.nvlink.gpus import COMPLETED, LIMITED, NOT_SUPPORTED, UNHEALTHY
from discovery.nvlink.label import CLIQUE_LABEL, parse_clique_label
from discovery.nvlink.watching import read_bad, spell_bad
from discovery.reports import DOWN, FLAPPING, NvLink
from kube.types import Node, NodeReportObject
from topology.health import FABRIC_HEALTHY, NVLINK_LIMITED, NVLINK_UNHEALTHY, NvlinkFault

Domains = Mapping[str, str | None]
"""Node to its domain, `<cluster uuid>.<clique>`; None: certainly in none. A node that is not in it is unknown."""
Sick = Mapping[str, NvLink]
"""By node, of those whose NVLink is not well, what was last known of it."""

_NAMED = 2
_SUMMARIES = {NVLINK_UNHEALTHY: UNHEALTHY, NVLINK_LIMITED: LIMITED}
_TOLD_BEFORE = "as it was when the controller started"


class Said(NamedTuple):
    """What one source says of one node. (A tuple: they exist by the ten thousand.)"""

    node: str
    domain: str | None
    """"" for none; None: it cannot tell."""


def read_label(node: Node) -> Said | None:
    """By the label of a Node; None where it has none, or one that is no domain."""
    told = parse_clique_label(node.metadata.labels.get(CLIQUE_LABEL, ""))
    return Said(node.metadata.name, _domain(*told)) if told is not None else None


def read_told(report: NodeReportObject) -> Said | None:
    """By the driver; None where the agent sees no NVLink."""
    nvlink = report.spec.nvlink
    return Said(report.metadata.name, _told(nvlink)) if nvlink is not None else None


def nvlink_domains(told: Iterable[Said | None], labels: Iterable[Said | None], last: Domains) -> dict[str, str | None]:
    """The domains as they are known by now."""
    found, seen = dict(last), set[str]()
    for said in told:
        if said is not None:
            seen.add(said.node)
            if said.domain is not None:
                found[said.node] = said.domain or None
    for label in labels:
        if label is not None and (label.node not in seen or label.node not in found):
            found[label.node] = label.domain or None
    return found


def _told(nvlink: NvLink) -> str | None:
    """The domain, "" for none; None: unknown."""
    if nvlink.state == NOT_SUPPORTED:
        return ""
    if nvlink.state != COMPLETED:
        return None
    told = parse_clique_label(f"{nvlink.clusterUuid}.{nvlink.cliqueId or 0}")
    if told is None:
        return None
    domain = _domain(*told)
    return domain if not domain or nvlink.cliqueId is not None else None


def _domain(cluster: str, clique: int) -> str:
    return f"{cluster}.{clique}" if cluster.strip("0-") else ""


def sick_nvlinks(reports: Iterable[NodeReportObject], last: Sick, names: AbstractSet[str]) -> Sick:
    """The nodes whose NVLink is not well as far as is known by now, of those with these names."""
    found = {name: nvlink for name, nvlink in last.items() if name in names}
    for report in reports:
        nvlink, name = report.spec.nvlink, report.metadata.name
        if nvlink is None or (name not in found and not _is_sick(nvlink)):
            continue
        known = _known(nvlink, found.get(name))
        if _is_sick(known):
            found[name] = known
        else:
            found.pop(name, None)
    return last if found == last else found


def _is_sick(nvlink: NvLink) -> bool:
    return nvlink.healthSummary in (UNHEALTHY, LIMITED) or bool(nvlink.unhealthyLinks)


def _known(nvlink: NvLink, last: NvLink | None) -> NvLink:
    """With what is not known now as it was: GPUs that register anew, links of a driver that restarts."""
    if last is None:
        return nvlink
    if not _tells_of_gpus(nvlink):
        nvlink = replace(
            nvlink,
            healthSummary=last.healthSummary,
            reason=last.reason,
            gpus=last.gpus,
            unhealthyGpus=last.unhealthyGpus,
        )
    if nvlink.unhealthyLinks is None and nvlink.state != NOT_SUPPORTED:
        nvlink = replace(nvlink, links=last.links, unhealthyLinks=last.unhealthyLinks, badLinks=last.badLinks)
    return nvlink


def _tells_of_gpus(nvlink: NvLink) -> bool:
    """Also one whose driver sums up no health. One that gives a reason and no summary has not decided yet."""
    silent = nvlink.state == COMPLETED and nvlink.reason is None
    return nvlink.healthSummary is not None or nvlink.state == NOT_SUPPORTED or silent


def remembered_sick(nodes: Iterable[Node]) -> Sick:
    """What a controller that starts knows of them: by the conditions that one wrote before it."""
    found = {}
    for node in nodes:
        condition = node.condition(FABRIC_HEALTHY)
        if condition is not None and condition.status == "False" and condition.reason in _SUMMARIES:
            found[node.metadata.name] = NvLink(healthSummary=_SUMMARIES[condition.reason], reason=_TOLD_BEFORE)
    return found


def faults_of(sick: Sick, excused: AbstractSet[str]) -> dict[str, NvlinkFault]:
    """By node what is wrong with its NVLink. The links of nodes that boot, or that somebody works at, do not flap."""
    known = {name: _without_flaps(nvlink) if name in excused else nvlink for name, nvlink in sick.items()}
    return {name: fault_of(nvlink) for name, nvlink in known.items() if _is_sick(nvlink)}


def _without_flaps(nvlink: NvLink) -> NvLink:
    bad = read_bad(nvlink.badLinks)
    left = {key: word for key, word in bad.items() if word != FLAPPING}
    if len(left) == len(bad):
        return nvlink
    unhealthy = (nvlink.unhealthyLinks or 0) - (len(bad) - len(left))
    return replace(nvlink, badLinks=spell_bad(left), unhealthyLinks=max(0, unhealthy))


def fault_of(nvlink: NvLink) -> NvlinkFault:
    """What is wrong, by the report of one that is not well."""
    parts = []
    if nvlink.healthSummary in (UNHEALTHY, LIMITED):
        how = "unhealthy" if nvlink.healthSummary == UNHEALTHY else "of limited capacity"
        why = f" ({nvlink.reason})" if nvlink.reason else ""
        parts.append(f"{_of(nvlink.unhealthyGpus, nvlink.gpus)}GPUs {how}{why}")
    if nvlink.unhealthyLinks:
        parts.append(f"{_of(nvlink.unhealthyLinks, nvlink.links)}NVLinks not well ({_first(nvlink.badLinks)})")
    dead = nvlink.healthSummary == UNHEALTHY or any(line.endswith(DOWN) for line in nvlink.badLinks)
    return NvlinkFault(NVLINK_UNHEALTHY if dead else NVLINK_LIMITED, ", ".join(parts))


def _of(some: int | None, total: int | None) -> str:
    return f"{some} of {total} " if some is not None and total is not None else ""


def _first(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return (", ".join(names[:_NAMED]) or "none of them is named") + more
