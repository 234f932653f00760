"""The evidence kinds as objects: metadata around the dataclasses of `discovery.reports`."""

from __future__ import annotations

from discovery import reports
from kube.meta import ObjectMeta, Wire


class NodeReportObject(Wire, frozen=True, kw_only=True):
    """What the agent of one node says, and what the controller concluded for it."""

    metadata: ObjectMeta = ObjectMeta()
    spec: reports.NodeReport = reports.NodeReport()
    status: reports.NodeReportStatus = reports.NodeReportStatus()


class SwitchReportObject(Wire, frozen=True, kw_only=True):
    """What a sweeper says of one switch."""

    metadata: ObjectMeta = ObjectMeta()
    spec: reports.SwitchReport = reports.SwitchReport()


class SweepReportObject(Wire, frozen=True, kw_only=True):
    """How a sweeper's last sweep went."""

    metadata: ObjectMeta = ObjectMeta()
    spec: reports.SweepReport = reports.SweepReport()
