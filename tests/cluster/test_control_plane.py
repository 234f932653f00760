"""The control plane of the tests: it starts, stands beside others, tells what it was asked, and ends."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cluster.control_plane import ControlPlane, Settings
from tests.cluster.fixtures import require


def test_it_serves_tells_what_it_was_asked_and_starts_again_with_its_data(control_plane: ControlPlane) -> None:
    begin = control_plane.audit.size()
    made = control_plane.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "audited"}})
    assert made.status == 201
    (request,) = control_plane.audit.requests(after=begin, agent="Python-urllib")
    assert (request.user, request.verb, request.resource, request.name) == ("admin", "create", "namespaces", "audited")
    assert request.writes
    assert control_plane.ask("GET", "/api/v1/namespaces", token="wrong").status == 401


def test_two_stand_side_by_side_and_end(tmp_path: Path) -> None:
    require(*Settings().programs)
    with ControlPlane(tmp_path / "one") as one, ControlPlane(tmp_path / "two") as two:
        one.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "mine"}})
        assert two.ask("GET", "/api/v1/namespaces/mine").status == 404
        pids = [plane[name].pid for plane in (one, two) for name in ("etcd", "kube-apiserver")]
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
