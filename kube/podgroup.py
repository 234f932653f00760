"""PodGroup, group scheduling.volcano.sh/v1beta1: what gang scheduling reads of it. Source: Volcano's `types.go`.

It has no status subresource: a status is written by replacing the whole object, read as JSON so that nothing is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from kube.meta import ObjectMeta, Wire


class NetworkTopology(Wire, frozen=True, kw_only=True):
    """hard or soft, and how high a hard gang may reach (a number or a name, never both)."""

    mode: str = "hard"
    highest_tier_allowed: int | None = None
    highest_tier_name: str = ""


class PodGroupSpec(Wire, frozen=True, kw_only=True):
    """What the gang asks for; subGroupPolicy is kept raw, to be refused by name."""

    min_member: int = 0
    min_task_member: Mapping[str, int] = {}
    queue: str = ""
    priority_class_name: str = ""
    min_resources: Mapping[str, str | int | float] | None = None
    network_topology: NetworkTopology | None = None
    sub_group_policy: tuple[Mapping[str, Any], ...] = ()


class PodGroupCondition(Wire, frozen=True, kw_only=True):
    """Volcano's own condition: type Scheduled or Unschedulable, with the id of the scheduling session."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    last_transition_time: datetime | None = None
    transition_id: str = msgspec.field(name="transitionID", default="")


class PodGroupStatus(Wire, frozen=True, kw_only=True):
    """Phase: Pending, Inqueue, Running, Unknown, Completed."""

    phase: str = ""
    running: int = 0
    succeeded: int = 0
    failed: int = 0
    conditions: tuple[PodGroupCondition, ...] = ()


class PodGroup(Wire, frozen=True, kw_only=True):
    """One gang."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodGroupSpec = PodGroupSpec()
    status: PodGroupStatus = PodGroupStatus()

    def condition(self, type_: str) -> PodGroupCondition | None:
        return next((condition for condition in self.status.conditions if condition.type == type_), None)


class VolcanoJobSpec(Wire, frozen=True, kw_only=True):
    """Who schedules the job's pods, before there are any."""

    scheduler_name: str = ""


class VolcanoJob(Wire, frozen=True, kw_only=True):
    """A job of batch.volcano.sh/v1alpha1: the owner of PodGroups whose pods are made once these are Inqueue."""

    metadata: ObjectMeta = ObjectMeta()
    spec: VolcanoJobSpec = VolcanoJobSpec()
