"""The accounts, Roles and admission policies: as they are written, and as real kubectl renders them."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.architecture.sources import ROOT
from tests.cluster.fixtures import require
from tests.cluster.programs import KUBECTL

BASE = ROOT / "deploy" / "kustomize" / "base"
RBAC, ADMISSION = BASE / "rbac", BASE / "admission"
SYSTEM, NODE = "hyperscout-system", "hyperscout-node"

Json = dict[str, Any]


@cache
def rendered(folder: Path) -> tuple[Json, ...]:
    """All objects of a kustomization, as the pinned kubectl renders them."""
    done = subprocess.run(
        [str(require(KUBECTL)[0]), "kustomize", str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return tuple(yaml.load_all(done.stdout, yaml.CSafeLoader))


@cache
def read(folder: Path) -> tuple[Json, ...]:
    """All objects of the files that a kustomization lists; it has nothing but resources."""
    listed = yaml.safe_load((folder / "kustomization.yaml").read_text())["resources"]
    return tuple(one for name in listed for one in yaml.load_all((folder / name).read_text(), yaml.CSafeLoader))


def accounts_and_roles() -> tuple[Json, ...]:
    """What lies in rbac/."""
    return read(RBAC)


def policies() -> tuple[Json, ...]:
    """What lies in admission/."""
    return read(ADMISSION)


def of_kind(kind: str, found: tuple[Json, ...]) -> list[Json]:
    """Those of one kind."""
    return [one for one in found if one["kind"] == kind]
