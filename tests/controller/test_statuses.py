"""Which of the conditions that were concluded are written, given those that stand."""

from __future__ import annotations

import pytest

from controller.statuses import as_conditions
from kube.hypernode import HyperNodeStatus
from kube.types import Condition, HyperNode
from topology import health

READY = health.Condition("Ready", "True", "AllLinksUp", "3 nodes, no unhealthy link")
UNKNOWN = health.Condition("EvidenceFresh", "Unknown", "AgeUnknown", "just started")
STALE = health.Condition("EvidenceFresh", "False", "EvidenceStale", "not swept")


def standing(*conditions: Condition) -> HyperNode:
    return HyperNode(status=HyperNodeStatus(conditions=conditions))


def test_a_new_hyper_node_says_that_the_age_of_its_evidence_is_unknown() -> None:
    written = as_conditions((READY, UNKNOWN), standing())
    assert [(found.type, found.status, found.reason) for found in written] == [
        ("Ready", "True", "AllLinksUp"),
        ("EvidenceFresh", "Unknown", "AgeUnknown"),
    ]


@pytest.mark.parametrize("status", ["True", "False"])
def test_an_unknown_age_takes_the_place_of_no_earlier_word(status: str) -> None:
    found = standing(Condition(type="EvidenceFresh", status=status, reason="Said"))
    assert [new.type for new in as_conditions((READY, UNKNOWN), found)] == ["Ready"]


def test_a_known_age_takes_the_place_of_any_earlier_word() -> None:
    found = standing(Condition(type="EvidenceFresh", status="True", reason="EvidenceCurrent"))
    assert [(new.type, new.status) for new in as_conditions((STALE,), found)] == [("EvidenceFresh", "False")]
