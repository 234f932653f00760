"""Leadership among replicas: a Lease that one of them holds, renewed from a thread of its own.

The thread has an event loop and a client of its own, so that nothing that the process does can keep it from renewing.
Nobody trusts another's clock: a Lease is over when it has not changed for its duration as seen from here. The leader's
own term ends earlier, at the renew deadline, and counts from before the renewing request was sent (`kube.tenure`).
Source of the record: `coordination/v1/types.go`.
"""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

import structlog

from kube.client import Client
from kube.connection import Connection
from kube.errors import AlreadyExists, ApiError, Conflict, NotFound
from kube.meta import Body
from kube.pace import Limits
from kube.resources import LEASES
from kube.tenure import Tenure, steady

log = structlog.get_logger(__name__)

Seen = tuple[str, str, int]
"""Holder, time of renewal and number of transitions of a Lease."""


@dataclass(frozen=True, slots=True)
class LeaseTimes:
    """Seconds. The retry period is well below the renew deadline, and this below the duration."""

    duration: float = 15.0
    """After so long without a renewal others may take it."""
    renew_deadline: float = 10.0
    """After so long without a renewal the leader itself stops writing."""
    retry_period: float = 2.0
    """Between two renewals, or two looks at another's Lease."""


@dataclass(frozen=True, slots=True)
class Candidacy:
    """Which Lease, and under what name it is held."""

    namespace: str
    name: str
    identity: str
    """One a process: a name that another process could have too would make two leaders."""
    times: LeaseTimes = field(default_factory=LeaseTimes)


class NoNamespace(NotFound):
    """404 of a Lease that was to be made: Leases are of every cluster, so it is the namespace that is missing."""

    advice = "create the namespace, or give -n (cluster.namespace)"


@dataclass(slots=True)
class Claim:
    """The requests of one candidate."""

    client: Client
    candidacy: Candidacy
    clock: Callable[[], float] = steady
    seen: Seen = ("", "", 0)
    seen_at: float = 0.0

    async def attempt(self) -> bool:
        """Renew the Lease, or take it where it is free or over. True: it is ours; ApiError: nobody knows."""
        wanted = self.candidacy
        try:
            document = await self.client.get_document(LEASES, wanted.name, wanted.namespace)
        except NotFound:
            return await self._create()
        spec = dict(document.get("spec") or {})
        holder = spec.get("holderIdentity") or ""
        if holder not in ("", wanted.identity) and not self._is_over(holder, spec):
            return False
        taken = holder != wanted.identity
        spec |= self._held(taken, int(spec.get("leaseTransitions") or 0))
        try:
            await self.client.replace(LEASES, {**document, "spec": spec})
        except (Conflict, NotFound):
            return False  # somebody was faster
        return True

    async def release(self) -> None:
        """Let go of the Lease if it is ours, so that the next leader need not wait."""
        wanted = self.candidacy
        document = await self.client.get_document(LEASES, wanted.name, wanted.namespace)
        spec = dict(document.get("spec") or {})
        if spec.get("holderIdentity") == wanted.identity:
            spec |= {"holderIdentity": "", "leaseDurationSeconds": 1, "renewTime": _micro_time()}
            await self.client.replace(LEASES, {**document, "spec": spec})

    async def _create(self) -> bool:
        namespace = self.candidacy.namespace
        metadata = {"name": self.candidacy.name, "namespace": namespace}
        try:
            await self.client.create(LEASES, {"metadata": metadata, "spec": self._held(True, -1)})
        except AlreadyExists:
            return False
        except NotFound as error:
            raise NoNamespace(error.verb, error.target, error.message, error.code) from error
        return True

    def _held(self, taken: bool, transitions: int) -> Body:
        now = _micro_time()
        held: Body = {
            "holderIdentity": self.candidacy.identity,
            "leaseDurationSeconds": math.ceil(self.candidacy.times.duration),
            "renewTime": now,
        }
        return held | {"acquireTime": now, "leaseTransitions": transitions + 1} if taken else held

    def _is_over(self, holder: str, spec: Body) -> bool:
        """Whether the holder has let it stand unchanged for its duration while we looked."""
        now = self.clock()
        found = (holder, str(spec.get("renewTime") or ""), int(spec.get("leaseTransitions") or 0))
        if found != self.seen:
            self.seen, self.seen_at = found, now
        return now - self.seen_at >= float(spec.get("leaseDurationSeconds") or self.candidacy.times.duration)


def _micro_time() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Election:
    """The thread that stands for the Lease and renews it; what it achieves is written into a `Tenure`."""

    def __init__(self, connection: Connection, candidacy: Candidacy, tenure: Tenure) -> None:
        self._connection = connection
        self._candidacy = candidacy
        self._tenure = tenure
        self._thread = threading.Thread(target=self._run, name=f"lease {candidacy.name}", daemon=True)
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended: asyncio.Event | None = None
        self._releases = False
        self._said = 0
        """The term that was logged last."""
        self._held = False
        """Whether it ever was ours."""
        self._trouble = "nobody has looked at the Lease yet"
        self._looked: float | None = None
        """When it was last ours, or seen to be another's."""

    @property
    def alive(self) -> bool:
        """Whether the thread is at work."""
        return self._thread.is_alive()

    def unseen(self) -> str:
        """Why nobody knows who holds the Lease; nothing where we do, or saw another hold it a short while ago."""
        looked = self._looked
        if looked is not None and steady() - looked < self._candidacy.times.duration:
            return ""
        return self._trouble

    def start(self) -> None:
        """Begin to stand for it."""
        self._thread.start()
        self._ready.wait()

    def stop(self, seconds: float, *, release: bool) -> None:
        """Stop renewing and wait for the thread, but no longer than that. Without a release the Lease runs out."""
        self._releases = release
        loop, ended = self._loop, self._ended
        if loop is not None and ended is not None:
            with suppress(RuntimeError):  # the loop has ended by itself
                loop.call_soon_threadsafe(ended.set)
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            asyncio.run(self._stand())
        except Exception:
            log.exception("the election has ended")
        finally:
            self._tenure.lost()
            self._ready.set()

    async def _stand(self) -> None:
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        self._ready.set()
        times = self._candidacy.times
        async with Client(self._connection, Limits(timeout=times.renew_deadline / 2, attempts=1)) as client:
            claim = Claim(client, self._candidacy)
            while not self._ended.is_set():
                await self._once(claim)
                with suppress(TimeoutError):
                    async with asyncio.timeout(times.retry_period):
                        await self._ended.wait()
            if self._releases and self._held:
                await self._release(claim)

    async def _once(self, claim: Claim) -> None:
        asked = claim.clock()
        try:
            ours = await claim.attempt()
        except ApiError as error:
            self._trouble = f"nobody knows who holds the Lease: {error}"
            log.warning("cannot renew the Lease", lease=self._candidacy.name, error=str(error))
        else:
            self._looked = steady()
            self._held = self._held or ours
            if ours:
                self._tenure.renewed(asked)
            else:
                self._tenure.lost()
        self._say(self._tenure.term)

    def _say(self, term: int) -> None:
        if term != self._said:
            log.info("leading" if term else "not leading", lease=self._candidacy.name, term=term or self._said)
        self._said = term

    async def _release(self, claim: Claim) -> None:
        self._tenure.lost()
        try:
            await claim.release()
        except NotFound:
            return  # somebody deleted it: there is nothing to let go of
        except ApiError as error:
            log.warning("cannot release the Lease", lease=self._candidacy.name, error=str(error))
        else:
            log.info("released the Lease", lease=self._candidacy.name)
