"""What the GPUs of a node say together: the node's NVLink domain, and how its part of the fabric is. Pure.

A domain is cluster UUID and clique, both. GPUs that do not say the same leave it unknown, and a reason says so: the
node then keeps the domain that it was in. A GPU that cannot be read hides no other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from discovery.nvlink.gpus import COMPLETED, HEALTHY, IN_PROGRESS, LIMITED, NOT_STARTED, NOT_SUPPORTED, UNHEALTHY, Gpu
from discovery.reports import NvLink

MAX_REASON = 200
"""Characters: it stands in the report."""
_WORST_FIRST = (UNHEALTHY, LIMITED, HEALTHY)
_NAMED = 4


def domain_of(gpus: Sequence[Gpu]) -> tuple[NvLink, str | None]:
    """What the report says, and what of it is not known or was left out. At least one GPU must be readable."""
    readable = [gpu for gpu in gpus if gpu.lost is None]
    attached = [gpu for gpu in readable if gpu.state != NOT_SUPPORTED]
    registered, why = _registration(attached) if attached else (NvLink(state=NOT_SUPPORTED), None)
    links = sum(len(gpu.links) for gpu in readable)
    sick = [gpu for gpu in attached if gpu.health in (UNHEALTHY, LIMITED)]
    known = {gpu.health for gpu in attached}
    told = replace(
        registered,
        healthSummary=next((word for word in _WORST_FIRST if word in known), None),
        gpus=len(gpus),
        unhealthyGpus=len(sick) if known - {None} else None,
        links=links or None,
        reason=bounded(complaint(gpu) for gpu in sick),
    )
    return told, bounded([*([why] if why else []), *_left_out(gpus, attached)])


def _registration(attached: Sequence[Gpu]) -> tuple[NvLink, str | None]:
    """The least advanced state counts for all."""
    states = Counter(gpu.state for gpu in attached)
    order: tuple[str | None, ...] = (None, NOT_STARTED, IN_PROGRESS, COMPLETED)
    behind = min(states, key=order.index)
    if behind != COMPLETED:
        why = f"{states[behind]} of {len(attached)} GPUs are {behind or 'unknown'}"
        return NvLink(state=behind), why if behind is None or len(states) > 1 else None
    domains = Counter((gpu.cluster, gpu.clique) for gpu in attached)
    if len(domains) > 1:
        parts = ", ".join(f"{count} in {cluster}.{clique}" for (cluster, clique), count in domains.most_common(_NAMED))
        return NvLink(), f"its GPUs disagree: {parts}"
    cluster, clique = next(iter(domains))
    no_clique = "its GPUs are in no clique for unicast access" if clique is None else None
    return NvLink(clusterUuid=cluster, cliqueId=clique, state=COMPLETED), no_clique


def _left_out(gpus: Sequence[Gpu], attached: Sequence[Gpu]) -> Iterable[str]:
    """What was not read, and GPUs beside the fabric of the others."""
    for gpu in gpus:
        if gpu.lost or gpu.trouble:
            yield f"{gpu.name}: {gpu.lost or gpu.trouble}"
    beside = [gpu for gpu in gpus if gpu.state == NOT_SUPPORTED]
    if attached and beside:
        yield f"{len(beside)} of {len(gpus)} GPUs support no fabric and are left out"


def complaint(gpu: Gpu) -> str:
    return f"{gpu.name}: {', '.join(gpu.complaints) or str(gpu.health)}"


def bounded(parts: Iterable[str]) -> str | None:
    text = "; ".join(parts)
    return (text if len(text) <= MAX_REASON else f"{text[: MAX_REASON - 1]}…") or None
