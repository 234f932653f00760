"""docs/reference/metrics.md and the processes name the same metrics, with the same labels and meanings."""

from __future__ import annotations

import re

import pytest
from prometheus_client import CollectorRegistry, Metric

from cli.processes.agent_figures import Watching as AgentWatching
from cli.processes.health import Health
from cli.processes.metrics import ProcessMetrics
from cli.processes.sweeper_figures import Watching as SweeperWatching
from controller.metrics import ControllerMetrics
from kube.errors import READS, AlreadyExists, Unavailable
from kube.tenure import ALONE
from scheduler.metrics import SchedulerMetrics
from tests.architecture.sources import ROOT

ROW = re.compile(r"^\| `(\w+)` \| (\w+) \|([^|]*)\| ([\w, ]+) \| (.*) \|$", re.MULTILINE)
SUFFIX = {"counter": "_total", "info": "_info"}


def registered(process: str) -> CollectorRegistry:
    registry = CollectorRegistry()
    metrics = ProcessMetrics(registry, None if process == "agent" else ALONE)
    metrics.wrote("create", AlreadyExists("create", "HyperNode a", "it is there"))
    match process:
        case "agent":
            AgentWatching(Health(1.0), metrics, registry)
        case "controller":
            ControllerMetrics(registry)
        case "sweeper":
            SweeperWatching(Health(1.0), metrics, registry)
        case "scheduler":
            SchedulerMetrics(registry)
    return registry


def described(metric: Metric) -> tuple[str, str, str]:
    return metric.name + SUFFIX.get(metric.type, ""), metric.type, metric.documentation


@pytest.mark.parametrize("process", ["agent", "sweeper", "controller", "scheduler"])
def test_the_page_lists_what_a_process_serves_and_nothing_else(process: str) -> None:
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text()
    rows = [row for row in ROW.findall(page) if row[3] == "all" or process in row[3].split(", ")]
    served = {described(metric) for metric in registered(process).collect()}
    assert {(name, kind, meaning) for name, kind, _, _, meaning in rows} == served
    labels = {name: re.findall(r"`(\w+)`", column) for name, _, column, _, _ in rows}
    assert labels == {name: list(declared_labels(process, name)) for name in labels}


def declared_labels(process: str, name: str) -> tuple[str, ...]:
    """As the collector that is registered under the name declares them."""
    if name == "hyperscout_build_info":
        return ("version",)
    collectors = registered(process)._names_to_collectors
    return tuple(getattr(collectors[name], "_labelnames", ()))


def test_what_became_of_a_write_is_counted_by_its_kind() -> None:
    registry = registered("controller")
    labels = {"action": "create", "result": "already_exists"}
    assert registry.get_sample_value("hyperscout_apply_total", labels) == 1
    assert registry.get_sample_value("hyperscout_leader") == 1


@pytest.mark.parametrize("verb", sorted(READS))
def test_a_read_is_no_write(verb: str) -> None:
    registry = CollectorRegistry()
    ProcessMetrics(registry, None).wrote(verb, Unavailable(verb, "NodeReport a", "no answer"))
    assert registry.get_sample_value("hyperscout_apply_total", {"action": verb, "result": "unavailable"}) is None
