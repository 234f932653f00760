"""The label `nvidia.com/gpu.clique` that NVIDIA's feature discovery (or its DRA driver) gives a Node. Pure.

Its value is `<cluster uuid>.<clique>`. A label that is not there says nothing: it goes while the driver restarts, while
a GPU registers, and where the GPUs of the node disagree.
"""

from __future__ import annotations

import re

CLIQUE_LABEL = "nvidia.com/gpu.clique"
_DOMAIN = re.compile(r"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\.([0-9]{1,10})")
MAX_CLIQUE = 0xFFFF_FFFF


def parse_clique_label(value: str) -> tuple[str, int] | None:
    """Cluster UUID in lower case (all zero: in no domain) and clique; None for anything else."""
    found = _DOMAIN.fullmatch(value)
    clique = int(found[2]) if found else MAX_CLIQUE + 1
    return (found[1].lower(), clique) if found and clique <= MAX_CLIQUE else None
