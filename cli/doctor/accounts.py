"""What the account of each process may do, and whether the admission policies that hold it are there."""

from __future__ import annotations

from collections.abc import Iterator

from cli.doctor.finding import Finding, fine, named, unknown, wrong
from cli.doctor.kinds import ACCOUNTS, BINDINGS, POLICIES
from cli.processes.controller import needs as controller_needs
from cli.processes.scheduler import needs as scheduler_needs
from cli.processes.sweeper import needs as sweeper_needs
from cli.uninstall.places import PREFIX, Places
from cli.uninstall.places import needs as uninstall_needs
from kube.access import Account, Right, missing_rights, rights
from kube.client import Client
from kube.errors import Forbidden
from kube.requests import Selection
from kube.resources import NODE_REPORTS

EXPECTED = (
    "agents",
    "hypernodes",
    "journal",
    "leases",
    "nodereports",
    "nodes",
    "podgroups",
    "pods",
    "sweepers",
    "uninstall",
)
"""The admission policies that the manifests bring, without the prefix of their names."""


async def look_at_accounts(client: Client, places: Places) -> list[Finding]:
    """A finding for each account that is there."""
    names = [
        (namespace, found.metadata.name)
        for namespace in places.namespaces
        for found in (await client.list(ACCOUNTS, Selection(namespace))).items
        if found.metadata.name.startswith(PREFIX)
    ]
    if not names:
        where = " or ".join(places.namespaces)
        what = f"no ServiceAccount {PREFIX}* is in {where}: hyperscout is installed elsewhere, or not"
        return [unknown("accounts", what, "say where by --namespace and --node-namespace, or install it")]
    return [await _look(client, Account(namespace, name), places) for namespace, name in names]


async def _look(client: Client, account: Account, places: Places) -> Finding:
    name = f"{account.namespace}/{account.name}"
    wanted = list(_needs(account.name.removeprefix(PREFIX), places))
    try:
        missing = await missing_rights(client, wanted, account)
    except Forbidden:
        what = f"what {name} may do is not for us to ask"
        return unknown("accounts", what, "ask as somebody who may create subjectaccessreviews")
    if not wanted:
        what = f"{name} is an account of no process that is known"
        return unknown("accounts", what, "delete it if no pod runs with it, or ask with the version that brought it")
    if missing:
        lacking = named([str(right) for right in missing])
        return wrong("accounts", f"{name} may not {lacking}", "apply deploy/kustomize/base/rbac again")
    return fine("accounts", f"{name} has its {len(wanted)} rights")


def _needs(process: str, places: Places) -> Iterator[Right]:
    kind, _, name = process.partition("-")
    match kind:
        case "controller":
            yield from controller_needs(places.system).rights
        case "scheduler":
            yield from scheduler_needs(places.system).rights
        case "sweeper":
            yield from sweeper_needs(places.nodes, name).rights
        case "agent":
            yield from rights("get create patch", NODE_REPORTS)
        case "uninstall":
            yield from uninstall_needs(places, purge=False)


async def look_at_policies(client: Client) -> list[Finding]:
    """One finding: without the policies, an agent's token could write another node's report."""
    if not await client.serves(POLICIES):
        what = "this cluster serves no ValidatingAdmissionPolicy v1: agents are not held to their node"
        advice = "upgrade it to Kubernetes 1.30 or newer, or let its API server serve admissionregistration.k8s.io/v1"
        return [wrong("policies", what, advice)]
    policies = {one.metadata.name for one in (await client.list(POLICIES)).items}
    bound = {one.metadata.name for one in (await client.list(BINDINGS)).items}
    missing = [PREFIX + name for name in EXPECTED if PREFIX + name not in policies & bound]
    if missing:
        advice = "apply deploy/kustomize/base/admission, or nothing holds the tokens of nodes to what they may say"
        return [wrong("policies", f"missing or not bound: {named(missing)}", advice)]
    return [fine("policies", f"all {len(EXPECTED)} admission policies are there and bound")]
