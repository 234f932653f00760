"""The fabric of the GPUs and every NVLink judged over time, as ports are: what is seen once is not yet so. Pure.

Every link is a port of its GPU to `discovery.health`; and so is what the driver says of a GPU's fabric, with the number
`FABRIC`: healthy is up. So a link or a GPU that comes and goes is Flapping and not told each time, a link that never
was up is told of nobody, and what was bad before a restart of the agent is so after it (`Watch.of`). A GPU that was
there and is lost is not well itself, also where the driver lists it no more; its links stay as they were last.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from discovery.health import History, Thresholds, Verdict, judge
from discovery.health.link import LinkState
from discovery.nvlink.domain import bounded, complaint, domain_of
from discovery.nvlink.gpus import HEALTHY, LIMITED, MAX_GPUS, MAX_LINKS, UNHEALTHY, Gpu, GpuLink
from discovery.reports import DEGRADED, DOWN, FLAPPING, UNKNOWN, NvLink, Port
from discovery.samples import LINK_DOWN, LINK_UP, Counters, PortSample

FABRIC = -1
"""In place of the number of a link."""
INACTIVE = "LinkInactive"
"""Why a link is down."""
LOST = "GpuLost"
"""Why a GPU that was there is not well: nothing of it can be read."""
GONE = "it is gone"
"""Why nothing can be read of a GPU that is not listed any more."""
MAX_BAD_LINKS = 32
_REASONS = {UNHEALTHY: LOST, LIMITED: LIMITED}
"""What a GPU that a report complains of is held to be until it is seen: its own part of the fabric, or all of it."""
_BAD = (DOWN, FLAPPING, DEGRADED)
_COMPLAINT = re.compile(r"(?:^|; )(GPU \d{1,3}): ")
_TOLD = re.compile(r"GPU (\d{1,3}) links? ([\d,-]{1,128}) ([A-Z][a-z]{1,19})")

Key = tuple[str, int]
"""GPU by its name, and the number of the link."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When a look was, and in which life of the host."""

    at: datetime
    incarnation: str | None = None
    """Boot id, and what tells one load of the driver from the next."""
    thresholds: Thresholds = field(default_factory=Thresholds)
    clock: float | None = None
    """As `PortSample.clock`."""


@dataclass(frozen=True, slots=True)
class Watch:
    """What is remembered between two looks."""

    histories: Mapping[Key, History] = field(default_factory=dict)
    there: frozenset[str] = frozenset()
    """GPUs that were read in this boot."""
    continues: bool = False
    """Whether an earlier process watched in this boot."""

    @staticmethod
    def of(told: NvLink | None, at: datetime) -> Watch:
        """What the last report remembers: its bad links were up once, by `at` at the latest."""
        return Watch().recalling(told, at) if told is not None else Watch()

    def recalling(self, told: NvLink, at: datetime, *, same_boot: bool = False) -> Watch:
        """With what the last report remembers, where it is read only now. Of one of this boot the GPUs count as well:
        those that are lost, or gone since, are not well."""
        names = frozenset(f"GPU {index}" for index in range(min(told.gpus or 0, MAX_GPUS) if same_boot else 0))
        histories = {key: one.going_on() if same_boot else one for key, one in self.histories.items()}
        for key, port in {**_bad_links(told, at), **_sick_fabrics(told, names, at)}.items():
            mine = histories.get(key)
            histories[key] = mine.recalling(port) if mine else replace(History.of(port), continues=same_boot)
        return Watch(histories, self.there | names, same_boot)


def keep_watch(gpus: Sequence[Gpu], before: Watch, moment: Moment) -> tuple[NvLink, Watch]:
    """What to report after one more look, and what to remember. A GPU that could not be read heals nothing."""
    gpus = (*gpus, *_gone(gpus, before.there))
    histories, verdicts = dict(_without_found(gpus, before.histories)), dict[Key, Verdict]()
    lost = {gpu.name for gpu in gpus if gpu.lost is not None}
    for key, sample in samples_of(gpus, before.there, moment):
        new = History(last_up=moment.at if key[1] == FABRIC else None, continues=before.continues)
        if sample.link is not None or key in histories or key[0] in lost:
            verdicts[key], histories[key] = judge(sample, histories.get(key, new), moment.thresholds)
    kept = {key: history for key, history in histories.items() if key[0] in lost and key[1] != FABRIC}
    verdicts |= {key: history.verdict for key, history in kept.items()}
    seen = domain_of(gpus)[0]
    told = _told(gpus, replace(seen, links=(seen.links or 0) + len(kept) or None), verdicts)
    return told, Watch(histories, before.there | {gpu.name for gpu in gpus} - lost, before.continues)


def _without_found(gpus: Sequence[Gpu], histories: Mapping[Key, History]) -> Mapping[Key, History]:
    """Where the driver sums up no health, a GPU that is read again is not lost any more, and that is all."""
    if any(gpu.health is not None for gpu in gpus):
        return histories
    found = {(gpu.name, FABRIC) for gpu in gpus if gpu.lost is None}
    return {key: one for key, one in histories.items() if key not in found or not _only_lost(one.link)}


def _only_lost(link: LinkState) -> bool:
    return link.reason == LOST or link.standing is None


def _gone(gpus: Sequence[Gpu], there: frozenset[str]) -> Iterator[Gpu]:
    """Those that were there and are not listed any more."""
    for name in sorted(there - {gpu.name for gpu in gpus}):
        yield Gpu(index=int(name.removeprefix("GPU ")), lost=GONE)


def samples_of(gpus: Sequence[Gpu], there: frozenset[str], moment: Moment) -> Iterator[tuple[Key, PortSample]]:
    """One sample of the fabric of each GPU, and one of every link. Of the GPUs that were there one is lost."""
    for gpu in gpus:
        if gpu.lost is None:
            link = None if gpu.health is None else LINK_UP if gpu.health == HEALTHY else LINK_DOWN
            reason = gpu.health if link == LINK_DOWN else None
        else:
            link, reason = (LINK_DOWN, LOST) if gpu.name in there else (None, None)
        seen = PortSample(at=moment.at, clock=moment.clock, incarnation=moment.incarnation)
        yield (gpu.name, FABRIC), replace(seen, link=link, reason=reason)
        for one in gpu.links:
            yield (gpu.name, one.number), _sample(one, moment)


def _sample(link: GpuLink, moment: Moment) -> PortSample:
    up = link.active
    return PortSample(
        at=moment.at,
        clock=moment.clock,
        link=None if up is None else LINK_UP if up else LINK_DOWN,
        reason=INACTIVE if up is False else None,
        pam4=True,
        counters=Counters(nvlink_errors=link.errors, link_error_recovery=link.recoveries, link_downed=link.losses),
        incarnation=moment.incarnation,
    )


def _told(gpus: Sequence[Gpu], seen: NvLink, verdicts: Mapping[Key, Verdict]) -> NvLink:
    """The report of what was seen, with how it is judged in place of how it looks at the moment."""
    fabrics = {gpu.index: verdicts[gpu.name, FABRIC] for gpu in gpus if (gpu.name, FABRIC) in verdicts}
    sick = {index: verdict for index, verdict in fabrics.items() if verdict.word in _BAD}
    bad = {key: verdict.word for key, verdict in verdicts.items() if key[1] != FABRIC and verdict.word in _BAD}
    undecided = {index: verdict for index, verdict in fabrics.items() if verdict.word == UNKNOWN}
    judged = bool(fabrics) and not undecided
    told = sick or undecided
    summary = HEALTHY if judged else None
    if sick:
        unhealthy = any(verdict.reason in (UNHEALTHY, LOST) for verdict in sick.values())
        summary = UNHEALTHY if unhealthy else LIMITED
    return replace(
        seen,
        healthSummary=summary,
        unhealthyGpus=len(sick) if judged or sick else None,
        unhealthyLinks=len(bad) if seen.links else None,
        badLinks=spell_bad(bad),
        reason=bounded(_why(gpu, told[gpu.index]) for gpu in gpus if gpu.index in told),
    )


def _why(gpu: Gpu, verdict: Verdict) -> str:
    """What it complains of; where it does not at the moment: what it is held to be."""
    if gpu.lost is not None:
        return f"{gpu.name}: {gpu.lost}"
    return complaint(gpu) if gpu.complaints else f"{gpu.name}: {verdict.reason or gpu.health or verdict.word}"


def spell_bad(bad: Mapping[Key, str]) -> tuple[str, ...]:
    """Links and their verdicts as a report names them."""
    return tuple(_spelled(bad))[:MAX_BAD_LINKS]


def read_bad(lines: Iterable[str]) -> dict[Key, str]:
    """The reverse; of what is spelled otherwise: nothing."""
    return {key: word for line in lines for key, word in _read(line)}


def _spelled(bad: Mapping[Key, str]) -> Iterator[str]:
    by_gpu: dict[tuple[str, str], list[int]] = defaultdict(list)
    for (gpu, number), word in bad.items():
        by_gpu[gpu, word].append(number)
    for (gpu, word), numbers in sorted(by_gpu.items()):
        yield f"{gpu} link{'s' if len(numbers) > 1 else ''} {_ranges(sorted(numbers))} {word}"


def _ranges(numbers: Sequence[int]) -> str:
    """`0-3,7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _read(line: str) -> Iterator[tuple[Key, str]]:
    found = _TOLD.fullmatch(line)
    if found is None or found[3] not in _BAD:
        return
    for part in found[2].split(","):
        first, _, last = part.partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            for number in range(int(first), min(int(last or first), MAX_LINKS - 1) + 1):
                yield (f"GPU {int(found[1])}", number), found[3]


def _bad_links(told: NvLink, at: datetime) -> dict[Key, Port]:
    """The links that a report names, as ports."""
    bad = read_bad(told.badLinks)
    return {key: _port(key, word, INACTIVE if word == DOWN else None, at) for key, word in bad.items()}


def _sick_fabrics(told: NvLink, names: frozenset[str], at: datetime) -> dict[Key, Port]:
    """Of these GPUs those that it says are not well."""
    reason = _REASONS.get(told.healthSummary or "")
    sick = names.intersection(_COMPLAINT.findall(told.reason or "")) if reason else ()
    return {(name, FABRIC): _port((name, FABRIC), DOWN, reason, at) for name in sick}


def _port(key: Key, verdict: str, reason: str | None, at: datetime) -> Port:
    return Port(device=key[0], port=key[1], verdict=verdict, reason=reason, lastUp=at)
