"""What fixtures need of the real programs: skip where they are missing, build them where CI=true, show their logs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cluster.control_plane import ControlPlane, Settings
from tests.cluster.programs import Program, how_to_get, is_whole, provide

SHARED = Settings(controllers=("garbage-collector-controller", "namespace-controller", "serviceaccount-controller"))
"""What the control plane that tests share runs: what deletes, and what every namespace needs. Nodes are left alone."""


def require(*programs: Program) -> list[Path]:
    """Where the programs are. A machine without them skips the test and says how to get them; CI builds them."""
    missing = [program for program in programs if not is_whole(program)]
    if missing and os.environ.get("CI") != "true":
        pytest.skip(how_to_get(*missing))
    return [provide(program) for program in programs]


def tell_logs(item: pytest.Item, report: pytest.TestReport) -> None:
    """Add the logs of the control plane that a failed test used to its report."""
    plane = getattr(item, "funcargs", {}).get("control_plane")
    if report.failed and isinstance(plane, ControlPlane):
        report.sections.append(("control plane", plane.last_words()))
