"""Whatever a client sends, the answer is a refusal or a result, never a crash."""

from __future__ import annotations

import copy
import random
from contextlib import suppress

import pytest

from kube.embedded.applying import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, patch
from kube.embedded.cluster import Cluster
from kube.embedded.kinds import BUILT_IN, Catalogue, Kind
from kube.embedded.pods import bind, evict
from kube.embedded.refusals import StatusError
from kube.embedded.rendering import Form, View
from kube.embedded.requests import Target, WriteOptions
from kube.embedded.store import History, Store
from kube.embedded.verbs import create, delete, update
from tests.contract.api import Json
from tests.contract.conftest import WIDGETS, pod, widget

KINDS = {kind.kind: kind for kind in BUILT_IN}
OPTIONS = WriteOptions("fuzz")
JUNK: tuple[object, ...] = (None, True, 0, -1, 2**70, 1.5, "", "x", "a/b/c", [], [None], [{}], {}, {"": None}, {"a": 1})
EVENT: Json = {
    "metadata": {"generateName": "e-", "annotations": {"a": "b"}},
    "involvedObject": {"kind": "Pod", "name": "one", "namespace": "default"},
    "reason": "R", "message": "m", "type": "Normal", "count": 1, "source": {"component": "c"},
    "firstTimestamp": "2024-01-01T00:00:00Z",
}  # fmt: skip
NODE: Json = {
    "metadata": {"name": "n", "labels": {"a": "b"}},
    "spec": {"taints": [{"key": "k", "effect": "NoSchedule"}], "unschedulable": True},
    "status": {"capacity": {"cpu": 1}, "conditions": [{"type": "Ready", "status": "True"}], "addresses": []},
}


def full_pod() -> Json:
    """A pod with much that can be broken."""
    body = pod("one", app="x")
    body["spec"] |= {
        "schedulingGates": [{"name": "a.b/c"}],
        "tolerations": [{"key": "k", "operator": "Exists"}],
        "initContainers": [{"name": "i", "image": "x"}],
        "priorityClassName": "",
        "nodeSelector": {"a": "b"},
    }
    body["spec"]["containers"][0] |= {"resources": {"limits": {"cpu": "1"}}, "ports": [{"containerPort": 1}]}
    return body


def mutated(value: object, rng: random.Random) -> object:
    """The value with one node, anywhere in it, replaced, removed or doubled."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(sorted(value, key=str))
        if rng.random() < 0.1:
            return {k: v for k, v in value.items() if k != key}
        return value | {key: mutated(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.85:
        index = rng.randrange(len(value))
        if rng.random() < 0.1:
            return [*value, value[index]]
        return [*value[:index], mutated(value[index], rng), *value[index + 1 :]]
    return copy.deepcopy(rng.choice(JUNK))


def fresh() -> tuple[Cluster, Kind]:
    """A cluster with a namespace and the widgets."""
    cluster = Cluster(Store(History(changes=100)), Catalogue(), run_bound_pods=True)
    create(cluster, Target(KINDS["Namespace"]), {"metadata": {"name": "default"}}, OPTIONS)
    create(cluster, Target(KINDS["CustomResourceDefinition"]), copy.deepcopy(WIDGETS), OPTIONS)
    kind = cluster.catalogue.find("contract.hyperscout.test", "v1", "widgets")
    assert kind is not None
    return cluster, kind


def show_all(cluster: Cluster) -> None:
    """Print everything as tables, for what has been stored must be printable."""
    for kind in cluster.catalogue:
        for stored in cluster.store.shelf(kind.resource).in_order(None):
            View(kind, Form.TABLE).one(stored.raw)


@pytest.mark.parametrize("seed", range(8))
def test_mutated_creations(seed: int) -> None:
    rng = random.Random(seed)
    cluster, widgets = fresh()
    bodies = [
        (KINDS["Pod"], full_pod()),
        (KINDS["Event"], EVENT),
        (KINDS["Node"], NODE),
        (KINDS["CustomResourceDefinition"], WIDGETS),
        (KINDS["Namespace"], {"metadata": {"name": "n", "generateName": "g"}}),
        (KINDS["PriorityClass"], {"metadata": {"name": "p"}, "value": 1}),
        (KINDS["Lease"], {"metadata": {"name": "l"}, "spec": {"holderIdentity": "me", "leaseDurationSeconds": 1}}),
        (widgets, widget("one", tags=["a"], notes={"a": "b"}, parts=[{"name": "a"}])),
    ]
    for _ in range(60):
        for kind, body in bodies:
            broken = mutated(mutated(copy.deepcopy(body), rng), rng)
            with suppress(StatusError):
                create(cluster, Target(kind, "default" if kind.namespaced else None), broken, OPTIONS)
    show_all(cluster)


@pytest.mark.parametrize("seed", range(8))
def test_mutated_changes(seed: int) -> None:
    rng = random.Random(seed)
    cluster, widgets = fresh()
    cases = [(KINDS["Pod"], full_pod()), (widgets, widget("one", parts=[{"name": "a"}])), (KINDS["Node"], NODE)]
    operations = [{"op": "replace", "path": "/metadata/labels/a", "value": "c"}, {"op": "remove", "path": "/spec/x"}]
    for kind, body in cases:
        namespace = "default" if kind.namespaced else None
        create(cluster, Target(kind, namespace), copy.deepcopy(body), OPTIONS)
        for _ in range(60):
            target = Target(kind, namespace, body["metadata"]["name"], rng.choice(("", "status")))
            broken = mutated(copy.deepcopy(body), rng)
            for media_type in (APPLY_PATCH, MERGE_PATCH, STRATEGIC_PATCH, JSON_PATCH):
                sent = mutated(copy.deepcopy(operations), rng) if media_type == JSON_PATCH else copy.deepcopy(broken)
                with suppress(StatusError):
                    patch(cluster, target, media_type, sent, WriteOptions("other", force=rng.random() < 0.5))
            with suppress(StatusError):
                update(cluster, target, copy.deepcopy(broken), OPTIONS)
    show_all(cluster)


@pytest.mark.parametrize("seed", range(4))
def test_mutated_bindings_evictions_and_deletions(seed: int) -> None:
    rng = random.Random(seed)
    cluster, _ = fresh()
    target = Target(KINDS["Pod"], "default", "one")
    binding = {"metadata": {"name": "one", "annotations": {"a": "b"}}, "target": {"kind": "Node", "name": "n"}}
    eviction = {"metadata": {"name": "one"}, "deleteOptions": {"preconditions": {"uid": "u"}}}
    deletion = {"preconditions": {"uid": "u", "resourceVersion": "1"}, "propagationPolicy": "Background"}
    for _ in range(80):
        with suppress(StatusError):
            create(cluster, Target(KINDS["Pod"], "default"), pod("one"), OPTIONS)
        for act, body in ((bind, binding), (evict, eviction)):
            with suppress(StatusError):
                act(cluster, target, mutated(copy.deepcopy(body), rng), OPTIONS)
        with suppress(StatusError):
            delete(cluster, target, mutated(copy.deepcopy(deletion), rng), {})
    show_all(cluster)
