"""A cluster that is as it should be, until a test changes something."""

from __future__ import annotations

import copy

import pytest

from cli.doctor.accounts import EXPECTED
from kube.crds import crds
from tests.cli.doctor.scripted import (
    ADMISSION,
    ALL_LEASES,
    CONFIG_MAPS,
    DEFINITIONS,
    LEASES,
    ON_NODES,
    OURS,
    SYSTEM,
    VOLCANO,
    Scripted,
    named,
)


@pytest.fixture
def cluster() -> Scripted:
    policies = [f"hyperscout-{name}" for name in EXPECTED]
    renewed = {"holderIdentity": "pod-1", "leaseDurationSeconds": 15, "renewTime": "2026-03-01T11:59:58.000000Z"}
    return Scripted(
        {
            DEFINITIONS: {one["metadata"]["name"]: copy.deepcopy(one) for one in crds()},
            f"{ADMISSION}/validatingadmissionpolicies": named(*policies),
            f"{ADMISSION}/validatingadmissionpolicybindings": named(*policies),
            f"/api/v1{SYSTEM}/serviceaccounts": named("default", "hyperscout-controller", "hyperscout-scheduler"),
            f"/api/v1{ON_NODES}/serviceaccounts": named("hyperscout-agent", "hyperscout-sweeper-ib"),
            LEASES: named("hyperscout-controller", "hyperscout-scheduler", spec=renewed),
            f"{VOLCANO}/hypernodes": named("leaf-a"),
            f"{OURS}/nodereports": named("n1", "n2", spec={"heartbeat": "2026-03-01T11:57:00Z"}),
            f"{OURS}/sweepreports": named("ib", spec={"outcome": "Complete", "end": "2026-03-01T11:56:00Z"}),
            CONFIG_MAPS: {},
            "/api/v1/nodes": named("n1", "n2"),
            ALL_LEASES: {},
        }
    )
