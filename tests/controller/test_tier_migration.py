"""Tier numbers that stand are kept; those of the table come only where that is asked for, by a safe way down and up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from controller.conclusion.standing import standing_documents
from controller.decide import Outcome
from controller.settings import ControllerSettings
from tests.controller.carrying import Carried, StoppedError, states
from tests.controller.looking import Looks, as_objects, chains, members
from tests.controller.site import Site
from topology.conclude import Settings as TreeSettings
from topology.documents import Document
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

PODS = Tree(units=(Unit(2, 2),) * 4, wiring="classic", tiers=3, pod_units=2, spines=2, cores=2, aggregation=False)
OLD = {"leaf": 2, "spine": 3, "core": 4}
LOW = {"leaf": 1, "spine": 2, "core": 3}
MIXED, HIGH = {"leaf": 2, "spine": 5, "core": 6}, {"leaf": 7, "spine": 8, "core": 9}


def pods() -> Site:
    return Site(drawing=draw_tree(PODS))


def settings(tiers: Mapping[str, int], *, migrate: bool) -> ControllerSettings:
    return ControllerSettings(tree=TreeSettings(tiers), migrate_tiers=migrate)


def standing(tiers: Mapping[str, int], *, migrate: bool) -> Looks:
    """A site of three levels that stands with the default numbers; a process with another table goes on."""
    looks = Looks(site=pods())
    Carried(looks).restarted(now=0.0).until_settled()
    looks.settings = settings(tiers, migrate=migrate)
    looks.restart(now=0.0)
    return looks


def numbers(outcome: Outcome) -> dict[str, int]:
    return {found.tier_name: found.tier for found in outcome.desired}


def notices(outcome: Outcome) -> list[tuple[str, str]]:
    return [(notice.reason, notice.sentence) for notice in outcome.notices]


@pytest.mark.parametrize("tiers", [LOW, MIXED, HIGH])
def test_another_table_changes_nothing_and_is_told(tiers: dict[str, int]) -> None:
    looks = standing(tiers, migrate=False)
    outcome = looks.look().outcome
    assert outcome is not None
    assert set(outcome.desired) == set(outcome.standing)
    assert numbers(outcome) == OLD
    ((reason, sentence),) = notices(outcome)
    assert reason == "TierTableDiffers"
    differing = [tier for tier in OLD if OLD[tier] != tiers[tier]]
    assert ", ".join(f"{tier} {tiers[tier]}" for tier in differing) in sentence
    assert ", ".join(f"{tier} {OLD[tier]}" for tier in differing) in sentence
    assert "tree.migrateTiers" in sentence


@pytest.mark.parametrize("tiers", [LOW, MIXED, HIGH])
def test_where_it_is_asked_for_the_same_tree_gets_the_new_numbers(tiers: dict[str, int]) -> None:
    looks = standing(tiers, migrate=True)
    first = looks.look().outcome
    assert first is not None
    assert [reason for reason, _ in notices(first)] == ["TierMigration"]
    before = {document.name: document.members for document in first.standing}
    last = Carried(looks).until_settled()
    assert (numbers(last), members(last), notices(last)) == (tiers, before, [])


def test_the_tree_is_taken_down_from_its_root_and_built_from_its_leaves() -> None:
    looks = standing(LOW, migrate=True)
    outcome = looks.look().outcome
    assert outcome is not None
    after_each = states(looks.objects, outcome)
    heights = [max((found.spec.tier for found in objects), default=0) for objects in after_each]
    down = heights.index(0)
    assert heights[: down + 1] == sorted(heights[: down + 1], reverse=True)
    assert heights[down:] == sorted(heights[down:])


@pytest.mark.parametrize("damaged", [False, True])
def test_interrupted_after_any_write_another_process_ends_it(damaged: bool) -> None:
    """Also where a node has lost all its cables meanwhile; and the names are not those that a new tree would get."""
    begun = standing(HIGH if damaged else LOW, migrate=True)
    begun.objects = as_objects([renamed(found) for found in standing_documents(begun.objects)])
    if damaged:
        begun.site.cut.update(begun.site.host_cables(begun.site.nodes[0]))
    begun.site.sweep()
    whole = Carried(replace(begun))
    last = whole.until_settled()
    assert all(name.startswith("old-") for name in members(last))
    assert set(chains(last)) == set(begun.site.nodes)
    for most in range(damaged, whole.writes, 2):  # half of the writes here, half there
        carried = Carried(replace(begun), most)
        with pytest.raises(StoppedError):
            carried.until_settled()
        end = carried.restarted(now=50.0).until_settled(now=51.0)
        assert (members(end), numbers(end)) == (members(last), numbers(last))


def renamed(found: Document) -> Document:
    """Under a name that it got long ago."""
    listed = found.members if found.member_kind == "Node" else tuple(f"old-{child}" for child in found.members)
    return replace(found, name=f"old-{found.name}", members=listed)


def test_the_old_table_counts_again_where_the_question_is_taken_back_before_anything_was_done() -> None:
    looks = standing(LOW, migrate=True)
    looks.look()
    looks.settings = settings(LOW, migrate=False)
    looks.restart(now=0.0)
    outcome = looks.look().outcome
    assert outcome is not None
    assert numbers(outcome) == OLD


def test_a_number_that_somebody_edits_is_put_right_and_no_other_table() -> None:
    looks = Looks()
    tree = looks.sweep_and_write().desired
    root = max(tree, key=lambda found: found.tier)
    looks.objects = as_objects([*(found for found in tree if found is not root), replace(root, tier=9)])
    outcome = looks.write()
    assert set(outcome.desired) == set(tree)
    assert notices(outcome) == []


def test_a_level_that_is_new_gets_a_number_that_fits_those_that_stand() -> None:
    looks = Looks()
    looks.settings = settings({"leaf": 1, "spine": 2, "core": 3}, migrate=False)
    assert numbers(looks.sweep_and_write()) == {"leaf": 1, "spine": 2}
    looks.settings = ControllerSettings()
    looks.restart(now=0.0)
    looks.memory = replace(looks.memory, tiers=None)
    outcome = looks.look().outcome
    assert outcome is not None
    assert numbers(outcome) == {"leaf": 1, "spine": 2}
    assert looks.memory.tiers == {"leaf": 1, "spine": 2, "core": 4, "core2": 5, "core3": 6}
    assert "there is no number left for nvlink" in notices(outcome)[0][1]
