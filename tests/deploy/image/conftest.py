"""The image, built once for the tests of this folder, and a real API server for its commands to talk to."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest

from tests.deploy.image.container import Container, unpacked
from tests.deploy.image.store import BUILT, Store

NEEDED = ("buildah", "debootstrap", "unshare")


@pytest.fixture(scope="session")
def container() -> Iterator[Container]:
    """The image, unpacked."""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing or os.geteuid() != 0:
        lacking = f"needs {' '.join(missing)} (./dev packages)" if missing else "needs root, to build an image"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(lacking)
    store, image = Store.cached(), f"{BUILT}:{os.getpid()}"
    store.build(image)
    try:
        with unpacked(store, image) as one:
            yield one
    finally:
        store.remove(image)
