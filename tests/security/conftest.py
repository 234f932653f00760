"""The control plane that knows our accounts, Roles and policies."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.control_plane import ControlPlane, Settings
from tests.cluster.fixtures import require
from tests.cluster.programs import KUBECTL
from tests.security.installed import install


@pytest.fixture(scope="package")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """One that these tests share, so each makes objects under names of its own. Nothing else runs on it."""
    require(*Settings().programs, KUBECTL)
    with ControlPlane(tmp_path_factory.mktemp("guarded"), Settings()) as plane:
        install(plane)
        yield plane
