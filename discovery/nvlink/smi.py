"""What `nvidia-smi` prints, as GPUs: `-q`, `nvlink -s`, `nvlink -e`. Pure; for hosts where NVML itself is not usable.

NVIDIA calls this output not stable, so nothing is taken for granted: tabs or blanks, values that are `N/A` or `Not
Supported`, blocks and lines that older drivers lack or newer ones add. What is not understood is unknown.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from uuid import UUID

from discovery.nvlink import fabric
from discovery.nvlink.gpus import (
    COMPLETED,
    HEALTHY,
    LIMITED,
    MAX_GPUS,
    MAX_LINKS,
    NOT_SUPPORTED,
    UNHEALTHY,
    Gpu,
    GpuLink,
)

_GPU = re.compile(r"GPU [0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f]")
_NO_GPU = re.compile(r"No devices were found\.?|Attached GPUs\s*:\s*0", re.IGNORECASE)
_ATTACHED = re.compile(r"Attached GPUs\s*:\s*(\d{1,4})", re.IGNORECASE | re.ASCII)
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_LISTED_GPU = re.compile(r"GPU (\d{1,3}): .*\(UUID: (GPU-[0-9A-Za-z-]+)\)")
_COUNT = re.compile(r"[0-9]{1,18}")
_LINK = re.compile(r"\s*Link (\d{1,3}): (.+)")
_STATES = {"completed": 3, "inprogress": 2, "notstarted": 1, "notsupported": 0, "na": 0}
_SUMMARIES = {"healthy": HEALTHY, "unhealthy": UNHEALTHY, "limitedcapacity": LIMITED}
_TRUE_FALSE = {"true": fabric.TRUE, "false": fabric.FALSE}
_CONFIGURATIONS = {
    "none": 1,
    "incorrectsystemguid": 2,
    "incorrectsysguid": 2,
    "incorrectchassisserialnumber": 3,
    "incorrectchassissn": 3,
    "nopartition": 4,
    "insufficientnvlinks": 5,
    "incompatiblegpufirmware": 6,
    "incompatiblegpufw": 6,
    "invalidlocation": 7,
    "gpustateinvalid": 8,
    "na": 0,
    "notsupported": 0,
}
_OTHER_CONFIGURATION = 15
_HEALTH: Mapping[str, tuple[fabric.MaskField, Mapping[str, int]]] = {
    "bandwidth": (fabric.DEGRADED_BANDWIDTH, {"degraded": fabric.TRUE, "full": fabric.FALSE}),
    "routerecoveryinprogress": (fabric.ROUTE_RECOVERY, _TRUE_FALSE),
    "routeunhealthy": (fabric.ROUTE_UNHEALTHY, _TRUE_FALSE),
    "accesstimeoutrecovery": (fabric.ACCESS_TIMEOUT_RECOVERY, _TRUE_FALSE),
    "partitionassigned": (fabric.PARTITION_ASSIGNED, _TRUE_FALSE),
}
_COUNTERS = {
    "crcerrors": "errors",
    "rxerrors": "errors",
    "locallinkintegrityerrors": "errors",
    "symbolerrors": "errors",
    "recoveryerrors": "recoveries",
    "totallinkrecoveryevents": "recoveries",
    "linkrecoveryfailedevents": "losses",
}
"""As `discovery.nvlink.fields` counts."""

Block = Mapping[str, str]
"""Keys and values of one Fabric block, its Health block among them; keys without case and blanks."""


def parse_query(text: str) -> tuple[Gpu, ...]:
    """The GPUs of `nvidia-smi -q`, in their order."""
    return tuple(_gpu(index, lines) for index, lines in enumerate(_by_gpu(_plain(text))[:MAX_GPUS]))


def says_none(text: str) -> bool:
    """Whether it is the answer of an nvidia-smi that sees no GPU, and no other text."""
    return any(_NO_GPU.fullmatch(line.strip()) for line in _plain(text))


def counted_gpus(text: str) -> int | None:
    """How many GPUs it tells of before it shows them, `MAX_GPUS` at most; None where it does not."""
    told = (_ATTACHED.fullmatch(line.strip()) for line in _plain(text))
    return next((min(int(count[1]), MAX_GPUS) for count in told if count), None)


def parse_links(states: str, errors: str) -> Mapping[str, tuple[GpuLink, ...]]:
    """By UUID of the GPU the links of `nvidia-smi nvlink -s`, with what `nvidia-smi nvlink -e` counts."""
    counted: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for uuid, number, said in _link_lines(errors):
        what, _, value = said.rpartition(":")
        if _key(what) in _COUNTERS and _COUNT.fullmatch(value.strip()):
            counted[uuid, number][_COUNTERS[_key(what)]] += int(value)
    found: dict[str, dict[int, GpuLink]] = defaultdict(dict)
    for uuid, number, said in _link_lines(states):
        sums: Mapping[str, int] = counted.get((uuid, number), {})
        found[uuid][number] = GpuLink(
            number=number,
            active=_active(said),
            errors=sums.get("errors"),
            recoveries=sums.get("recoveries"),
            losses=sums.get("losses"),
        )
    return {uuid: tuple(links[number] for number in sorted(links)) for uuid, links in found.items()}


def with_links(gpu: Gpu, links: Mapping[str, tuple[GpuLink, ...]]) -> Gpu:
    """The GPU with its own."""
    return replace(gpu, links=links.get(gpu.uuid or "", ()))


def _plain(text: str) -> list[str]:
    return [_COLOURS.sub("", line).expandtabs(8).rstrip() for line in text.splitlines()]


def _by_gpu(lines: list[str]) -> list[list[str]]:
    found: list[list[str]] = []
    for line in lines:
        if _GPU.fullmatch(line):
            found.append([])
        elif found:
            found[-1].append(line)
    return found


def _gpu(index: int, lines: list[str]) -> Gpu:
    uuid = next((value for key, value in _pairs(lines) if key == "gpuuuid"), None)
    gpu = Gpu(index=index, uuid=uuid)
    block = _fabric_block(lines)
    if block is None:
        return replace(gpu, trouble="nvidia-smi shows no Fabric block")
    return _with_block(gpu, block)


def _fabric_block(lines: list[str]) -> Block | None:
    """All deeper lines below `Fabric`."""
    start = next((at for at, line in enumerate(lines) if line.strip() == "Fabric"), None)
    if start is None:
        return None
    depth = _depth(lines[start])
    end = next((at for at, line in enumerate(lines[start + 1 :], start + 1) if _depth(line) <= depth), len(lines))
    return dict(_pairs(lines[start + 1 : end]))


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _pairs(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        key, colon, value = line.partition(":")
        if colon:
            yield _key(key), value.strip()


def _key(text: str) -> str:
    """Without case, blanks and signs: `In Progress` and `InProgress` are one, `N/A` and `[N/A]` too."""
    return "".join(letter for letter in text.lower() if letter.isalnum())


def _with_block(gpu: Gpu, block: Block) -> Gpu:
    word = block.get("state", "")
    state = _STATES.get(_key(word))
    if state is None:
        return replace(gpu, trouble=f"fabric state {word[:40]!r}, which is not known here")
    cluster = _cluster(block)
    info = fabric.FabricInfo(state=state, clique=_clique(block), cluster=cluster or bytes(16), mask=_mask(block))
    told = fabric.with_fabric(gpu, info)
    if told.state == NOT_SUPPORTED:
        return told
    told = replace(told, health=_SUMMARIES.get(_key(block.get("summary", "")), told.health))
    unclear = "" if told.state != COMPLETED else _unclear(block, cluster)
    return replace(told, state=None, cluster=None, clique=None, trouble=unclear) if unclear else told


def _unclear(block: Block, cluster: bytes | None) -> str:
    """Why a completed registration tells no domain; "" where it does."""
    if _key(block.get("status", "success")) != "success":
        return f"fabric status {block['status'][:40]!r}"
    if cluster is None:
        return f"cluster UUID {block.get('clusteruuid', '')[:40]!r}, which is none"
    return ""


def _cluster(block: Block) -> bytes | None:
    try:
        return UUID(block.get("clusteruuid", "")).bytes
    except ValueError:
        return None


def _clique(block: Block) -> int | None:
    value = block.get("cliqueid", "")
    return int(value) if re.fullmatch("[0-9]{1,10}", value) else None


def _mask(block: Block) -> int:
    """What the words of the Health block are in the health mask."""
    mask = 0
    for key, (field, values) in _HEALTH.items():
        mask |= field.put(values.get(_key(block.get(key, "")), 0))
    configuration = _key(block.get("incorrectconfiguration", "na"))
    return mask | fabric.CONFIGURATION.put(_CONFIGURATIONS.get(configuration, _OTHER_CONFIGURATION))


def _link_lines(text: str) -> Iterator[tuple[str, int, str]]:
    """UUID of the GPU, number of the link, and what is said of it."""
    uuid = ""
    for line in _plain(text):
        gpu, link = _LISTED_GPU.match(line), _LINK.match(line)
        if gpu:
            uuid = gpu[2]
        elif link and uuid and int(link[1]) < MAX_LINKS:
            yield uuid, int(link[1]), link[2].strip()


def _active(said: str) -> bool | None:
    """A rate, or `<inactive>`."""
    if "inactive" in said.lower():
        return False
    return True if re.match(r"[0-9.]+ ?GB/s", said) else None
