"""Writes on a HyperNode that somebody else writes too: again in its newest version, while what is ours in it stands.

A version that is not the newest is refused, whatever changed. Where it was only what belongs to others, what was
decided on the object as it was read still holds, and a whole look more would find the next version again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from controller.echo import Echoes
from kube.errors import Conflict
from kube.hypernodes import ANNOTATION_DOMAIN
from kube.types import HyperNode

T = TypeVar("T")

ATTEMPTS = 5
PATIENCE = 1.0
"""Seconds to wait for the version that was in the way."""


async def insist(found: HyperNode, echoes: Echoes[HyperNode], write: Callable[[HyperNode], Awaitable[T]]) -> T:
    """Write on the object as it was read, or as it is by then; Conflict where it is another one in what we write."""
    for _ in range(1, ATTEMPTS):
        try:
            return await write(found)
        except Conflict:
            newest = await echoes.newer(found.metadata, PATIENCE)
            if newest is None or _ours(newest) != _ours(found):
                raise
            found = newest
    return await write(found)


def _ours(found: HyperNode) -> tuple[object, ...]:
    annotations = found.metadata.annotations
    own = {key: value for key, value in annotations.items() if key.startswith(ANNOTATION_DOMAIN)}
    return (found.metadata.uid, dict(found.metadata.labels), own, found.spec)
