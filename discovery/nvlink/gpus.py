"""What one look at the GPUs of a node says, whoever was asked: values only, in the words that a report uses."""

from __future__ import annotations

from dataclasses import dataclass

NOT_SUPPORTED, NOT_STARTED, IN_PROGRESS, COMPLETED = "NotSupported", "NotStarted", "InProgress", "Completed"
"""How far the registration with the fabric is."""
HEALTHY, UNHEALTHY, LIMITED = "Healthy", "Unhealthy", "LimitedCapacity"
"""How the driver sums up the fabric of a GPU."""

MAX_GPUS, MAX_LINKS = 64, 36
"""More are read of no node: 36 links are the most that the driver's interface has numbers for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuLink:
    """One NVLink of one GPU; None is not known, never zero."""

    number: int
    """Counted from 0, as the driver does."""
    active: bool | None = None
    """A sleeping link is active; one that may carry no traffic is not."""
    errors: int | None = None
    """The sum of what it could not repair by itself (see `discovery.nvlink.fields`)."""
    recoveries: int | None = None
    """How often it was trained anew."""
    losses: int | None = None
    """How often that failed and the link was down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One GPU. A field that is None is not known."""

    index: int
    """Counted from 0, as nvidia-smi does; it may change with a boot."""
    uuid: str | None = None
    """Stays the same: `GPU-8b0a...`."""
    state: str | None = None
    cluster: str | None = None
    """Cluster UUID, in lower case; all zero: in no domain."""
    clique: int | None = None
    health: str | None = None
    complaints: tuple[str, ...] = ()
    """What is wrong with its part of the fabric, a few words each."""
    links: tuple[GpuLink, ...] = ()
    lost: str | None = None
    """Why nothing of it could be read, such as `GPU is lost`."""
    trouble: str | None = None
    """What of it could not be read or is no answer; the rest counts."""

    @property
    def name(self) -> str:
        """As nvidia-smi spells it."""
        return f"GPU {self.index}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuLook:
    """One look, however it went: found, absent or failed as in `discovery.reports`, and why."""

    outcome: str
    reason: str | None = None
    gpus: tuple[Gpu, ...] = ()
