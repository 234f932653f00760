"""The wait for a program of the lab until it answers."""

from __future__ import annotations

import socket
import subprocess
import time
from pathlib import Path

from tests.lab.namespaces import PATIENCE


def wait_for_socket(path: Path, process: subprocess.Popen[str], program: str) -> None:
    """Until the program answers on its socket; AssertionError where it ends before, or takes too long."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert process.poll() is None, f"{program} of {path.stem} ended"
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(str(path))
            except OSError:
                time.sleep(0.02)
                continue
            return
    raise AssertionError(f"{program} of {path.stem} does not answer")
