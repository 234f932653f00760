"""Stories of InfiniBand in which something happens: to cables, to optics, to hosts, to sweeps, to a subnet manager."""

from __future__ import annotations

from collections.abc import Iterator

from discovery.recording.layout import CLUSTER, CODE, COUNTERS, MAP, SWEEP, WORDS
from tests.sites.calm import SMALL
from tests.sites.hosts import boot, text
from tests.sites.infiniband import adapters, cables_of, counters, cut, hosts, lid, sweep, switch
from tests.sites.story import Story
from topology.synth.damage import without_switch
from topology.synth.drawing import Drawing
from topology.synth.tree import draw_tree

DUMP, SAID, ENDED = (f"fabrics/ib/{SWEEP}{ending}" for ending in (MAP, WORDS, CODE))
MINUTE, HOUR = 60, 3600


def stories() -> Iterator[Story]:
    """Five of them."""
    drawing = draw_tree(SMALL)
    start = {**hosts(drawing), DUMP: sweep(drawing)}
    yield _dying_cable(drawing, start)
    yield _flapping_optics(drawing, start)
    yield _planned_reboots(drawing, start)
    yield _partial_sweep(drawing, start)
    yield _subnet_manager(drawing, start)


def _dying_cable(drawing: Drawing, start: dict[str, str]) -> Story:
    host, device = "gpu-00005", "mlx5_2"
    adapter = next(one for one in adapters(drawing)[host] if one.device == device)
    file = f"nodes/{host}/host.txt"
    moments: dict[int, dict[str, str]] = {0: start}
    for step in range(1, 21):
        moments[step * 5 * MINUTE] = {file: text(adapter.counting(symbol_error=25 * step))}
    without = sweep(cut(drawing, *cables_of(drawing, host, device)))
    moments[105 * MINUTE] = {file: text(adapter.down()), DUMP: without}
    every = sorted(drawing.hosts)
    moments[2 * HOUR] = {CLUSTER: _cluster(every, host)}
    fresh = [boot(4711), *adapter.counting(symbol_error=0)]
    moments[2 * HOUR + 5 * MINUTE] = {CLUSTER: _cluster(every), file: text(fresh)}
    return Story(
        "dying-cable",
        f"On {host} the cable of {device} has 300 symbol errors an hour that nothing repairs, is without a link after "
        "an hour and three quarters, and stays so over a reboot at two hours.",
        moments,
        until=2 * HOUR + 10 * MINUTE,
    )


def _flapping_optics(drawing: Drawing, start: dict[str, str]) -> Story:
    leaf = switch(drawing, "dc-leaf-001-1")
    row = drawing.cables.lower.tolist().index(leaf)
    here = (lid(drawing, leaf), int(drawing.cables.lower_port[row]))
    file = f"fabrics/ib/{COUNTERS}"
    moments: dict[int, dict[str, str]] = {0: {**start, file: counters(*here)}}
    for flap in range(1, 11):
        moments[(10 + 5 * flap) * MINUTE] = {file: counters(*here, LinkDownedCounter=flap)}
    return Story(
        "flapping-optics",
        "The optics of the first uplink of dc-leaf-001-1 lose their link ten times, every five minutes from a quarter "
        "past to an hour; each time it is back before the next sweep. Then it holds.",
        moments,
        until=HOUR + 40 * MINUTE,
    )


def _planned_reboots(drawing: Drawing, start: dict[str, str]) -> Story:
    moments: dict[int, dict[str, str]] = {0: start}
    every = sorted(drawing.hosts)
    whole = sweep(drawing)
    for number, host in enumerate(every[:4], 1):
        begin = number * 20 * MINUTE
        down = [line for adapter in adapters(drawing)[host] for line in adapter.down()]
        moments[begin] = {CLUSTER: _cluster(every, host)}
        moments[begin + 2 * MINUTE] = {DUMP: sweep(cut(drawing, *cables_of(drawing, host)))}
        moments[begin + 7 * MINUTE] = {
            CLUSTER: _cluster(every, cordoned=host),
            f"nodes/{host}/host.txt": text([boot(9000 + number), *down]),
        }
        up = [line for adapter in adapters(drawing)[host] for line in adapter.up()]
        moments[begin + 9 * MINUTE] = {f"nodes/{host}/host.txt": text(up), DUMP: whole}
        moments[begin + 12 * MINUTE] = {CLUSTER: _cluster(every)}
    return Story(
        "planned-reboots",
        "The four hosts of the first unit are cordoned, booted and brought back, one after the other, twenty minutes "
        "apart. While one boots its ports have no link; its agent is back before they are.",
        moments,
        until=HOUR + 45 * MINUTE,
    )


def _partial_sweep(drawing: Drawing, start: dict[str, str]) -> Story:
    silent = switch(drawing, "dc-leaf-001-1")
    pulled = cut(drawing, *cables_of(drawing, "gpu-00006", "mlx5_0"))
    adapter = next(one for one in adapters(drawing)["gpu-00006"] if one.device == "mlx5_0")
    part = sweep(without_switch(pulled, silent))
    half = sweep(pulled)
    return Story(
        "partial-sweep",
        "At five minutes dc-leaf-001-1 gives the sweep no answer, and the cable of mlx5_0 on gpu-00006 is pulled; at "
        "ten minutes the sweep is cut off in the middle; from fifteen on it is whole again, without that cable.",
        {
            0: start,
            5 * MINUTE: {
                DUMP: part,
                SAID: _unanswered(drawing, silent),
                "nodes/gpu-00006/host.txt": text(adapter.down()),
            },
            10 * MINUTE: {DUMP: half[: len(half) // 2], SAID: "", ENDED: "cut off\n"},
            15 * MINUTE: {DUMP: half, ENDED: ""},
        },
    )


def _unanswered(drawing: Drawing, silent: int) -> str:
    """The tool's words: it begins at the last adapter of its map, and asks over either spine."""
    cables, lower = drawing.cables, drawing.cables.lower.tolist()
    first = cables_of(drawing, drawing.hosts[-1], "mlx5_3")[0]
    leaf = int(cables.upper[first])
    lines = []
    for up in (row for row, node in enumerate(lower) if node == leaf):
        spine = int(cables.upper[up])
        last = next(row for row, node in enumerate(lower) if node == silent and cables.upper[row] == spine)
        path = f"0,1,{int(cables.lower_port[up])},{int(cables.upper_port[last])}"
        where = f"mad (DR path slid 0; dlid 0; {path} Attr 0x11:0)"
        lines.append(f"src/query_smp.c:197; u{where} bad status 110; Connection timed out\n")
    return "".join(lines)


def _subnet_manager(drawing: Drawing, start: dict[str, str]) -> Story:
    found = sorted(adapters(drawing).items())
    waits = {f"nodes/{host}/host.txt": text(line for one in own for line in one.waiting()) for host, own in found}
    works = {f"nodes/{host}/host.txt": text(line for one in own for line in one.up()) for host, own in found}
    return Story(
        "subnet-manager-away",
        "The subnet manager fails over: all ports of all hosts are in Init from ten to fifteen minutes, while every "
        "cable works.",
        {0: start, 10 * MINUTE: waits, 15 * MINUTE: works},
        until=30 * MINUTE,
    )


def _cluster(every: list[str], away: str = "", cordoned: str = "") -> str:
    """The Nodes; one of them boots, or nobody shall come to it."""
    words = {away: " cordoned not-ready silent", cordoned: " cordoned"}
    return "".join(f"{host}{words.get(host, '')}\n" for host in every)
