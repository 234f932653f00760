"""A site's own kustomization, as an operator writes one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.deploy.rendering import DEPLOY


@pytest.fixture
def site(tmp_path: Path) -> Callable[..., Path]:
    """Makes a folder that takes the base and the components that are named."""

    def make(*components: str) -> Path:
        folder = tmp_path / "here" / "site"
        folder.mkdir(parents=True)
        (tmp_path / "deploy").symlink_to(DEPLOY)
        base = "../../deploy/kustomize"
        document = {
            "resources": [f"{base}/base"],
            "components": [f"{base}/components/{name}" for name in components],
        }
        (folder / "kustomization.yaml").write_text(yaml.safe_dump(document))
        return folder

    return make
