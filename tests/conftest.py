"""Fixtures that every room's tests may use."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from tests.cluster.control_plane import ControlPlane
from tests.cluster.fixtures import SHARED, require, tell_logs
from tests.cluster.go import SHORT_LIVED
from tests.loops import PatientLoop
from tests.spreading import FilesTogether

# looptime asks for the current loop also around synchronous hypothesis tests, which would make one that nobody closes
asyncio.set_event_loop(None)
os.environ.update({name: os.environ.get(name, value) for name, value in SHORT_LIVED.items()})

LONGEST_FIRST = (
    "chaos",
    "e2e",
    "volcano",
    "deploy",
    "cli/uninstall",
    "cli/processes",
    "cluster",
    "security",
    "controller",
)
"""Folders whose files take long. They begin first, so that at the end no worker waits for another's long file."""

SHARED_DATA = Path(__file__).resolve().parents[1] / ".." / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real captures that stands beside the checkout; a machine without it skips, CI fails."""
    if not SHARED_DATA.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail("the real captures (../shared/data beside the checkout) are missing")
        pytest.skip("needs the real captures: ../shared/data beside the checkout")
    return SHARED_DATA.resolve()


@pytest.fixture(scope="session")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A real control plane that the tests of one worker share, so each makes objects under names of its own."""
    require(*SHARED.programs)
    with ControlPlane(tmp_path_factory.mktemp("control-plane"), SHARED) as plane:
        yield plane


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Every asynchronous test runs in a loop that waits for the end of what it closed."""
    return {"patient": PatientLoop}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> FilesTogether:
    """How tests are spread over workers."""
    return FilesTogether(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the files; the tests of one stay as they stand."""
    items.sort(key=lambda item: _rank(item.path.relative_to(Path(__file__).parent).as_posix()))


def _rank(file: str) -> int:
    return next(
        (rank for rank, folder in enumerate(LONGEST_FIRST) if file.startswith(f"{folder}/")), len(LONGEST_FIRST)
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that fails with the control plane shows the end of its logs."""
    report = yield
    tell_logs(item, report)
    return report
