"""Where a node's NVLink domain is known from, what is known of its health, and what silence changes: nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import msgspec
import pytest

from controller.conclusion.nvlink import fault_of
from controller.decide import Outcome
from controller.snapshot import Snapshot
from discovery.reports import NvLink
from kube.types import NodeCondition, NodeStatus
from tests.controller.looking import Looks, condition
from tests.controller.site import Site

NODES = tuple(f"node-0000{number}" for number in range(6))
ONE, OTHER = "0a0b0c0d-0000-4000-8000-000000000001", "0e0f0a0b-0000-4000-8000-000000000002"
NO_DOMAIN = "00000000-0000-0000-0000-000000000000"
LABEL = "nvidia.com/gpu.clique"
RACK = NvLink(clusterUuid=ONE, cliqueId=1, state="Completed", healthSummary="Healthy", gpus=4, unhealthyGpus=0)
SICK = replace(RACK, healthSummary="Unhealthy", unhealthyGpus=1, reason="GPU 2: unhealthy route")
CUT = replace(RACK, links=72, unhealthyLinks=3, badLinks=("GPU 0 links 0-1 Down", "GPU 1 link 3 Flapping"))


@dataclass(slots=True)
class Labelled(Looks):
    """Looks at Nodes that have labels and conditions."""

    labels: dict[str, str] = field(default_factory=dict)
    """By node the value of the label."""
    conditions: dict[str, NodeCondition] = field(default_factory=dict)

    def snapshot(self) -> Snapshot:
        snapshot = self.site.snapshot(self.objects)
        nodes = tuple(
            msgspec.structs.replace(
                node,
                metadata=msgspec.structs.replace(
                    node.metadata,
                    labels={LABEL: self.labels[name]} if (name := node.metadata.name) in self.labels else {},
                ),
                status=NodeStatus(conditions=(self.conditions[name],) if name in self.conditions else ()),
            )
            for node in snapshot.nodes
        )
        return replace(snapshot, nodes=nodes)


def looks(told: dict[str, NvLink] | None = None, labels: dict[str, str] | None = None) -> Labelled:
    return Labelled(site=Site(nvlink=told or {}), labels=labels or {})


def racks(outcome: Outcome) -> list[tuple[str, ...]]:
    """The HyperNodes of the tier nvlink with more than one node."""
    found = [document.members for document in outcome.desired if document.tier_name == "nvlink"]
    return sorted(members for members in found if len(members) > 1)


def test_the_label_tells_the_domain_where_agents_see_no_nvlink() -> None:
    labels = (
        dict.fromkeys(NODES[:2], f"{ONE}.1") | {NODES[2]: f"{ONE.upper()}.1"} | dict.fromkeys(NODES[3:], f"{ONE}.2")
    )
    assert racks(looks(labels=labels).sweep_and_write()) == [NODES[:3], NODES[3:]]


def test_what_the_driver_says_stands_above_the_label() -> None:
    told = dict.fromkeys(NODES[:3], RACK) | {NODES[3]: NvLink(state="NotSupported")}
    found = looks(told, dict.fromkeys(NODES, f"{OTHER}.7")).sweep_and_write()
    assert racks(found) == [NODES[:3], NODES[4:]]


def test_a_label_that_vanishes_moves_nobody_and_one_of_all_zeros_is_no_domain() -> None:
    labelled = looks(labels=dict.fromkeys(NODES[:4], f"{ONE}.1") | dict.fromkeys(NODES[4:], f"{NO_DOMAIN}.0"))
    assert racks(labelled.sweep_and_write()) == [NODES[:4]]
    labelled.labels.clear()
    assert racks(labelled.sweep_and_write()) == [NODES[:4]]
    labelled.restart(now=10.0)
    assert racks(labelled.sweep_and_write(now=11.0)) == [NODES[:4]]


@pytest.mark.parametrize(
    "label", ["", "a rack", f"{ONE}", f"{ONE}.", f"{ONE}.-1", f"{ONE}.99999999999", f"{ONE}.1.1", f"{ONE}.²"]
)
def test_a_label_that_is_no_domain_says_nothing(label: str) -> None:
    assert racks(looks(labels=dict.fromkeys(NODES, label)).sweep_and_write()) == []


@pytest.mark.parametrize(
    "unclear",
    [
        None,
        NvLink(),
        NvLink(state="NotStarted"),
        NvLink(state="InProgress"),
        NvLink(state="Completed"),
        NvLink(state="Completed", cliqueId=1),
        NvLink(state="Completed", clusterUuid=OTHER),
        NvLink(state="Completed", clusterUuid="N/A", cliqueId=1),
        NvLink(state="Completed", clusterUuid="0", cliqueId=0),
        NvLink(state="OfTheFuture", clusterUuid=OTHER, cliqueId=1),
    ],
)
def test_a_driver_that_cannot_tell_keeps_the_domain_that_was(unclear: NvLink | None) -> None:
    looked = looks(dict.fromkeys(NODES[:3], RACK))
    assert racks(looked.sweep_and_write()) == [NODES[:3]]
    looked.site.nvlink = {NODES[0]: RACK, NODES[1]: RACK} | ({NODES[2]: unclear} if unclear is not None else {})
    assert racks(looked.sweep_and_write()) == [NODES[:3]]


@pytest.mark.parametrize(
    "none", [NvLink(state="NotSupported"), NvLink(state="Completed", clusterUuid=NO_DOMAIN, cliqueId=0)]
)
def test_a_driver_that_says_that_there_is_no_domain_ends_it(none: NvLink) -> None:
    looked = looks(dict.fromkeys(NODES[:3], RACK))
    assert racks(looked.sweep_and_write()) == [NODES[:3]]
    looked.site.nvlink = {NODES[0]: RACK, NODES[1]: RACK, NODES[2]: none}
    for _ in range(4):
        last = looked.sweep_and_write()
    assert racks(last) == [NODES[:2]]


def fabric(outcome: Outcome, node: str = NODES[0]) -> tuple[str, str]:
    found = outcome.health.nodes[node]
    return found.status, found.reason


def test_nvlink_that_is_not_well_shows_at_the_node_and_its_rack_alone_and_moves_nobody() -> None:
    looked = looks(dict.fromkeys(NODES[:3], RACK) | dict.fromkeys(NODES[3:], replace(RACK, cliqueId=2)))
    before = looked.sweep_and_write()
    looked.site.nvlink = {**looked.site.nvlink, NODES[0]: SICK}
    after = looked.sweep_and_write()
    assert [document.members for document in after.desired] == [document.members for document in before.desired]
    assert fabric(after) == ("False", "NvLinkUnhealthy")
    unwell = [name for name in after.health.hyper_nodes if condition(after, name, "LinksHealthy").status == "False"]
    (rack,) = unwell
    assert condition(after, rack, "LinksHealthy").message.startswith("NVLink: 1 of 4 GPUs unhealthy (GPU 2: unhealthy")
    assert condition(after, rack, "Ready").status == "True"
    assert fabric(after, NODES[1]) == ("True", "AllLinksUp")


@pytest.mark.parametrize(
    ("nvlink", "reason", "message"),
    [
        (SICK, "NvLinkUnhealthy", "1 of 4 GPUs unhealthy (GPU 2: unhealthy route)"),
        (
            replace(SICK, healthSummary="LimitedCapacity", reason=None),
            "NvLinkLimited",
            "1 of 4 GPUs of limited capacity",
        ),
        (CUT, "NvLinkUnhealthy", "3 of 72 NVLinks not well (GPU 0 links 0-1 Down, GPU 1 link 3 Flapping)"),
        (
            replace(CUT, unhealthyLinks=1, badLinks=("GPU 1 link 3 Degraded",)),
            "NvLinkLimited",
            "1 of 72 NVLinks not well (GPU 1 link 3 Degraded)",
        ),
    ],
)
def test_what_is_wrong_in_words(nvlink: NvLink, reason: str, message: str) -> None:
    fault = fault_of(nvlink)
    assert (fault.reason, fault.message) == (reason, message)


@pytest.mark.parametrize(
    "silence", [None, NvLink(state="InProgress", gpus=4), replace(RACK, healthSummary=None, reason="GPU 2: …")]
)
def test_who_cannot_tell_of_its_health_is_as_it_was(silence: NvLink | None) -> None:
    looked = looks({NODES[0]: SICK})
    assert fabric(looked.sweep_and_write()) == ("False", "NvLinkUnhealthy")
    looked.site.nvlink = {NODES[0]: silence} if silence is not None else {}
    assert fabric(looked.sweep_and_write()) == ("False", "NvLinkUnhealthy")
    looked.site.nvlink = {NODES[0]: RACK}
    assert fabric(looked.sweep_and_write()) == ("True", "AllLinksUp")


@pytest.mark.parametrize("other", [NvLink(state="NotSupported", gpus=4), replace(RACK, healthSummary=None)])
def test_a_driver_that_sums_up_no_health_leaves_nobody_unhealthy_for_ever(other: NvLink) -> None:
    looked = looks({NODES[0]: SICK})
    assert fabric(looked.sweep_and_write())[0] == "False"
    looked.site.nvlink = {NODES[0]: other}
    assert fabric(looked.sweep_and_write()) == ("True", "AllLinksUp")


def test_a_controller_that_starts_while_gpus_register_takes_the_word_of_the_condition() -> None:
    looked = looks({NODES[0]: NvLink(state="InProgress")})
    looked.conditions[NODES[0]] = NodeCondition(
        type="FabricHealthy", status="False", reason="NvLinkLimited", message="…"
    )
    found = looked.sweep_and_write()
    assert fabric(found) == ("False", "NvLinkLimited")
    assert "GPUs of limited capacity (as it was when the controller started)" in found.health.nodes[NODES[0]].message
    looked.site.nvlink = {NODES[0]: RACK}
    assert fabric(looked.sweep_and_write()) == ("True", "AllLinksUp")


def test_links_of_a_node_that_somebody_works_at_do_not_flap_and_what_is_down_is_down() -> None:
    looked = looks({NODES[0]: CUT, NODES[1]: replace(CUT, unhealthyLinks=1, badLinks=("GPU 1 link 3 Flapping",))})
    ready = NodeCondition(type="Ready", status="False", reason="KubeletStopped", message="")
    looked.conditions = dict.fromkeys(NODES[:2], ready)
    found = looked.sweep_and_write()
    assert "2 of 72 NVLinks not well (GPU 0 links 0-1 Down)" in found.health.nodes[NODES[0]].message
    assert fabric(found, NODES[1]) == ("True", "AllLinksUp")
