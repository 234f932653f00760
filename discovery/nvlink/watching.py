"""The fabric of the GPUs and every NVLink judged over time, as ports are: what is seen once is not yet so. Pure.

Every link is a port of its GPU to `discovery.health`; and so is what the driver says of a GPU's fabric, with the number
`FABRIC`: healthy is up. So a link or a GPU that comes and goes is Flapping and not told each time, a link that never
was up is told of nobody, and what was bad before a restart of the agent is so after it (`Watch.of`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from discovery.health import History, Thresholds, Verdict, judge
from discovery.nvlink.domain import bounded, complaint, domain_of
from discovery.nvlink.gpus import HEALTHY, LIMITED, MAX_LINKS, UNHEALTHY, Gpu, GpuLink
from discovery.reports import DEGRADED, DOWN, FLAPPING, UNKNOWN, NvLink, Port
from discovery.samples import LINK_DOWN, LINK_UP, Counters, PortSample

FABRIC = -1
"""In place of the number of a link."""
INACTIVE = "LinkInactive"
"""Why a link is down."""
MAX_BAD_LINKS = 32
_BAD = (DOWN, FLAPPING, DEGRADED)
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


@dataclass(frozen=True, slots=True)
class Watch:
    """What is remembered between two looks."""

    histories: Mapping[Key, History] = field(default_factory=dict)

    @staticmethod
    def of(told: NvLink | None, at: datetime) -> Watch:
        """What the last report remembers: its bad links were up once, by `at` at the latest."""
        return Watch({key: _recalled(key, word, at) for key, word in read_bad(told.badLinks if told else ()).items()})


def keep_watch(gpus: Sequence[Gpu], before: Watch, moment: Moment) -> tuple[NvLink, Watch]:
    """What to report after one more look, and what to remember. A GPU that could not be read changes nothing."""
    readable = [gpu for gpu in gpus if gpu.lost is None]
    histories, verdicts = dict(before.histories), dict[Key, Verdict]()
    for key, sample in samples_of(readable, moment):
        new = History(last_up=moment.at) if key[1] == FABRIC else History()
        if sample.link is not None or key in histories:
            verdicts[key], histories[key] = judge(sample, histories.get(key, new), moment.thresholds)
    return _told(readable, domain_of(gpus)[0], verdicts), Watch(histories)


def samples_of(gpus: Sequence[Gpu], moment: Moment) -> Iterator[tuple[Key, PortSample]]:
    """One sample of the fabric of each GPU, and one of every link."""
    for gpu in gpus:
        link = None if gpu.health is None else LINK_UP if gpu.health == HEALTHY else LINK_DOWN
        reason = gpu.health if link == LINK_DOWN else None
        yield (gpu.name, FABRIC), PortSample(at=moment.at, link=link, reason=reason, incarnation=moment.incarnation)
        for one in gpu.links:
            yield (gpu.name, one.number), _sample(one, moment)


def _sample(link: GpuLink, moment: Moment) -> PortSample:
    up = link.active
    return PortSample(
        at=moment.at,
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
        unhealthy = any(verdict.reason == UNHEALTHY for verdict in sick.values())
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


def _recalled(key: Key, word: str, at: datetime) -> History:
    reason = INACTIVE if word == DOWN else None
    return History.of(Port(device=key[0], port=key[1], verdict=word, reason=reason, lastUp=at))
