"""The verdicts of a node's ports and NVLinks: evidence in, verdicts and what to remember out. Pure.

A port is known by its GUID, so one whose device is renamed is the same. A port that was there and is not any more is
lost, not gone: it stays in the report, and is judged Down, until the next boot; unless its interfaces have another RDMA
device by now, as when two ports are made one bond. A port that cannot be read keeps its verdict for a few looks, and is
Unknown then: a probe that fails or hangs says nothing of ports.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from agent.node.carriers import NO_LEGS, Legs, with_carriers
from agent.node.evidence import Evidence
from discovery.health import History, Thresholds, Verdict, judge
from discovery.nvlink import Moment, Watch, keep_watch
from discovery.reports import NodeReport, NvLink, Port
from discovery.samples import LINK_DOWN, PortSample
from discovery.sysfs import Devices, PortKey, port_samples

GONE = "DeviceGone"
"""The reason of a port whose device was there in this boot and is not any more."""

Key = tuple[str, int]
"""The port's GUID, or else its node's, or else its device; and its number."""


@dataclass(frozen=True, slots=True)
class Known:
    """One port as it was seen last, and what is remembered of it."""

    port: Port
    history: History = field(default_factory=History)
    interfaces: tuple[str, ...] = ()
    legs: Legs = NO_LEGS
    lost: bool = False
    """It was there in this boot, and is not any more."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Everything that is remembered between two looks."""

    ports: Mapping[Key, Known] = field(default_factory=dict)
    boot_id: str | None = None
    gpus_at: datetime | None = None
    """When the GPUs were last looked at."""
    watch: Watch = field(default_factory=Watch)
    nvlink: NvLink | None = None

    def recalling(self, report: NodeReport) -> Standing:
        """With what the node's last report remembers, whenever that is read. What this process has seen itself counts
        more; a process that starts in the same boot is no new boot."""
        known, same_boot = dict(self.ports), report.bootId is not None and report.bootId == self.boot_id
        rdma = {interface.rdmaDevice: interface.name for interface in report.interfaces if interface.rdmaDevice}
        for port in report.ports:
            key = key_of(port)
            if key in known:
                history = known[key].history.recalling(port)
                known[key] = replace(known[key], history=history.going_on() if same_boot else history)
            elif same_boot:
                interfaces = (rdma[port.device],) if port.device in rdma else ()
                known[key] = Known(port, History.of(port).going_on(), interfaces, lost=port.reason == GONE)
        standing = replace(self, ports=known)
        if report.nvlink is None or report.heartbeat is None:
            return standing
        watch = self.watch.recalling(report.nvlink, report.heartbeat, same_boot=same_boot)
        return replace(standing, watch=watch, gpus_at=None)


def key_of(port: Port) -> Key:
    """Under which a port is known."""
    return port.portGuid or port.nodeGuid or port.device, port.port


def judge_node(evidence: Evidence, before: Standing, thresholds: Thresholds) -> tuple[tuple[Port, ...], Standing]:
    """All ports with their verdicts, and what to remember."""
    standing = replace(before, boot_id=evidence.boot_id or before.boot_id)
    standing = _judge_gpus(evidence, standing, thresholds)
    if evidence.devices is None:
        return (), standing
    seen = evidence.devices.evidence if evidence.devices.fresh else None
    if not evidence.devices.fresh:
        known = {key: _judged(known, _unread(evidence), thresholds) for key, known in before.ports.items()}
    else:
        known = _judge_ports(seen or Devices(), evidence, before.ports, thresholds)
    return tuple(one.port for one in known.values()), replace(standing, ports=known)


def _judge_ports(
    devices: Devices, evidence: Evidence, before: Mapping[Key, Known], thresholds: Thresholds
) -> dict[Key, Known]:
    """Those that are there in the order of the kernel, those that are lost behind them."""
    known = _recognized(devices, before)
    legs = {(one.port.device, one.port.port): one.legs for one in known.values()}
    samples = with_carriers(port_samples(devices, evidence.at, evidence.boot_id), devices, evidence.links, legs)
    judged: dict[Key, Known] = {}
    for key, one in known.items():
        at = (one.port.device, one.port.port)
        judged[key] = one
        if at in samples:
            sample, legs_now = samples[at]
            judged[key] = _judged(replace(one, legs=legs_now), replace(sample, clock=evidence.clock), thresholds)
    held = {(one.port.device, one.port.port): key for key, one in judged.items()}
    carried = devices.rdma_devices
    for key, lost in before.items():
        at = (lost.port.device, lost.port.port)
        if key in judged or _is_taken(at, held, lost, before) or any(name in carried for name in lost.interfaces):
            continue
        judged[key] = _judge_missing(lost, at not in held and _is_there(lost.port, devices), evidence, thresholds)
    return judged


def _recognized(devices: Devices, before: Mapping[Key, Known]) -> dict[Key, Known]:
    """The ports that are there, each with what is remembered of it."""
    places = {(one.port.device, one.port.port): one for one in before.values() if not one.lost}
    found: dict[Key, Known] = {}
    for port in devices.ports:
        at, key = (port.device, port.port), key_of(port)
        if key in found:  # of two ports with one GUID neither hides the other
            key = at
        last = _same(port, before.get(key), places.get(at)) or Known(port)
        found[key] = replace(last, port=port, interfaces=devices.interfaces.get(at, ()), lost=False)
    return found


def _judge_missing(lost: Known, there: bool, evidence: Evidence, thresholds: Thresholds) -> Known:
    """Of a port that nobody sees the states are not known; nor whether it has a link, while its device is there."""
    blank = replace(lost.port, state=None, physicalState=None, width=None, speed=None)
    sample = _unread(evidence) if there else replace(_unread(evidence), link=LINK_DOWN, reason=GONE)
    return _judged(replace(lost, port=blank, lost=not there), sample, thresholds)


def _is_there(port: Port, devices: Devices) -> bool:
    """Whether its device is, which is not so where one of its name is another one."""
    device = devices.known.get(port.device)
    return device is not None and (None in (device.node_guid, port.nodeGuid) or device.node_guid == port.nodeGuid)


def _is_taken(at: PortKey, held: Mapping[PortKey, Key], lost: Known, before: Mapping[Key, Known]) -> bool:
    """Whether another port is in its place: a new one, and not one that was there all the time and took its name."""
    key = held.get(at)
    if key is None or lost.lost:
        return False
    holder = before.get(key)
    return holder is None or (holder.port.device, holder.port.port) == at


def _same(port: Port, known: Known | None, there: Known | None) -> Known | None:
    """Of this very port; and of the one that was at its place, where one of the two could not tell its GUID."""
    if known is None and there is not None and None in (port.portGuid, there.port.portGuid):
        known = there if port.nodeGuid in (None, there.port.nodeGuid) or there.port.nodeGuid is None else None
    return known


def _judged(known: Known, sample: PortSample, thresholds: Thresholds) -> Known:
    verdict, history = judge(sample, known.history, thresholds)
    return replace(known, port=_told(known.port, verdict, history), history=history)


def _told(port: Port, verdict: Verdict, history: History) -> Port:
    last_up = history.last_up.replace(microsecond=0) if history.last_up is not None else None
    return replace(port, verdict=verdict.word, reason=verdict.reason, lastUp=last_up)


def _unread(evidence: Evidence) -> PortSample:
    return PortSample(at=evidence.at, clock=evidence.clock)


def _judge_gpus(evidence: Evidence, before: Standing, thresholds: Thresholds) -> Standing:
    """A look at the GPUs is judged once; between two of them, and where one fails, what was said stays."""
    kept = evidence.gpus
    if kept is None or not kept.fresh or kept.since is None or kept.since == before.gpus_at:
        return before
    if kept.evidence is None:
        return replace(before, gpus_at=kept.since, nvlink=None)
    incarnation = f"{evidence.boot_id or ''}/{evidence.gpu_driver or ''}"
    moment = Moment(kept.since, incarnation, thresholds, kept.clock)
    nvlink, watch = keep_watch(kept.evidence.gpus, before.watch, moment)
    return replace(before, gpus_at=kept.since, nvlink=nvlink, watch=watch)
