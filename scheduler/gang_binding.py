"""From a decision to bound pods: assume, look once more at the PodGroup, bind, and take stock of what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import structlog

from kube.client import Client
from kube.errors import ApiError, NotFound
from kube.types import POD_GROUPS, Node, Pod
from scheduler.binding import BindResult, Fate, bind_all
from scheduler.gangs import is_live
from scheduler.groups import GroupKey, GroupKind, Wishes, wishes_of_pod_group
from scheduler.holdings import Holdings
from scheduler.planning import Decision, Seat
from scheduler.roster import Roster
from scheduler.settings import SchedulerSettings
from scheduler.states import GroupState
from scheduler.wake import Wake

log = structlog.get_logger(__name__)

_IS_NO_CHANCE, _SHARE_FOR_DOUBT = 3, 6
"""So often in a row the server may fail to bind to a node before the gang tries others; for a sixth of the time for
which it keeps away from one that was refused."""


@dataclass(frozen=True, slots=True)
class GangBinding:
    """Binds gangs, each in a task of its own beside the passes."""

    client: Client
    settings: SchedulerSettings
    roster: Roster
    holdings: Holdings
    nodes: Mapping[str, Node]
    """Those that exist, as last seen."""
    wake: Wake

    def holds(self, decision: Decision) -> bool:
        """Whether every pod of the decision still waits and every node is there: the cluster goes on meanwhile."""
        waiting = all(self.still_waits(seat.pod) is not None for seat in decision.seats)
        return waiting and self._nodes_stand(decision)

    def _nodes_stand(self, decision: Decision) -> bool:
        found = [self.nodes.get(node) for node in {seat.node for seat in decision.seats}]
        return all(node is not None and not node.metadata.deleting for node in found)

    def still_waits(self, pod: Pod) -> Pod | None:
        """The pod as last seen; None when it is gone, ending, bound or assumed to be."""
        current = self.roster.current(pod)
        if current is None or not is_live(current) or current.spec.node_name:
            return None
        return None if current.metadata.uid in self.holdings.assumed else current

    def assume(self, decision: Decision, state: GroupState) -> None:
        """Take the places at once, so that the next pass sees them taken."""
        state.busy = True
        for seat in decision.seats:
            self.holdings.assume(seat.pod, seat.node)

    async def bind(self, decision: Decision, wishes: Wishes, state: GroupState, stop: asyncio.Event) -> None:
        """Bind all seats of an assumed decision; whatever was not bound gives its place back."""
        key = decision.candidate.key
        open_seats = {seat.pod.metadata.uid for seat in decision.seats}
        try:
            if await self._unchanged(key, wishes, state) and self._nodes_stand(decision):
                results = await bind_all(self.client, decision.seats, self.settings.binds_at_once, stop)
                kept = (Fate.BOUND, Fate.OPEN)
                open_seats -= {one.seat.pod.metadata.uid for one in results if one.fate in kept}
                self._settle(key, state, results)
        finally:
            for uid in open_seats:
                self.holdings.refute(uid)
            self._look_again(decision.seats)
            state.busy = False
            self.roster.touched.add(key)
            self.wake.up()

    async def _unchanged(self, key: GroupKey, wishes: Wishes, state: GroupState) -> bool:
        """Read the PodGroup just before the first binding: whether it still asks for what was decided."""
        if key.kind is not GroupKind.POD_GROUP:
            return True
        try:
            group = await self.client.get(POD_GROUPS, key.name, key.namespace)
        except NotFound:
            return False
        except ApiError as error:
            log.warning("cannot read a PodGroup before binding", group=str(key), error=str(error))
            state.not_before = asyncio.get_running_loop().time() + state.pauses.pause()
            state.failure = str(error)
            return False
        return not group.metadata.deleting and wishes_of_pod_group(group) == wishes

    def _settle(self, key: GroupKey, state: GroupState, results: list[BindResult]) -> None:
        now = asyncio.get_running_loop().time()
        bound = [one for one in results if one.fate is Fate.BOUND]
        failed = [one for one in results if one.fate in (Fate.REFUSED, Fate.NOT_DONE)]
        state.fresh = state.fresh or bool(bound)
        for result in bound:
            state.not_done.pop(result.seat.node, None)
        for result in failed:
            self._blame(state, result, now)
        lost = len(results) - len(bound)
        if lost:
            state.not_before = now + state.pauses.pause()
        else:
            state.pauses.reset()
        state.failure = failed[0].detail if failed else ""
        log.info("bound", group=str(key), pods=len(bound), not_bound=lost, why=failed[0].detail if failed else "")

    def _blame(self, state: GroupState, result: BindResult, now: float) -> None:
        """A refusal is the node's; that the server is busy or broken is not, unless it always is for that node."""
        node = result.seat.node
        if result.fate is Fate.REFUSED:
            state.avoid[node] = now + self.settings.avoid_node
            return
        state.not_done[node] = state.not_done.get(node, 0) + 1
        if state.not_done[node] >= _IS_NO_CHANCE:
            state.avoid[node] = now + self.settings.avoid_node / _SHARE_FOR_DOUBT

    def _look_again(self, seats: tuple[Seat, ...]) -> None:
        """What the watch showed while the places were assumed counts again."""
        for seat in seats:
            current = self.roster.current(seat.pod)
            if current is not None:
                self.holdings.see(current)
