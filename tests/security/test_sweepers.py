"""What a sweeper's token may do on a real API server: keep the reports that carry its own name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from tests.cluster.control_plane import ControlPlane
from tests.contract.api import Api, Json
from tests.security.asking import (
    HYPER_NODES,
    NODE_REPORTS,
    NODES,
    SWEEP_REPORTS,
    SWITCH_REPORTS,
    allowed,
    allowed_all,
    asking,
    refused_by_policy,
    refused_by_rights,
)
from tests.security.installed import account_of, add_sweeper
from tests.security.manifests import NODE

LABEL = "hyperscout.io/sweeper"
MINE, THEIRS = f"{SWITCH_REPORTS}/sweepers-mine", f"{SWITCH_REPORTS}/sweepers-theirs"
LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{NODE}/leases"
TIME = "2026-03-01T06:00:00Z"


@dataclass(frozen=True, slots=True)
class Sweepers:
    """The sweepers `default` and `other`, and an administrator."""

    default: Api
    other: Api
    admin: Api


@pytest.fixture
async def sweepers(guarded: ControlPlane) -> AsyncIterator[Sweepers]:
    """Each has written one SwitchReport."""
    known, added = account_of(guarded, "hyperscout-sweeper-default"), add_sweeper(guarded, "other")
    async with (
        asking(guarded, known.token()) as default,
        asking(guarded, added.token()) as other,
        asking(guarded, guarded.token) as admin,
    ):
        allowed(await default.apply(MINE, switch("mine", "default"), "sweeper"))
        allowed(await other.apply(THEIRS, switch("theirs", "other"), "sweeper"))
        allowed(await admin.patch(MINE, {"metadata": {"labels": {"site": "one"}}}))
        yield Sweepers(default, other, admin)


def switch(name: str, sweeper: str = "", fabric: str = "dc", **metadata: object) -> Json:
    """A SwitchReport with the label of a sweeper."""
    labels = {"labels": {LABEL: sweeper}} if sweeper else {}
    head = {"apiVersion": "hyperscout.io/v1alpha1", "kind": "SwitchReport"}
    return head | {"metadata": {"name": f"sweepers-{name}", **labels, **metadata}, "spec": {"fabric": fabric}}


def sweep(name: str, sweeper: str) -> Json:
    """A SweepReport."""
    head = {"apiVersion": "hyperscout.io/v1alpha1", "kind": "SweepReport"}
    spec = {"sequence": 1, "outcome": "Complete", "start": TIME, "end": TIME, "switches": 1, "hosts": 1}
    return head | {"metadata": {"name": name, "labels": {LABEL: sweeper}}, "spec": spec}


async def test_a_sweeper_keeps_its_own_reports_and_deletes_its_own_switches(sweepers: Sweepers) -> None:
    allowed(await sweepers.default.apply(MINE, switch("mine", "default", fabric="moved"), "sweeper"))
    for _ in range(2):
        allowed(await sweepers.default.apply(f"{SWEEP_REPORTS}/default", sweep("default", "default"), "sweeper"))
    allowed(await sweepers.default.get(SWITCH_REPORTS, labelSelector=f"{LABEL}=default"))
    assert (await sweepers.admin.get(MINE)).body["metadata"]["labels"] == {LABEL: "default", "site": "one"}
    allowed(await sweepers.default.delete(MINE))


async def test_it_holds_the_lease_of_its_name_only(sweepers: Sweepers) -> None:
    lease = {"metadata": {"name": "hyperscout-sweeper-default", "namespace": NODE}}
    made = await sweepers.default.post(LEASES, lease)
    allowed(made)
    allowed(await sweepers.default.put(f"{LEASES}/hyperscout-sweeper-default", made.body))
    taken = {"metadata": {"name": "hyperscout-sweeper-other", "namespace": NODE}}
    refused_by_policy(await sweepers.default.post(LEASES, taken), "may make only the Lease hyperscout-sweeper-default")
    allowed(await sweepers.other.post(LEASES, taken))
    refused_by_rights(await sweepers.default.put(f"{LEASES}/hyperscout-sweeper-other", taken), "update")


async def test_what_another_sweeper_wrote_is_neither_changed_nor_taken_over_nor_deleted(sweepers: Sweepers) -> None:
    said = "another sweeper wrote this one"
    for taken in (switch("theirs", "default"), switch("theirs", "other"), switch("theirs")):
        refused_by_policy(await sweepers.default.apply(THEIRS, taken, "sweeper", force="true"), said)
    refused_by_policy(await sweepers.default.patch(THEIRS, {"metadata": {"labels": {LABEL: "default"}}}), said)
    refused_by_policy(await sweepers.default.delete(THEIRS), said)
    assert (await sweepers.admin.get(THEIRS)).body["metadata"]["labels"] == {LABEL: "other"}


async def test_a_report_without_its_name_or_with_anothers_is_refused(sweepers: Sweepers) -> None:
    said = f"the sweeper default may write only reports with the label {LABEL}: default"
    for name in ("", "other"):
        refused_by_policy(await sweepers.default.post(SWITCH_REPORTS, switch("new", name)), said)
        refused_by_policy(
            await sweepers.default.apply(f"{SWITCH_REPORTS}/sweepers-new", switch("new", name), "s"), said
        )
        refused_by_policy(await sweepers.default.patch(MINE, {"metadata": {"labels": {LABEL: name or None}}}), said)
    by_hand = {"apiVersion": "hyperscout.io/v1alpha1", "kind": "SwitchReport", "metadata": {"name": "sweepers-hand"}}
    allowed(await sweepers.admin.post(SWITCH_REPORTS, by_hand | {"spec": {"fabric": "dc"}}))
    refused_by_policy(await sweepers.default.apply(f"{SWITCH_REPORTS}/sweepers-hand", switch("hand", "default"), "s"))


async def test_a_sweep_report_is_written_under_the_sweepers_own_name_only(sweepers: Sweepers) -> None:
    said = "the sweeper default may write only the SweepReport default"
    answer = await sweepers.default.apply(f"{SWEEP_REPORTS}/another", sweep("another", "default"), "sweeper")
    refused_by_policy(answer, said)
    refused_by_policy(await sweepers.default.post(SWEEP_REPORTS, sweep("another", "default")), said)


@pytest.mark.parametrize(
    "metadata",
    [
        {"labels": {"team": "x"}},
        {"labels": {"site": None}},
        {"annotations": {"a": "b"}},
        {"finalizers": ["hyperscout.io/hold"]},
        {"ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "x", "uid": "one"}]},
    ],
    ids=str,
)
async def test_other_metadata_is_not_the_sweepers_to_set(sweepers: Sweepers, metadata: dict[str, object]) -> None:
    refused_by_policy(await sweepers.default.patch(MINE, {"metadata": metadata}), "sweepers ")


async def test_other_kinds_and_verbs_are_beyond_its_rights(sweepers: Sweepers) -> None:
    default = sweepers.default
    refused_by_rights(await default.delete(f"{SWEEP_REPORTS}/default"), "delete")
    refused_by_rights(await default.delete(SWITCH_REPORTS), "deletecollection")
    refused_by_rights(await default.get(NODE_REPORTS), "list")
    refused_by_rights(await default.post(NODE_REPORTS, {}), "create")
    refused_by_rights(await default.post(HYPER_NODES, {}), "create")
    refused_by_rights(await default.get(NODES), "list")
    refused_by_rights(await default.get("/api/v1/secrets"), "list")


async def test_the_policy_holds_even_where_a_sweeper_is_granted_more(guarded: ControlPlane, sweepers: Sweepers) -> None:
    async with allowed_all(guarded, account_of(guarded, "hyperscout-sweeper-default")) as more:
        refused_by_policy(await more.put(THEIRS, (await sweepers.admin.get(THEIRS)).body), "another sweeper wrote")
        refused_by_policy(await more.delete(SWITCH_REPORTS), "another sweeper wrote")
    assert (await sweepers.admin.get(THEIRS)).status == 200
