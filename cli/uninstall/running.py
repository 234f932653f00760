"""The order of the removal, and what is said of each step: what runs first, or it would put everything back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from cli.ending import LACKING, REFUSED, CommandError
from cli.leaders import find_leaders_elsewhere
from cli.progress import phase
from cli.uninstall.hyper_nodes import SELECTOR, count_ours, find_parents, remove_all
from cli.uninstall.places import REPORTS, Places, needs
from cli.uninstall.removing import Part, counted, evidence, node_marks, records
from cli.uninstall.workloads import Running, find_pods, find_running, wait_until_stopped
from kube.access import missing_rights
from kube.client import Client
from kube.errors import ApiError, Forbidden
from kube.resources import HYPER_NODES, POD_GROUPS

_NAMED = 3

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked for."""

    places: Places
    purge: bool
    dry_run: bool
    seconds: float
    """To wait at most for what runs to end."""


async def uninstall(client: Client, order: Order, tell: Tell) -> None:
    """Remove what is ours, step by step; CommandError where something stays that should be gone."""
    await _check_rights(client, order)
    running = await _stop(client, order, tell)
    failures = await _remove([await node_marks(client)], client, order, tell)
    failures += await _remove(await evidence(client), client, order, tell)
    failures += await _remove(await records(client, order.places), client, order, tell)
    failures += await _hyper_nodes(client, order, tell)
    await _tell_what_remains(client, order, tell)
    if running:
        tell(
            "remains: what manifests brought (accounts, roles, policies); "
            "helm uninstall, or kubectl delete -k deploy/kustomize/base, never an overlay: it has the definitions in it"
        )
    if failures:
        more = f" and {len(failures) - _NAMED} more" if len(failures) > _NAMED else ""
        raise CommandError(
            f"{counted(len(failures), 'thing')} could not be removed: {'; '.join(failures[:_NAMED])}{more}; "
            "run it again, it goes on where it stopped",
            REFUSED,
        )


async def _check_rights(client: Client, order: Order) -> None:
    missing = await missing_rights(client, needs(order.places, purge=order.purge, dry_run=order.dry_run))
    if missing:
        first = ", ".join(str(right) for right in missing[:5])
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise CommandError(f"not allowed: {first}{more}; nothing was changed: ask as an account that may", LACKING)


async def _stop(client: Client, order: Order, tell: Tell) -> list[Running]:
    """What was found running."""
    await _tell_of_others(client, order, tell)
    running = await find_running(client, order.places)
    if not running:
        pods = await find_pods(client, order.places, running)
        where = f"in {' or '.join(order.places.namespaces)}"
        tell(f"{counted(len(pods), 'Pod')} left {where}" if pods else f"nothing of hyperscout runs {where}")
    for one in running:
        tell(("would " if order.dry_run else "") + one.stop_sentence)
        if not order.dry_run:
            await one.stop(client)
    if not order.dry_run:
        with phase("waiting until no pod and no leader is left"):
            await wait_until_stopped(client, order.places, running, order.seconds)
    return running


async def _tell_of_others(client: Client, order: Order, tell: Tell) -> None:
    """They are not waited for: nobody knows what runs them. Where we may not look, nothing is said."""
    with suppress(Forbidden):
        for one in await find_leaders_elsewhere(client, order.places.namespaces, datetime.now(UTC)):
            what = f"{one.spec.holder_identity} leads by the Lease {one.metadata.key}"
            tell(f"{what} and is not stopped: stop it, or it puts back what is removed")


async def _remove(parts: Sequence[Part], client: Client, order: Order, tell: Tell) -> list[str]:
    failures: list[str] = []
    for part in parts:
        if not part.removals:
            continue
        sentence = f"{part.verb} {part.what}"
        if order.dry_run:
            tell(f"would {sentence}")
            continue
        with phase(sentence):
            stayed = await part.remove(client)
        tell(f"{sentence}: {f'{len(stayed):,} stayed' if stayed else 'done'}")
        failures += stayed
    return failures


async def _hyper_nodes(client: Client, order: Order, tell: Tell) -> list[str]:
    """Only with --purge."""
    if not order.purge:
        return []
    for parent, children in (await find_parents(client)).items():
        tell(f"HyperNode {parent} of others lists {', '.join(children)}, which goes: take it out of there")
    if order.dry_run:
        tell(f"would delete {counted(await count_ours(client), 'HyperNode')}")
        return []
    try:
        with phase("delete HyperNodes"):
            tell(f"delete {counted(await remove_all(client), 'HyperNode')}: done")
    except ApiError as error:
        return [str(error)]
    return []


async def _tell_what_remains(client: Client, order: Order, tell: Tell) -> None:
    left = await count_ours(client)
    if left and not (order.dry_run and order.purge):
        tell(f"remains: {counted(left, 'HyperNode')}; --purge removes them, or kubectl delete hypernodes -l {SELECTOR}")
    ours = [f"{kind.plural}.{kind.group}" for kind in REPORTS if await client.serves(kind)]
    if ours:
        tell(f"remains: CustomResourceDefinitions; kubectl delete crd {' '.join(ours)}")
    shared = [f"{kind.plural}.{kind.group}" for kind in (HYPER_NODES, POD_GROUPS) if await client.serves(kind)]
    if shared:
        tell(f"remains: {' and '.join(shared)}, which Volcano uses too: with a definition all objects of its kind go")
