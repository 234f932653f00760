"""The lab itself: machines are apart, what is opened in one stays there, and nothing stays behind."""

from __future__ import annotations

import socket
import subprocess

from tests.lab.namespaces import laid


def test_machines_are_apart_and_nothing_of_them_stays_behind() -> None:
    before = socket.if_nameindex()
    with laid() as lab:
        host, leaf = lab.machine("gpu-01"), lab.machine("leaf-01")
        lab.cable((host, "eth0"), (leaf, "swp1"))
        lab.start(leaf, "sleep", "600")
        with leaf.entered():
            assert [name for _, name in socket.if_nameindex()] == ["lo", "swp1"]
        assert socket.if_nameindex() == before
        lab.unplug(leaf, "swp1")
        assert "eth0" not in host.run("ip", "-br", "link")
    assert lab.prefix not in subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout
    assert not lab.folder.exists()
    assert [process.poll() is None for process in lab.processes] == [False]
