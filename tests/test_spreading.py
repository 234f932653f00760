"""Files that share a control plane run on one worker."""

from __future__ import annotations

import re

import pytest

from tests.architecture.sources import ROOT, relative
from tests.spreading import scope_of


@pytest.mark.parametrize(("package", "name"), [("chaos", "weather"), ("security", "guarded")])
def test_every_file_that_uses_a_fixture_of_a_package_is_in_one_scope(package: str, name: str) -> None:
    files = sorted((ROOT / "tests" / package).glob("test_*.py"))
    users = [relative(path) for path in files if re.search(rf"\b{name}\b", path.read_text())]
    assert len(users) > 1
    assert len({scope_of(file) for file in users}) == 1


def test_other_files_are_scopes_of_their_own() -> None:
    files = ["tests/chaos/test_kills.py", "tests/chaos/test_frozen_leader.py", "tests/contract/test_pods.py"]
    assert [scope_of(file) for file in files] == files
