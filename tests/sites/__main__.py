"""Writes the folders below `fixtures/` anew; expected results stay as they are."""

from __future__ import annotations

import shutil
from pathlib import Path

from discovery.recording.layout import is_moment
from tests.sites.stories import STORIES

FIXTURES = Path(__file__).parents[2] / "fixtures"


def main() -> None:
    """All of them."""
    for story in STORIES:
        folder = FIXTURES / story.name
        folder.mkdir(exist_ok=True)
        for moment in [found for found in folder.iterdir() if is_moment(found.name)]:
            shutil.rmtree(moment)
        for path, data in story.files().items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)


if __name__ == "__main__":
    main()
