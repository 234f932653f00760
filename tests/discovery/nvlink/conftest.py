"""The stub NVML: compiled once a worker, and asked in one process for each age of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from discovery.nvlink.gpus import GpuLook
from tests.discovery.nvlink.stub import Asker, StubHost, build

Look = Callable[..., list[GpuLook]]


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where compiled libraries are kept."""
    return tmp_path_factory.mktemp("nvml")


@pytest.fixture(scope="session")
def askers() -> Iterator[dict[Path, Asker]]:
    """By the library that they ask."""
    askers: dict[Path, Asker] = {}
    yield askers
    for asker in askers.values():
        asker.close()


@pytest.fixture
def look(libraries: Path, askers: dict[Path, Asker], tmp_path: Path) -> Look:
    """Looks at hosts through nvidia-ml-py, with a driver of any age."""

    def looked(hosts: Sequence[StubHost], newest: int = 4, *, old: bool = False) -> list[GpuLook]:
        folder = build(libraries, newest, old=old)
        if folder not in askers:
            askers[folder] = Asker(folder)
        paths = [host.write(tmp_path / f"host-{number}") for number, host in enumerate(hosts)]
        return [askers[folder].look(path) for path in paths]

    return looked
