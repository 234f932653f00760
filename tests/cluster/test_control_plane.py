"""The control plane of the tests: it starts, stands beside others, tells what it was asked, and ends."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.control_plane import ControlPlane, Settings
from tests.cluster.fixtures import require


def test_it_serves_and_tells_what_it_was_asked(control_plane: ControlPlane) -> None:
    begin = control_plane.audit.size()
    made = control_plane.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "audited"}})
    assert made.status == 201
    (request,) = control_plane.audit.requests(after=begin, agent="Python-urllib")
    assert (request.user, request.verb, request.resource, request.name) == ("admin", "create", "namespaces", "audited")
    assert request.writes
    assert control_plane.ask("GET", "/api/v1/namespaces", token="wrong").status == 401


def test_another_stands_beside_it_starts_again_with_its_data_and_ends(
    control_plane: ControlPlane, tmp_path: Path
) -> None:
    with ControlPlane(tmp_path / "one") as one:
        one.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "mine"}})
        assert control_plane.ask("GET", "/api/v1/namespaces/mine").status == 404
        pids = [one[name].pid for name in ("etcd", "kube-apiserver")]
        one["kube-apiserver"].stop()
        one["kube-apiserver"].start()
        one["kube-apiserver"].wait_ready()
        assert one.ask("GET", "/api/v1/namespaces/mine").status == 200
        pids.append(one["kube-apiserver"].pid)
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_program_that_does_not_come_up_is_told_with_its_log(tmp_path: Path) -> None:
    settings = Settings(api_server_flags=("--no-such-flag",))
    require(*settings.programs)
    with pytest.raises(RuntimeError, match="no-such-flag"), ControlPlane(tmp_path / "broken", settings):
        pass


def test_kwok_plays_nodes_on_which_scheduled_pods_run(tmp_path: Path) -> None:
    settings = Settings(controllers=("*",), scheduler=True, kwok=True)
    require(*settings.programs)
    with ControlPlane(tmp_path / "whole", settings) as plane:
        pods = "/api/v1/namespaces/default/pods"
        assert plane.ask("POST", "/api/v1/nodes", {"metadata": {"name": "played"}}).status == 201
        containers = [{"name": "main", "image": "registry.test/main:1"}]
        assert plane.ask("POST", pods, {"metadata": {"name": "one"}, "spec": {"containers": containers}}).status == 201
        soon(lambda: plane.ask("GET", f"{pods}/one").body["status"]["phase"] == "Running", plane)
        assert plane.ask("GET", f"{pods}/one").body["spec"]["nodeName"] == "played"
        node = plane.ask("GET", "/api/v1/nodes/played").body["status"]
        assert "True" in [entry["status"] for entry in node["conditions"] if entry["type"] == "Ready"]
        plane.ask("DELETE", f"{pods}/one")
        soon(lambda: plane.ask("GET", f"{pods}/one").status == 404, plane)


def soon(holds: Callable[[], bool], plane: ControlPlane, seconds: float = 30.0) -> None:
    """Return once something holds that the programs bring about by themselves."""
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, plane.last_words()
        time.sleep(0.05)
