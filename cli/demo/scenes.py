"""The story, scene by scene; each one asserts what it shows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cli.demo.gangs import Job
from cli.demo.screen import Screen
from cli.demo.stage import BrokenStoryError, Stage
from kube.meta import Condition, Key
from kube.types import HyperNode

RACK, ROW, ALL = 1, 2, 3
"""The tiers of the default table: nvlink, leaf, spine."""
LINKS = "hyperscout.io/links"


def require(holds: bool, otherwise: str) -> None:
    """Raise BrokenStoryError with the sentence unless it holds."""
    if not holds:
        raise BrokenStoryError(otherwise)


def place_of(node: str, pattern: str = r"row\d+-rack\d+") -> str:
    """The rack (or row) that the name of a node carries: what is discovered is checked against it."""
    found = re.search(pattern, node)
    return found[0] if found else "outside"


def places_of(nodes: Sequence[str], pattern: str = r"row\d+-rack\d+") -> list[str]:
    """The different racks (or rows) of these nodes."""
    return sorted({place_of(node, pattern) for node in nodes})


async def discover(stage: Stage, screen: Screen) -> None:
    """From evidence to a tree: 6 racks, 2 rows, one root; ten nodes outside stay outside."""
    screen.scene("Discovery", "118 nodes report their ports and NVLink domains, a sweeper reports 12 switches")
    await stage.look()

    def ready() -> bool:
        found = stage.ours()
        return len(found) == 9 and all(_is_true(node, "Ready") for node in found)

    with screen.waiting("waiting for the controller to write HyperNodes"):
        await stage.until("9 HyperNodes that are Ready", ready)
    tiers = {tier: _nodes_by_hyper_node(stage, tier) for tier in (RACK, ROW, ALL)}
    require([len(found) for found in tiers.values()] == [6, 2, 1], "expected 6 racks, 2 rows and 1 root")
    for nodes in tiers[RACK].values():
        require(len(nodes) == 18 and len(places_of(nodes)) == 1, "each must hold the 18 nodes of one rack")
    for nodes in tiers[ROW].values():
        require(len(nodes) == 54 and len(places_of(nodes, r"row\d+")) == 1, "a row must hold the 54 nodes of one row")
    outside = set(stage.hardware.site.nodes) - set(*tiers[ALL].values())
    require(len(outside) == 10 and places_of(sorted(outside)) == ["outside"], "10 nodes must stay outside")
    screen.tree(
        tiers, lambda nodes: " and ".join(places_of(nodes, r"row\d+-rack\d+" if len(nodes) == 18 else r"row\d+"))
    )
    screen.done("6 racks, 2 rows and their root were found from hardware evidence; 10 nodes stay outside the fabric")


async def fill_racks(stage: Stage, screen: Screen) -> None:
    """Three gangs of 18, hard, one rack each."""
    jobs = [Job(f"training-{number}", 18, RACK) for number in ("one", "two", "three")]
    screen.scene("One rack each", f"three gangs of 18 pods, {jobs[0].rule}")
    await _run(stage, screen, *jobs)
    racks = [places_of(stage.nodes_of(job)) for job in jobs]
    require(all(len(rack) == 1 for rack in racks), f"each gang must be inside one rack, not {racks}")
    require(len({rack[0] for rack in racks}) == 3, f"the gangs must be in three different racks, not {racks}")
    for job, rack in zip(jobs, racks, strict=True):
        screen.placed(job, f"{rack[0]}")
    await stage.delete(*jobs)
    screen.done("each gang sits inside one NVLink rack, all three in different racks")


async def fill_rows(stage: Stage, screen: Screen) -> None:
    """Two gangs of 54, hard, one row each; what cannot fit then is refused with a reason per tier."""
    jobs = [Job(f"training-{number}", 54, ROW) for number in ("four", "five")]
    screen.scene("One row each", f"two gangs of 54 pods, {jobs[0].rule}")
    await _run(stage, screen, *jobs)
    rows = [places_of(stage.nodes_of(job), r"row\d+") for job in jobs]
    require(sorted(rows) == [["row1"], ["row2"]], f"each gang must be inside one row, not {rows}")
    for job, row in zip(jobs, rows, strict=True):
        screen.placed(job, f"{row[0]}: {', '.join(places_of(stage.nodes_of(job)))}")
    screen.done("each gang sits inside one row of three racks")
    await _refuse(stage, screen, Job("training-six", 18, ROW))
    await stage.delete(*jobs)


async def _refuse(stage: Stage, screen: Screen, job: Job) -> None:
    screen.scene("No room", f"a gang of {job.pods} pods, {job.rule}, while both rows are full")
    await stage.submit(job)
    with screen.waiting(f"waiting for the word on {job.name}"):
        await stage.until(f"{job.name} is refused with an explanation", lambda: bool(_refusal(stage, job)))
    explanation = _refusal(stage, job)
    require(not stage.nodes_of(job), "no pod of a refused gang may be bound")
    for tier in ("nvlink", "leaf"):
        require(tier in explanation, f"the explanation must speak of the {tier} tier: {explanation}")
    screen.refused(job, explanation)
    await stage.delete(job)
    screen.done("not one pod was bound, and the reason stands on the PodGroup and on every pod")


async def widen(stage: Stage, screen: Screen) -> None:
    """A soft gang that no row holds is placed over both."""
    job = Job("training-seven", 72, None)
    screen.scene("Soft", f"a gang of {job.pods} pods, {job.rule}: no row has room for it")
    await _run(stage, screen, job)
    rows = places_of(stage.nodes_of(job), r"row\d+")
    require(rows == ["row1", "row2"], f"the soft gang must span both rows, not {rows}")
    screen.placed(job, f"{' and '.join(rows)}: {', '.join(places_of(stage.nodes_of(job)))}")
    await stage.delete(job)
    screen.done("it was widened to the lowest tier that holds it")


async def cut_and_mend(stage: Stage, screen: Screen) -> None:
    """A cut cable flips LinksHealthy, the next gang keeps away, and mending brings the condition back."""
    before = Job("training-eight", 18, RACK)
    screen.scene("A cable is cut", f"where would a gang of 18 pods, {before.rule}, go?")
    await _run(stage, screen, before)
    rack = _hyper_node_of(stage, stage.nodes_of(before)[0])
    screen.placed(before, places_of(stage.nodes_of(before))[0])
    cable = stage.hardware.cable_of(stage.nodes_of(before)[0])
    await stage.delete(before)
    old = stage.hyper_node(rack)
    stage.hardware.cut.add(cable.row)
    screen.note(f"cut: {cable.device} of {cable.node} to port {cable.switch_port} of {cable.switch}")
    await stage.look()
    with screen.waiting("waiting for the controller to see it"):
        await stage.until("LinksHealthy is False", lambda: _is_false(stage.hyper_node(rack), "LinksHealthy"))
        await stage.until("an event about it", lambda: bool(_events(stage, rack)))
    screen.difference(rack, _facts(old), _facts(stage.hyper_node(rack)))
    for event in _events(stage, rack)[-1:]:
        screen.note(f"event: {event}")
    after = Job("training-nine", 18, RACK)
    await _run(stage, screen, after)
    chosen = _hyper_node_of(stage, stage.nodes_of(after)[0])
    require(chosen != rack, f"the next gang must avoid {rack}")
    screen.placed(after, f"{places_of(stage.nodes_of(after))[0]}, not {place_of(cable.node)}")
    stage.hardware.cut.clear()
    screen.note(f"mended: {cable.device} of {cable.node}")
    await stage.look()
    with screen.waiting("waiting for the condition to return"):
        await stage.until("LinksHealthy is True again", lambda: _is_true(stage.hyper_node(rack), "LinksHealthy"))
    require(stage.hyper_node(rack).spec == old.spec, "a cable must change no membership")
    screen.done("the condition followed the cable, the gang kept away, and no membership changed")


async def _run(stage: Stage, screen: Screen, *jobs: Job) -> None:
    await stage.submit(*jobs)
    names = ", ".join(job.name for job in jobs)
    with screen.waiting(f"waiting for {names} to be bound"):
        await stage.until(f"every pod of {names} is bound", lambda: all(stage.is_bound(job) for job in jobs))


def _nodes_by_hyper_node(stage: Stage, tier: int) -> dict[str, list[str]]:
    """By HyperNode of a tier all nodes below it, from the objects in the API."""
    return {
        node.metadata.name: sorted(_nodes_below(stage, node))
        for node in sorted(stage.ours(), key=lambda node: node.metadata.name)
        if node.spec.tier == tier
    }


def _nodes_below(stage: Stage, node: HyperNode) -> list[str]:
    names = [member.selector.exact_match.name for member in node.spec.members if member.selector.exact_match]
    if all(member.type == "Node" for member in node.spec.members):
        return names
    return [below for name in names for below in _nodes_below(stage, stage.hyper_node(name))]


def _hyper_node_of(stage: Stage, node: str) -> str:
    return next(name for name, nodes in _nodes_by_hyper_node(stage, RACK).items() if node in nodes)


def _condition(node: HyperNode, type_: str) -> Condition | None:
    return node.condition(type_)


def _is_true(node: HyperNode, type_: str) -> bool:
    found = _condition(node, type_)
    return found is not None and found.status == "True"


def _is_false(node: HyperNode, type_: str) -> bool:
    found = _condition(node, type_)
    return found is not None and found.status == "False"


def _refusal(stage: Stage, job: Job) -> str:
    group = stage.groups.get(Key(stage.namespace, job.name))
    found = group.condition("Unschedulable") if group else None
    return found.message if found and found.status == "True" else ""


def _events(stage: Stage, name: str) -> list[str]:
    found = [event for event in stage.events.values() if event.involved_object.name == name and event.type == "Warning"]
    return [f"{event.type} {event.reason}: {event.message}" for event in found]


def _facts(node: HyperNode) -> list[str]:
    """What of a HyperNode a cable changes, one line each."""
    conditions = [f"{found.type}: {found.status} ({found.reason}) {found.message}" for found in node.status.conditions]
    return [f"{LINKS}: {node.metadata.annotations.get(LINKS, '-')}", *sorted(conditions)]


SCENES = (discover, fill_racks, fill_rows, widen, cut_and_mend)
