"""What the numbers of a GPU's fabric information mean. Pure; source: NVIDIA's nvml.h, NVML_GPU_FABRIC_*.

The health mask is never compared with zero: in each of its fields 0 is "not supported", and what is well has a number
of its own (2, "false", for most of them).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from uuid import UUID

from discovery.nvlink.gpus import (
    COMPLETED,
    HEALTHY,
    IN_PROGRESS,
    LIMITED,
    NOT_STARTED,
    NOT_SUPPORTED,
    UNHEALTHY,
    Gpu,
)

STATES = (NOT_SUPPORTED, NOT_STARTED, IN_PROGRESS, COMPLETED)
SUMMARIES = (None, HEALTHY, UNHEALTHY, LIMITED)
"""0 is "not supported", as by drivers that know no summary: it is made of the mask then."""

TRUE, FALSE = 1, 2
"""In the fields of two bits."""
CORRECT = 1
"""In the field `configuration`."""


@dataclass(frozen=True, slots=True)
class MaskField:
    """One field of the health mask."""

    shift: int
    width: int

    def of(self, mask: int) -> int:
        """Its value in that mask; 0: not supported."""
        return mask >> self.shift & (1 << self.width) - 1

    def put(self, value: int) -> int:
        """A mask with that value in this field alone."""
        return value << self.shift


DEGRADED_BANDWIDTH = MaskField(0, 2)
ROUTE_RECOVERY = MaskField(2, 2)
ROUTE_UNHEALTHY = MaskField(4, 2)
ACCESS_TIMEOUT_RECOVERY = MaskField(6, 2)
CONFIGURATION = MaskField(8, 4)
PARTITION_ASSIGNED = MaskField(12, 2)
MANAGER_CONNECTED = MaskField(14, 2)

MISCONFIGURATIONS = {
    2: "system GUID",
    3: "chassis serial number",
    4: "no partition",
    5: "insufficient NVLinks",
    6: "incompatible GPU firmware",
    7: "invalid location",
    8: "GPU state invalid",
}
_NOTES = (
    (DEGRADED_BANDWIDTH, TRUE, "degraded bandwidth"),
    (ROUTE_RECOVERY, TRUE, "route recovery in progress"),
    (ROUTE_UNHEALTHY, TRUE, "unhealthy route"),
    (ACCESS_TIMEOUT_RECOVERY, TRUE, "access timeout recovery in progress"),
    (PARTITION_ASSIGNED, FALSE, "no partition assigned"),
    (MANAGER_CONNECTED, FALSE, "no connection to the global fabric manager"),
)
_LIMITING = (DEGRADED_BANDWIDTH, ROUTE_RECOVERY, ACCESS_TIMEOUT_RECOVERY)


@dataclass(frozen=True, slots=True, kw_only=True)
class FabricInfo:
    """One GPU's fabric information as numbers, whatever version of the structure it came in."""

    state: int
    status: int = 0
    """An NVML return code; it says something once the registration is completed."""
    cluster: bytes = bytes(16)
    clique: int | None = None
    """None where the GPU is in no clique for ordinary (unicast pointer) access."""
    mask: int = 0
    summary: int = 0


def with_fabric(gpu: Gpu, info: FabricInfo) -> Gpu:
    """The GPU with what that says. Numbers that no nvml.h has are unknown, and told."""
    state = STATES[info.state] if 0 <= info.state < len(STATES) else None
    if state is None:
        return replace(gpu, trouble=f"fabric state {info.state}, which is not known here")
    health = SUMMARIES[info.summary] if 0 <= info.summary < len(SUMMARIES) else None
    told = replace(
        gpu,
        state=state,
        health=health or health_of(info.mask),
        complaints=tuple(complaints(info.mask)),
    )
    if state != COMPLETED:
        return told
    if info.status:
        return replace(
            told, state=None, trouble=f"its registration with the fabric failed with NVML code {info.status}"
        )
    return replace(told, cluster=str(UUID(bytes=info.cluster)), clique=info.clique)


def health_of(mask: int) -> str | None:
    """In place of a summary; None where the mask says nothing."""
    if ROUTE_UNHEALTHY.of(mask) == TRUE or CONFIGURATION.of(mask) > CORRECT:
        return UNHEALTHY
    if any(field.of(mask) == TRUE for field in _LIMITING):
        return LIMITED
    well = CONFIGURATION.of(mask) == CORRECT or any(field.of(mask) == FALSE for field in (*_LIMITING, ROUTE_UNHEALTHY))
    return HEALTHY if well else None


def complaints(mask: int) -> Iterator[str]:
    """What is not well, in words."""
    yield from (words for field, bad, words in _NOTES if field.of(mask) == bad)
    fault = CONFIGURATION.of(mask)
    if fault > CORRECT:
        yield f"incorrect configuration ({MISCONFIGURATIONS.get(fault, fault)})"
