"""The demo's story as it is told wherever it is played."""

from __future__ import annotations

SCENES = (
    "Discovery: 118 nodes report their ports and NVLink domains, a sweeper reports 12 switches",
    "One rack each: three gangs of 18 pods, hard, highestTierAllowed 1",
    "One row each: two gangs of 54 pods, hard, highestTierAllowed 2",
    "No room: a gang of 18 pods, hard, highestTierAllowed 2, while both rows are full",
    "Soft: a gang of 72 pods, soft: no row has room for it",
    "A cable is cut: where would a gang of 18 pods, hard, highestTierAllowed 1, go?",
)
HELD = (
    "6 racks, 2 rows and their root were found from hardware evidence; 10 nodes stay outside the fabric",
    "each gang sits inside one NVLink rack, all three in different racks",
    "each gang sits inside one row of three racks",
    "not one pod was bound, and the reason stands on the PodGroup and on every pod",
    "it was widened to the lowest tier that holds it",
    "the condition followed the cable, the gang kept away, and no membership changed",
)
PLACES = tuple(f"row{row}-rack0{rack}, 18 nodes" for row in (1, 2) for rack in (1, 2, 3))


def assert_told(printed: str) -> None:
    """All of it was told and held."""
    lines = printed.splitlines()
    assert tuple(line for line in lines if line in SCENES) == SCENES
    assert tuple(line.removeprefix("  ok ") for line in lines if line.startswith("  ok ")) == HELD
    assert tuple(sorted(line.rpartition("  ")[2] for line in lines if "(tier 1)  row" in line)) == PLACES
    assert "The whole story held" in printed
