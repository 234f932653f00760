"""Events: each turn is one, however close together they come."""

from __future__ import annotations

from datetime import UTC, datetime

from controller.reasons import Happening, as_event
from kube.types import ObjectReference

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ABOUT = ObjectReference(api_version="topology.volcano.sh/v1alpha1", kind="HyperNode", name="leaf-1", uid="u1")


def test_two_turns_within_one_second_are_two_events() -> None:
    lost = as_event(Happening(ABOUT, "Warning", "LinksDown", "1 of 4 links unhealthy"), NOW)
    back = as_event(Happening(ABOUT, "Normal", "AllLinksUp", "all 4 links up"), NOW)
    assert lost.metadata.name != back.metadata.name
    assert lost.metadata.name.startswith("leaf-1.")
