"""What a pod takes, by the arithmetic of Kubernetes' own documentation (sidecars, init peaks, overhead)."""

from __future__ import annotations

import pytest

from scheduler.kernel.quantity import QuantityError
from scheduler.kernel.requirements import HostPort
from scheduler.requests import pod_host_ports, pod_requests
from tests.scheduler.objects import a_pod, asking


def container(name: str, restart: str = "", **requests: str) -> dict[str, object]:
    return {"name": name, "restartPolicy": restart, "resources": {"requests": requests}}


def test_containers_add_up() -> None:
    spec = {"containers": [container("a", cpu="500m", memory="1Gi"), container("b", cpu="1", gpu="2")]}
    assert pod_requests(a_pod(spec=spec)) == {"cpu": 1500, "memory": 2**30, "gpu": 2}


def test_an_init_container_counts_while_it_is_the_larger() -> None:
    spec = {"containers": [container("a", cpu="1", memory="1Gi")], "initContainers": [container("i", cpu="3")]}
    assert pod_requests(a_pod(spec=spec)) == {"cpu": 3000, "memory": 2**30}


def test_sidecars_run_beside_everything_that_starts_after_them() -> None:
    starting = [
        container("early", cpu="4"),
        container("sidecar", "Always", cpu="1"),
        container("late", cpu="4"),
        container("second", "Always", cpu="2"),
    ]
    # early alone 4; late beside the first sidecar 5; both sidecars beside the container 1 + 2 + 1 = 4
    assert pod_requests(a_pod(spec={"containers": [container("a", cpu="1")], "initContainers": starting})) == {
        "cpu": 5000
    }


def test_overhead_comes_on_top() -> None:
    assert pod_requests(a_pod(spec=asking(cpu="1") | {"overhead": {"cpu": "250m"}})) == {"cpu": 1250}


def test_a_request_of_the_pod_as_a_whole_replaces_the_sum() -> None:
    spec = asking(cpu="1", gpu="4") | {"resources": {"requests": {"cpu": "6", "gpu": "9"}}}
    assert pod_requests(a_pod(spec=spec)) == {"cpu": 6000, "gpu": 4}


@pytest.mark.parametrize(("conditions", "expected"), [([], 4000), (["Infeasible"], 2000)])
def test_a_resize_holds_the_larger_until_it_went_through(conditions: list[str], expected: int) -> None:
    status = {
        "containerStatuses": [{"name": "c", "allocatedResources": {"cpu": "2"}}],
        "conditions": [{"type": "PodResizePending", "status": "True", "reason": reason} for reason in conditions],
    }
    assert pod_requests(a_pod(spec=asking(cpu="4"), status=status)) == {"cpu": expected}


def test_a_text_that_is_no_quantity_is_an_error() -> None:
    with pytest.raises(QuantityError, match="lots"):
        pod_requests(a_pod(spec=asking(cpu="lots")))


def test_host_ports_of_containers_and_sidecars_count() -> None:
    port = {"containerPort": 80, "hostPort": 80}
    spec = {
        "containers": [{"name": "c", "ports": [port, {"containerPort": 81}]}],
        "initContainers": [
            {"name": "s", "restartPolicy": "Always", "ports": [port | {"hostIP": "10.0.0.1", "protocol": "UDP"}]},
            {"name": "i", "ports": [port | {"hostPort": 99}]},
        ],
    }
    assert pod_host_ports(a_pod(spec=spec)) == (HostPort(80), HostPort(80, "UDP", "10.0.0.1"))
