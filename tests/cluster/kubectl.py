"""Find kubectl, or build it once from the pinned Go module beside this file.

Looked for in this order: the folder that KUBEBUILDER_ASSETS names, the cache (keyed on the version), PATH. With CI=true
a missing one is built (about 100 s on two cores); otherwise `python -m tests.cluster.kubectl` builds it.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from tests.cluster.go import build, cache_root, say

MODULE = Path(__file__).parent / "kubernetes"
HOW_TO_GET_IT = (
    "needs kubectl: put it on PATH, name its folder in KUBEBUILDER_ASSETS, "
    "or build it once with `python -m tests.cluster.kubectl`"
)


def find_kubectl() -> Path | None:
    """A kubectl that is there already, or None."""
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    candidates = [Path(assets) / "kubectl"] if assets else []
    for candidate in (*candidates, _cached()):
        if os.access(candidate, os.X_OK):
            return candidate
    on_path = shutil.which("kubectl")
    return Path(on_path) if on_path else None


def build_kubectl() -> Path:
    """Build kubectl into the cache and answer its path. Raises RuntimeError where that fails."""
    target = _cached()
    say(f"building kubectl {kubernetes_version()}: about 100 s the first time")
    stamp = f"-s -w -X k8s.io/component-base/version.gitVersion={kubernetes_version()}"
    build(MODULE, "k8s.io/kubernetes/cmd/kubectl", target, stamp)
    return target


def kubernetes_version() -> str:
    """The pinned version, from the module file: v1.37.2."""
    found = re.search(r"k8s\.io/kubernetes (v\S+)", (MODULE / "go.mod").read_text())
    if found is None:
        raise RuntimeError(f"{MODULE / 'go.mod'} requires no k8s.io/kubernetes")
    return found[1]


def _cached() -> Path:
    return cache_root() / "tools" / f"kubernetes-{kubernetes_version()}" / "kubectl"


if __name__ == "__main__":
    say(str(find_kubectl() or build_kubectl()))
