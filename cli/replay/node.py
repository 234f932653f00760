"""The agent of one node, played: what its probes make of the recorded files, look after look."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

import msgspec

from agent.node.assembling import assemble
from agent.node.evidence import LLDP, LLDPD, NETLINK, NVLINK, SYSFS, Evidence
from agent.node.judging import Standing, judge_node
from agent.node.watching import Kept, not_yet
from agent.publishing import Written, is_due, node_object
from discovery.health import Thresholds
from discovery.identity import NodeName
from discovery.lldp import Neighbours
from discovery.lldp.answers import read_answer
from discovery.lldp.frames import Unusable, read_frame
from discovery.lldp.heard import FullError, Heard
from discovery.netlink import Links, read_recorded_links
from discovery.nvlink import Gpus, SmiTexts, probed_of
from discovery.nvlink.gpus import GpuLook
from discovery.probing import Probed, absent, failed, found
from discovery.recording import layout
from discovery.recording.hostfile import PROC, SYS
from discovery.recording.reading import Node
from discovery.reports import NodeReport
from discovery.sysfs import Devices, read_boot_id, read_devices

T = TypeVar("T")

EVEN = 0.5
"""In place of what is drawn at random: a heartbeat every five minutes."""


@dataclass(slots=True)
class PlayedAgent:
    """From the start of its process on. `remembered` is the report that it finds of the process before it."""

    node: NodeName
    remembered: NodeReport | None = None
    report: NodeReport | None = None
    """As the API server has it: written on change and every five minutes."""
    thresholds: Thresholds = field(default_factory=Thresholds)
    _standing: Standing = field(default_factory=Standing)
    _devices: Kept[Devices] = field(default_factory=lambda: not_yet(SYSFS))
    _links: Kept[Links] = field(default_factory=lambda: not_yet(NETLINK))
    _heard: Kept[Neighbours] = field(default_factory=lambda: not_yet(LLDP))
    _lldpd: Kept[Neighbours] = field(default_factory=lambda: not_yet(LLDPD))
    _gpus: Kept[Gpus] = field(default_factory=lambda: not_yet(NVLINK))
    _written: Written | None = None
    _read: tuple[Mapping[str, str], dict[str, object]] = field(default_factory=lambda: ({}, {}))
    """What was read of the texts that stand, so that each is read once."""

    @property
    def boot_id(self) -> str | None:
        """The boot that its process was started in."""
        return self._standing.boot_id

    def look(self, recorded: Node, at: datetime, clock: float) -> None:
        """One look, and the report that follows."""
        evidence = self._evidence(recorded, at)
        ports, self._standing = judge_node(evidence, self._standing, self.thresholds)
        if self.remembered is not None:
            self._standing = self._standing.recalling(self.remembered)
            self.remembered = None
            ports, self._standing = judge_node(evidence, self._standing, self.thresholds)
        report = assemble(evidence, ports, self._standing.nvlink).report
        made = node_object(self.node, report)
        if is_due(made, self._written, clock, EVEN):
            self._written = Written(made.content_hash(), clock)
            self.report = report

    def _evidence(self, recorded: Node, at: datetime) -> Evidence:
        broken = _failures(recorded.texts.get(layout.FAILED, ""))
        sys = recorded.host.below(SYS)
        there = not recorded.host.is_empty
        if there or SYSFS in broken:
            self._devices = self._devices.then(
                _of(broken, SYSFS, lambda: read_devices(sys, self._devices.evidence)), at, 0.0
            )
        if there or NETLINK in broken:
            told = recorded.texts.get(layout.LINKS)
            links = (lambda: _read_links(told)) if told is not None else lambda: read_recorded_links(sys)
            self._links = self._links.then(_of(broken, NETLINK, links), at, 0.0)
        self._heard = self._text(recorded, at, LLDP, layout.LLDP_FRAMES, self._heard, _read_frames)
        self._lldpd = self._text(recorded, at, LLDPD, layout.LLDP_ANSWER, self._lldpd, _read_lldpd)
        gpus = _read_nvml if layout.NVML in recorded.texts else lambda _: _read_smi(recorded.texts)
        source = layout.NVML if layout.NVML in recorded.texts else layout.SMI
        self._gpus = self._text(recorded, at, NVLINK, source, self._gpus, gpus)
        return Evidence(
            at=at,
            boot_id=read_boot_id(recorded.host.below(PROC)),
            devices=self._devices if self._devices.outcome else None,
            links=self._links if self._links.outcome else None,
            heard=self._heard,
            lldpd=self._lldpd,
            gpus=self._gpus,
        )

    def _text(
        self, recorded: Node, at: datetime, probe: str, file: str, kept: Kept[T], read: Callable[[str], Probed[T]]
    ) -> Kept[T]:
        """The probe whose answer is one file. Without the file it is switched off; once it was there, it is absent."""
        broken = _failures(recorded.texts.get(layout.FAILED, ""))
        if probe in broken:
            return kept.then(failed(probe, broken[probe]), at, 0.0)
        if file not in recorded.texts:
            return kept.then(absent(probe, "nothing is recorded of it any more"), at, 0.0) if kept.outcome else kept
        if self._read[0] is not recorded.texts:
            self._read = (recorded.texts, {})
        known = self._read[1]
        if probe not in known:
            known[probe] = read(recorded.texts[file])
        probed: Probed[T] = known[probe]  # type: ignore[assignment]  # what this probe read, by its name
        return kept.then(probed, at, 0.0)


def _of(broken: Mapping[str, str], probe: str, read: Callable[[], Probed[T]]) -> Probed[T]:
    return failed(probe, broken[probe]) if probe in broken else read()


def _failures(text: str) -> dict[str, str]:
    lines = (line.partition(":") for line in text.splitlines())
    return {probe.strip(): reason.strip() for probe, colon, reason in lines if colon}


def _read_lldpd(text: str) -> Probed[Neighbours]:
    answer = read_answer(text)
    problems = f"lldpd's answer holds {'; '.join(answer.problems)}" if answer.problems else None
    if problems and not answer.neighbours:
        return failed(LLDPD, problems)
    return found(LLDPD, answer.neighbours, problems)


def _read_frames(text: str) -> Probed[Neighbours]:
    """Lines of an interface and a frame in hexadecimal digits."""
    heard, dropped = Heard(), 0
    for line in text.splitlines():
        interface, _, digits = line.partition(" ")
        try:
            frame = read_frame(bytes.fromhex(digits))
            if isinstance(frame, Unusable):
                dropped += 1
            else:
                heard.take(interface, frame, 0.0)
        except (ValueError, FullError):
            dropped += 1
    return found(LLDP, heard.neighbours(0.0), f"{dropped} frames could not be used" if dropped else None)


def _read_links(text: str) -> Probed[Links]:
    try:
        return found(NETLINK, msgspec.json.decode(text, type=Links))
    except msgspec.MsgspecError as error:
        return failed(NETLINK, f"{layout.LINKS}: {error}")


def _read_nvml(text: str) -> Probed[Gpus]:
    try:
        return probed_of(msgspec.json.decode(text, type=GpuLook))
    except msgspec.MsgspecError as error:
        return failed(NVLINK, f"{layout.NVML}: {error}")


def _read_smi(texts: Mapping[str, str]) -> Probed[Gpus]:
    query, links, errors = (texts.get(file, "") for file in (layout.SMI, layout.SMI_LINKS, layout.SMI_ERRORS))
    return probed_of(SmiTexts(query, links, errors).look())
