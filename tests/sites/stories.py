"""All stories."""

from __future__ import annotations

from tests.sites import calm, ethernet, moving, racks
from tests.sites.story import Story

STORIES: tuple[Story, ...] = (*calm.stories(), *moving.stories(), *ethernet.stories(), *racks.stories())
