"""The recordings below fixtures/ are what is drawn here, and say that they are."""

from __future__ import annotations

import pytest

from discovery.recording.layout import EXPECTED
from tests.sites.__main__ import FIXTURES
from tests.sites.stories import STORIES
from tests.sites.story import Story

MOST_BYTES = 2 << 20


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_a_folder_holds_what_is_drawn_and_nothing_else(story: Story) -> None:
    folder = FIXTURES / story.name
    there = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*") if file.is_file()}
    drawn = story.files()
    assert there.keys() - {EXPECTED} == drawn.keys()
    assert [path for path, data in drawn.items() if there[path].read_bytes() != data] == []


def test_all_of_them_are_small() -> None:
    files = [file for story in STORIES for file in (FIXTURES / story.name).rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) < MOST_BYTES
