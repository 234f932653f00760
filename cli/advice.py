"""What to do about kinds that a cluster does not know: the same words wherever it is found."""

from __future__ import annotations

from collections.abc import Iterable

CHART = "helm upgrade --install hyperscout-crds deploy/helm/hyperscout-crds"
"""Brings them; what was applied by hand it takes over with --take-ownership."""


def bring_kinds(names: Iterable[str]) -> str:
    """How the definitions of these names (`nodereports.hyperscout.io`) are brought: the chart first."""
    files = " ".join(f"-f crds/{group}_{plural}.yaml" for plural, _, group in (name.partition(".") for name in names))
    return f"{CHART}, or without Helm kubectl apply --server-side {files}"
