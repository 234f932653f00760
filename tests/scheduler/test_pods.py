"""A pod as the kernel sees it, and what of it is refused by name."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler.kernel.requirements import Expression, NodeSelector, Term, Toleration
from scheduler.pods import read_shape
from tests.scheduler.objects import a_pod, asking

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
TERM = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {}}


def test_where_a_pod_may_go_is_read_whole() -> None:
    expression = {"key": "zone", "operator": "In", "values": ["a", "b"]}
    field = {"key": "metadata.name", "operator": "In", "values": ["n1"]}
    spec = {
        "nodeSelector": {"gpu": "h200"},
        "affinity": {
            "nodeAffinity": {
                REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [expression], "matchFields": [field]}, {}]}
            }
        },
        "tolerations": [{"key": "k", "operator": "Exists"}, {"key": "v", "value": "1", "effect": "NoSchedule"}],
    }
    requirements = read_shape(a_pod(spec=spec)).requirements
    assert requirements.labels == (("gpu", "h200"),)
    term = Term((Expression("zone", "In", ("a", "b")),), (Expression("metadata.name", "In", ("n1",)),))
    assert requirements.selectors == (NodeSelector((term, Term())),)
    assert requirements.tolerations == (Toleration("k", "Exists"), Toleration("v", "Equal", "1", "NoSchedule"))


def test_wishes_are_ignored_and_never_refused() -> None:
    spec = {
        "affinity": {
            "nodeAffinity": {PREFERRED: [{"weight": 1, "preference": {}}]},
            "podAffinity": {PREFERRED: [{"weight": 1, "podAffinityTerm": TERM}]},
        },
        "topologySpreadConstraints": [{"topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "maxSkew": 1}],
    }
    shape = read_shape(a_pod(spec=spec))
    assert (shape.unsupported, shape.requirements.selectors) == ((), ())


@pytest.mark.parametrize(
    ("spec", "phrase"),
    [
        ({"affinity": {"podAffinity": {REQUIRED: [TERM]}}}, "required pod affinity"),
        ({"affinity": {"podAntiAffinity": {REQUIRED: [TERM]}}}, "required pod anti-affinity"),
        (
            {"topologySpreadConstraints": [{"topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule"}]},
            "topology spread with DoNotSchedule",
        ),
        ({"resourceClaims": [{"name": "gpu"}]}, "resource claim 'gpu'"),
        ({"volumes": [{"name": "v", "ephemeral": {}}]}, "generic ephemeral volume 'v'"),
        ({"volumes": [{"name": "v", "rbd": {}}]}, "volume 'v', a disk that is attached to nodes"),
        (asking(cpu="many"), "a request that cannot be read: 'many' is no quantity"),
    ],
)
def test_what_we_lack_is_named(spec: dict[str, Any], phrase: str) -> None:
    assert [text.startswith(phrase) for text in read_shape(a_pod(spec=spec)).unsupported] == [True]


def test_pods_that_are_alike_have_one_shape() -> None:
    shapes = {read_shape(a_pod(f"w-{index}", spec=asking(cpu="2", memory="4Gi"))) for index in range(3)}
    assert len(shapes) == 1
