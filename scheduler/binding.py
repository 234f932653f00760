"""Bind the pods of one decision, many at a time, each by its UID; say of every pod what became of it.

A binding cannot be undone, so nothing is given up half way: what could not be bound is told, and the next pass places
it on another node of the gang's domain, or waits for its replacement.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import structlog

from kube.client import Client
from kube.errors import ApiError, Conflict, NotFound, Unavailable
from kube.pace import BackOff
from kube.types import PODS
from scheduler.planning import Seat

log = structlog.get_logger(__name__)


class Fate(Enum):
    """What became of a binding."""

    BOUND = "bound"
    GONE = "the pod is gone, or another one has its name"
    REFUSED = "the pod is there and not bound"
    NOT_DONE = "the same, and the server says nothing against the node: it is busy or broken"
    ELSEWHERE = "somebody else bound it to another node"
    OPEN = "nobody knows: we stop, and the server does not answer"


@dataclass(frozen=True, slots=True)
class BindResult:
    """One seat, what became of it, and the server's words when it was not bound."""

    seat: Seat
    fate: Fate
    detail: str = ""


async def bind_all(client: Client, seats: Sequence[Seat], at_once: int, stop: asyncio.Event) -> list[BindResult]:
    """Bind the seats, `at_once` at a time; never raises for what the server answers.

    Once `stop` is set no more bindings are begun; the seats that are left then have no result.
    """
    waiting = iter(seats)

    async def worker() -> list[BindResult]:
        results = []
        while not stop.is_set() and (seat := next(waiting, None)) is not None:
            results.append(await _bind(client, seat, stop))
        return results

    async with asyncio.TaskGroup() as group:
        workers = [group.create_task(worker()) for _ in range(min(at_once, len(seats)))]
    return [result for one in workers for result in one.result()]


async def _bind(client: Client, seat: Seat, stop: asyncio.Event) -> BindResult:
    try:
        await client.bind(seat.pod, seat.node)
    except NotFound as error:
        return BindResult(seat, Fate.GONE, str(error))
    except (Conflict, Unavailable) as error:
        return await _look(client, seat, error, stop)
    except ApiError as error:
        return BindResult(seat, Fate.REFUSED, str(error))
    return BindResult(seat, Fate.BOUND)


async def _look(client: Client, seat: Seat, failure: Conflict | Unavailable, stop: asyncio.Event) -> BindResult:
    """Read the pod after a binding of which one does not know whether it was made, until the server answers."""
    meta, detail = seat.pod.metadata, str(failure)
    pauses = BackOff(longest=10.0)
    while not stop.is_set():
        try:
            pod = await client.get(PODS, meta.name, meta.namespace)
        except NotFound:
            return BindResult(seat, Fate.GONE, detail)
        except ApiError as error:
            log.warning("cannot read a pod after binding it", pod=str(meta.key), error=str(error))
            await asyncio.sleep(pauses.pause())
            continue
        if pod.metadata.uid != meta.uid or pod.metadata.deleting:
            return BindResult(seat, Fate.GONE, detail)
        if not pod.spec.node_name:
            return BindResult(seat, Fate.NOT_DONE if isinstance(failure, Unavailable) else Fate.REFUSED, detail)
        return BindResult(seat, Fate.BOUND if pod.spec.node_name == seat.node else Fate.ELSEWHERE, detail)
    return BindResult(seat, Fate.OPEN, detail)
