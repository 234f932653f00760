"""The tier numbers that are used: those that stand, or those of the settings if nothing stands or that is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from controller.conclusion.standing import ADOPTED_AS
from controller.notices import Notice
from controller.settings import ControllerSettings
from topology.documents import Document
from topology.hierarchy import has_number, tier_number
from topology.tiers import describe_tiers, settle_tiers, standing_numbers

DIFFER, MIGRATION = "TierTableDiffers", "TierMigration"


@dataclass(frozen=True, slots=True)
class SettledTiers:
    """`settings` have the numbers that are used, `tiers` are to be kept in mind."""

    tiers: Mapping[str, int]
    settings: ControllerSettings
    notices: tuple[Notice, ...] = ()


def settle(last: Mapping[str, int] | None, standing: Sequence[Document], settings: ControllerSettings) -> SettledTiers:
    """The numbers for this look. Once settled (`last`), an edit of what stands changes them no more."""
    wanted = settings.tree.tiers
    own = [found for found in standing if ADOPTED_AS not in dict(found.annotations)]
    present = standing_numbers([(found.tier_name, found.tier) for found in own], wanted)
    if settings.migrate_tiers:
        return SettledTiers(wanted, settings, tuple(_migration(present, wanted, own)))
    tiers = last if last is not None else settle_tiers(wanted, present)
    nvlink = settings.tree.nvlink_tier if "nvlink" in tiers else None
    tree = replace(settings.tree, tiers=tiers, nvlink_tier=nvlink)
    return SettledTiers(tiers, replace(settings, tree=tree), tuple(_differences(tiers, wanted, own)))


def _differences(tiers: Mapping[str, int], wanted: Mapping[str, int], own: Sequence[Document]) -> list[Notice]:
    names = [name for name in {**tiers, **wanted} if tiers.get(name) != wanted.get(name)]
    if not names or not own:
        return []
    none = "; there is no number left for nvlink" if "nvlink" in wanted and "nvlink" not in tiers else ""
    sentence = (
        f"the tier table says {describe_tiers(wanted, names)}, but HyperNodes stand with "
        f"{describe_tiers(tiers, names)} and keep these numbers{none}; set tree.migrateTiers to true to change "
        "them all, or tree.tiers to what stands"
    )
    return [Notice(DIFFER, _top(own), sentence)]


def _migration(present: Mapping[str, int], wanted: Mapping[str, int], own: Sequence[Document]) -> list[Notice]:
    names = [name for name in present if not has_number(wanted, name) or tier_number(wanted, name) != present[name]]
    if not names:
        return []
    sentence = (
        f"tiers change as asked for: {describe_tiers(present, names)} become {describe_tiers(wanted, names)}; the tree "
        "is taken down from its root and built again from its leaves"
    )
    return [Notice(MIGRATION, _top(own), sentence)]


def _top(own: Sequence[Document]) -> str:
    return min(own, key=lambda found: (-found.tier, found.name)).name
