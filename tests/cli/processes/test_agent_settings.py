"""Settings of the agent that cannot be used are refused at the start, by name."""

from __future__ import annotations

import socket

import pytest

from cli.ending import BAD_INPUT, CommandError
from cli.processes.agent import agent_settings
from cli.processes.edge_settings import AgentOptions
from cli.processes.loading import load, read_assignments
from cli.processes.sections import Section
from cli.processes.settings import ControllerOptions
from cli.processes.sweeper_settings import SweeperOptions


def refusal(*assignments: str) -> str:
    with pytest.raises(CommandError) as caught:
        agent_settings(load(AgentOptions, None, {}, read_assignments(assignments)))
    assert caught.value.code == BAD_INPUT
    return caught.value.sentence


def node(*assignments: str) -> str:
    return agent_settings(load(AgentOptions, None, {}, read_assignments(assignments))).node


@pytest.mark.parametrize("name", ["BAD NAME", "Node-1", "-a", "a.", "a..b", "a_b", "a\n", "é", "a" * 254])
def test_what_no_node_can_be_called_is_refused(name: str) -> None:
    sentence = refusal(f"host.node={name}")
    assert sentence.startswith(f"host.node: {name!r} from --set cannot be used: a Node's name is ")


@pytest.mark.parametrize("name", ["a", "gpu-node-1", "ip-10-0-0-1.ec2.internal", "a" * 253])
def test_what_a_node_can_be_called_is_taken(name: str) -> None:
    assert node(f"host.node={name}") == name


def test_a_host_whose_name_no_node_can_have_has_to_be_told_its_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "My_Host")
    assert refusal().startswith("host.node is not set, and this host is called 'my_host': ")
    assert node("host.node=gpu-1") == "gpu-1"


def test_health_does_not_fail_between_two_looks_of_an_agent_that_is_well() -> None:
    assert refusal("http.staleAfter=15").startswith("http.staleAfter: ")
    sentence = refusal("sampling.period=600")
    assert "http.staleAfter" in sentence
    assert "605 s may pass between two signs of life (sampling.period and probes.timeLimit)" in sentence
    assert node("host.node=a", "sampling.period=600", "http.staleAfter=900") == "a"


@pytest.mark.parametrize(
    ("options", "assignments", "key"),
    [
        (ControllerOptions, ["times.lookAgain=300"], "times.lookAgain"),
        (SweeperOptions, ["sweep.timeLimit=150"], "sweep.timeLimit"),
        (SweeperOptions, ["counters.timeLimit=400"], "counters.timeLimit"),
        (
            SweeperOptions,
            ["sweep.kind=ethernet", "snmp.targets=10.0.0.1", "http.staleAfter=60"],
            "snmp.switchTimeLimit",
        ),
    ],
)
def test_nor_of_the_other_processes(options: type[Section], assignments: list[str], key: str) -> None:
    with pytest.raises(CommandError) as caught:
        load(options, None, {}, read_assignments(assignments))
    assert "http.staleAfter" in caught.value.sentence
    assert f"{key})" in caught.value.sentence
