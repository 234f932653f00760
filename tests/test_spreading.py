"""Files that share a control plane run on one worker."""

from __future__ import annotations

import pytest

from tests.spreading import scope_of


@pytest.mark.parametrize("package", ["chaos", "security"])
def test_every_user_of_a_fixture_of_a_package_is_in_one_scope(request: pytest.FixtureRequest, package: str) -> None:
    names = {"chaos": "weather", "security": "guarded"}
    users = {
        item.nodeid.split("::")[0]
        for item in request.session.items
        if f"tests/{package}/" in item.nodeid and names[package] in getattr(item, "fixturenames", ())
    }
    assert len({scope_of(file) for file in users}) <= 1


def test_other_files_are_scopes_of_their_own() -> None:
    files = ["tests/chaos/test_kills.py", "tests/chaos/test_frozen_leader.py", "tests/contract/test_pods.py"]
    assert [scope_of(file) for file in files] == files
