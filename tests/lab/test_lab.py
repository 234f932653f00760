"""The lab itself: neighbours hear each other, and nothing stays behind."""

from __future__ import annotations

import socket
import subprocess
import time

from tests.lab.namespaces import PATIENCE, laid
from tests.lab.speaking import Speaker, Told, speak


def test_two_machines_hear_each_other_and_nothing_stays_behind() -> None:
    with laid() as lab:
        host, leaf = lab.machine("gpu-01"), lab.machine("leaf-01")
        lab.cable((host, "eth0"), (leaf, "swp1"))
        at_host = speak(lab, host, Speaker("gpu-01.pod3", switch=False))
        speak(lab, leaf, Speaker("leaf-01.pod3", ports={"swp1": Told("local", "Ethernet1/1", "to gpu-01")}))
        heard = ""
        end = time.monotonic() + PATIENCE
        while "leaf-01.pod3" not in heard:
            assert time.monotonic() < end, heard
            time.sleep(0.05)
            heard = at_host.ask("show", "neighbors")
        assert "local Ethernet1/1" in heard
        before = socket.if_nameindex()
        with leaf.entered():
            assert [name for _, name in socket.if_nameindex()] == ["lo", "swp1"]
        assert socket.if_nameindex() == before
        lab.unplug(leaf, "swp1")
        assert "eth0" not in host.run("ip", "-br", "link")
    assert lab.prefix not in subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout
    assert not lab.folder.exists()
    assert all(process.poll() is not None for process in lab.processes)
