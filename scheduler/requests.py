"""What a pod takes of a node: resources and host ports, counted as kube-scheduler counts them.

Source: `k8s.io/component-helpers/resource` (PodRequests) and the NodePorts plugin. Amounts are whole numbers in the
kernel's canonical units.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from kube.types import Container, ContainerStatus, Pod
from scheduler.kernel.quantity import canonical_amount
from scheduler.kernel.requirements import HostPort

POD_LEVEL = ("cpu", "memory")
"""Resources that a pod may ask for as a whole (huge pages too); the sum of its containers then does not count."""
INFEASIBLE = "Infeasible"

Amounts = dict[str, int]


def pod_requests(pod: Pod) -> Amounts:
    """The larger of what runs together and of what starting takes, and the overhead on top. Raises QuantityError."""
    running = _sum(_container_requests(pod, container) for container in pod.spec.containers)
    sidecars: Amounts = {}
    starting: Amounts = {}
    for container in pod.spec.init_containers:
        own = _container_requests(pod, container)
        if container.restart_policy == "Always":
            sidecars = _sum((sidecars, own))
            starting = _most((starting, sidecars))
        else:
            starting = _most((starting, _sum((sidecars, own))))
    amounts = _most((_sum((running, sidecars)), starting))
    if pod.spec.resources is not None:
        amounts |= {name: amount for name, amount in _read(pod.spec.resources.requests).items() if _pod_level(name)}
    amounts = _sum((amounts, _read(pod.spec.overhead)))
    return {name: amount for name, amount in amounts.items() if amount}


def pod_host_ports(pod: Pod) -> tuple[HostPort, ...]:
    """The ports of the node that the pod's containers and sidecars occupy."""
    sidecars = (container for container in pod.spec.init_containers if container.restart_policy == "Always")
    return tuple(
        HostPort(port.host_port, port.protocol or "TCP", port.host_ip or "0.0.0.0")
        for container in (*pod.spec.containers, *sidecars)
        for port in container.ports
        if port.host_port > 0
    )


def _container_requests(pod: Pod, container: Container) -> Amounts:
    """A container's requests; one that runs holds what its status says where a resize has not gone through yet."""
    asked = _read(container.resources.requests)
    status = _status_of(pod, container)
    if status is None:
        return asked
    actual = status.resources.requests if status.resources is not None else {}
    held = _most((_read(status.allocated_resources), _read(actual)))
    return (held or asked) if resize_infeasible(pod) else _most((asked, held))


def _status_of(pod: Pod, container: Container) -> ContainerStatus | None:
    return next((status for status in pod.status.container_statuses if status.name == container.name), None)


def resize_infeasible(pod: Pod) -> bool:
    """Whether the node said that it can never give the pod what a resize asks for."""
    condition = pod.condition("PodResizePending")
    return condition is not None and condition.status == "True" and condition.reason == INFEASIBLE


def _pod_level(resource: str) -> bool:
    return resource in POD_LEVEL or resource.startswith("hugepages-")


def _read(quantities: Mapping[str, str]) -> Amounts:
    return {name: read_amount(name, text) for name, text in quantities.items()}


@lru_cache(maxsize=4096)
def read_amount(resource: str, quantity: str) -> int:
    """A quantity in its canonical unit; pods and nodes repeat the same few texts. Raises QuantityError."""
    return canonical_amount(resource, quantity)


def _sum(parts: Iterable[Mapping[str, int]]) -> Amounts:
    total: Amounts = {}
    for name, amount in _items(parts):
        total[name] = total.get(name, 0) + amount
    return total


def _most(parts: Iterable[Mapping[str, int]]) -> Amounts:
    most: Amounts = {}
    for name, amount in _items(parts):
        most[name] = max(most.get(name, 0), amount)
    return most


def _items(parts: Iterable[Mapping[str, int]]) -> Iterator[tuple[str, int]]:
    for part in parts:
        yield from part.items()
