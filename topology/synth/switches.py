"""Blocks of switches of one level on one plane: their identities, boxes and the names an operator gives them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discovery.scan import NodeKind
from topology.synth.draft import CORE, DIRECTOR, LEAF, SPINE, Block, Draft, Indices
from topology.synth.layout import Layout
from topology.synth.spec import Tree

DIRECTOR_MODEL = "CS8500"


@dataclass(frozen=True, slots=True, eq=False)
class _Rank:
    """Like switches: `group` is the unit, pod or core group they belong to, `slot` tells those of one rail apart."""

    role: int
    level: int
    word: str
    group: Indices
    rail: Indices
    slot: Indices

    def titles(self) -> list[str]:
        """Names such as leaf-003-2 and spine-1-5-08: group, rail where there is one, slot where there are several."""
        several = bool(self.slot.any())
        rows = zip(self.group.tolist(), self.rail.tolist(), self.slot.tolist(), strict=True)
        return [
            f"{self.word}-{group + 1:03d}{f'-{rail + 1}' if rail >= 0 else ''}{f'-{slot + 1:02d}' if several else ''}"
            for group, rail, slot in rows
        ]

    def boards(self) -> list[str]:
        """Names such as L07 and S12: the boards of a director, which has a single group of spines."""
        numbers = self.group if self.role == LEAF else self.slot
        return [f"{self.word[0].upper()}{number + 1:02d}" for number in numbers.tolist()]


@dataclass(frozen=True, slots=True, eq=False)
class PlaneSwitches:
    """Node indices of the switches of one plane. Spines have the shape (pods, groups, spines)."""

    leaves: Indices
    spines: Indices
    cores: Indices
    """Shape (core groups, spines, cores): those at one position join the spines of that position."""

    def all(self) -> Indices:
        return np.concatenate([self.leaves, self.spines.ravel(), self.cores.ravel()])


def add_switches(draft: Draft, spec: Tree, layout: Layout, plane: int) -> PlaneSwitches:
    """Add the leaves, spines and cores of one plane, not yet cabled."""
    pods = layout.pods if spec.tiers > 1 else 0
    core_groups = (layout.groups if spec.wiring == "rail-only" else 1) if spec.tiers == 3 else 0
    spine = _grid(pods, layout.groups, spec.spines)
    core = _grid(core_groups, spec.spines, spec.cores)
    by_rail, core_by_rail = layout.groups > 1, core_groups > 1
    none = np.full(len(core[0]), -1, np.int32)
    leaves = _Rank(LEAF, 0, "leaf", layout.leaf_unit, layout.leaf_rail, np.zeros_like(layout.leaf_unit))
    spines = _Rank(SPINE, 1, "spine", spine[0], spine[1] if by_rail else np.full_like(spine[1], -1), spine[2])
    cores = _Rank(CORE, 2, "core", core[0], core[0] if core_by_rail else none, core[1] * spec.cores + core[2])
    return PlaneSwitches(
        leaves=_add_rank(draft, spec, leaves, plane, pod=layout.pods_of(layout.leaf_unit), unit=layout.leaf_unit),
        spines=_add_rank(draft, spec, spines, plane, pod=spine[0]).reshape(pods, layout.groups, spec.spines),
        cores=_add_rank(draft, spec, cores, plane).reshape(core_groups, spec.spines, spec.cores),
    )


def describe(spec: Tree, title: str, plane: int) -> str:
    """A description in the form of managed switches, `MF0;<name>:<model>/U<asic>`."""
    if spec.box == "planes":
        return f"MF0;{spec.name}-{title}:{spec.hardware.model}/U{plane + 1}"
    suffix = f"-p{plane + 1}" if spec.planes > 1 else ""
    return f"MF0;{spec.name}-{title}{suffix}:{spec.hardware.model}/U1"


def _add_rank(
    draft: Draft, spec: Tree, rank: _Rank, plane: int, *, pod: Indices | int = -1, unit: Indices | int = -1
) -> Indices:
    if spec.box == "director":
        texts = [f"MF0;{spec.name}:{DIRECTOR_MODEL}/{board}/U1" for board in rank.boards()]
    else:
        texts = [describe(spec, title, plane) for title in rank.titles()]
    block = Block(
        NodeKind.SWITCH,
        spec.hardware.switch_device,
        spec.hardware.ports,
        texts,
        guid=_identify(draft, rank, plane),
        system_guid=_boxes(draft, spec, rank),
        level=rank.level,
        pod=pod,
        unit=unit,
        rail=rank.rail,
        plane=plane,
    )
    return draft.add(block)


def _boxes(draft: Draft, spec: Tree, rank: _Rank) -> NDArray[np.uint64] | None:
    if spec.box == "planes":
        return _identify(draft, rank, 0)
    if spec.box == "director":
        return np.repeat(draft.identify(DIRECTOR, unit=0, rail=0, slot=0), len(rank.group))
    return None


def _identify(draft: Draft, rank: _Rank, plane: int) -> NDArray[np.uint64]:
    return draft.identify(rank.role, unit=rank.group, rail=np.maximum(rank.rail, 0), slot=rank.slot, plane=plane)


def _grid(*sizes: int) -> list[Indices]:
    """The index columns of an array of these sizes, last index fastest."""
    return [axis.ravel().astype(np.int32) for axis in np.indices(sizes)]
