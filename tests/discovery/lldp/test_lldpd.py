"""The real lldpd asked through its client, and clients that misbehave."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from discovery.lldp import Lldpd, Neighbours, folded, read_lldpd
from discovery.lldp.frames import Frame, read_frame
from discovery.lldp.lldpd import MAX_ANSWER
from discovery.probing import Probed
from discovery.reports import ABSENT, FAILED, FOUND
from tests.discovery.lldp.building import END, chassis, frame, name, port, tlv, ttl
from tests.lab.namespaces import PATIENCE, laid
from tests.lab.speaking import Speaker, Told, speak, start_lldpd
from tests.lab.wire import sending


def test_what_lldpd_heard_on_two_ports_and_after_a_cable_is_pulled() -> None:
    with laid() as lab:
        host, leaf, other = (lab.machine(name) for name in ("gpu-01", "leaf-01", "leaf-02"))
        lab.cable((host, "eth0"), (leaf, "swp1"))
        lab.cable((host, "eth1"), (other, "swp1"))
        daemon = start_lldpd(lab, host, Speaker("gpu-01", switch=False))
        start_lldpd(lab, leaf, Speaker("leaf-01", ports={"swp1": Told("local", "Ethernet1/1")}))
        start_lldpd(lab, other, Speaker("leaf-02", chassis="leaf-02-chassis"))
        daemon.wait()
        asked = Lldpd(socket=str(daemon.socket))
        assert until(asked, 2) == {
            ("eth0", "leaf-01", leaf.run("cat", "/sys/class/net/swp1/address").strip(), "Ethernet1/1", "local"),
            ("eth1", "leaf-02", "leaf-02-chassis", "swp1", "ifname"),
        }
        lab.unplug(host, "eth1")
        assert {row[0] for row in until(asked, 1)} == {"eth0"}
        daemon.stop()
        assert read_lldpd(asked).outcome == FAILED


SENT = (
    frame(chassis(4, bytes.fromhex("b8cef6000001")), port(3, bytes.fromhex("b8cef6000011")), ttl(), END),
    frame(chassis(5, b"\1\x0a\0\0\7"), port(4, b"\2" + bytes.fromhex("fe80") + bytes(13) + b"\1"), ttl(), END),
    frame(chassis(6, b"Ethernet9/1"), port(5, b"xe-0/0/1"), ttl(), name(b"leaf-06"), END),
    frame(chassis(7, b"leaf-07"), port(7, b"533"), ttl(), name("Глава".encode()), END),
    frame(chassis(2, b"uplink"), port(1, b"to gpu-07"), ttl(), name(b"leaf-02"), tlv(127, b"\0\x12\xbb\x7f"), END),
)


def test_lldpd_reads_frames_of_every_kind_as_we_do() -> None:
    with laid() as lab:
        host, leaf = lab.machine("gpu-01"), lab.machine("leaf-01")
        lab.cable((host, "eth0"), (leaf, "swp1"))
        daemon = speak(lab, host, Speaker("gpu-01", switch=False))
        asked = Lldpd(socket=str(daemon.socket))
        ours = folded(found.neighbour for sent in SENT if isinstance(found := read_frame(sent), Frame))
        end = time.monotonic() + PATIENCE
        theirs = None
        with sending(leaf, "swp1") as send:
            while theirs is None or len(theirs.get("eth0", ())) < len(ours):
                assert time.monotonic() < end, theirs
                for sent in SENT:
                    send(sent)
                time.sleep(0.1)
                theirs = read_lldpd(asked).found
        assert theirs == {"eth0": ours}


def until(asked: Lldpd, ports: int) -> set[tuple[str, str | None, str | None, str | None, str | None]]:
    """What is heard once so many ports have a neighbour."""
    end = time.monotonic() + PATIENCE
    probed = read_lldpd(asked)
    while probed.found is None or len(probed.found) != ports:
        assert time.monotonic() < end, probed
        time.sleep(0.1)
        probed = read_lldpd(asked)
    return {
        (name, one.systemName, one.chassisId, one.portId, one.portIdSubtype)
        for name, neighbours in probed.found.items()
        for one in neighbours
    }


@pytest.fixture
def answering(tmp_path: Path) -> Iterator[Path]:
    """A socket that somebody listens on."""
    path = tmp_path / "lldpd.socket"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        yield path


def asked(folder: Path, path: Path, script: str, seconds: float = 5.0) -> Probed[Neighbours]:
    """The answer of a client that is a script."""
    client = folder / "client"
    client.write_text(f"#!/bin/sh\n{script}\n")
    client.chmod(0o755)
    return read_lldpd(Lldpd(str(client), str(path), seconds))


def test_without_lldpd_there_is_none(tmp_path: Path) -> None:
    path = tmp_path / "left-behind"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
    assert read_lldpd(Lldpd(socket=str(path))).outcome == ABSENT


@pytest.mark.parametrize("name", ["none", ".", "file/none"])
def test_a_socket_that_is_named_and_is_none_is_a_failure_that_names_the_setting(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    probed = read_lldpd(Lldpd(socket=str(tmp_path / name)))
    assert probed.outcome == FAILED
    assert probed.reason is not None
    assert probed.reason.startswith(f"lldpd.socket names {tmp_path / name}, ")


def test_a_client_that_prints_nothing_and_ends_well_heard_nobody(tmp_path: Path, answering: Path) -> None:
    probed = asked(tmp_path, answering, "exit 0")
    assert (probed.outcome, probed.found, probed.reason) == (FOUND, {}, None)


def test_the_client_is_asked_for_the_stable_form_on_the_socket_that_was_given(tmp_path: Path, answering: Path) -> None:
    asked(tmp_path, answering, f'echo "$@" > {shlex.quote(str(tmp_path))}/words')
    assert (tmp_path / "words").read_text() == f"-u {answering} -f json0\n"


def test_a_client_that_hangs_is_cut_off_with_all_that_it_started(tmp_path: Path, answering: Path) -> None:
    probed = asked(tmp_path, answering, f"sleep 600 & echo $! > {shlex.quote(str(tmp_path))}/child; wait", 0.3)
    assert (probed.outcome, probed.reason) == (FAILED, f"{tmp_path}/client: no answer within 0.3 s")
    child = int((tmp_path / "child").read_text())
    end = time.monotonic() + PATIENCE
    while is_running(child):
        assert time.monotonic() < end
        time.sleep(0.02)


def test_what_a_client_leaves_on_its_pipe_holds_up_neither_this_answer_nor_the_next(
    tmp_path: Path, answering: Path
) -> None:
    """It is in a session of its own, so it is not ended with its group."""
    children = tmp_path / "children"
    leaving = f"setsid sleep 60 & echo $! >> {shlex.quote(str(children))}; printf '{{}}'"
    began = time.monotonic()
    try:
        for times in (1, 2):
            probed = asked(tmp_path, answering, leaving, 0.3)
            assert (probed.outcome, probed.reason) == (FAILED, f"{tmp_path}/client: no answer within 0.3 s")
            assert len(children.read_text().split()) == times
        assert time.monotonic() - began < PATIENCE
    finally:
        for child in children.read_text().split():
            os.kill(int(child), signal.SIGKILL)


def test_a_client_that_is_ended_by_a_signal_or_cannot_be_started_is_told_so(tmp_path: Path, answering: Path) -> None:
    assert "client was ended by signal 9" in str(asked(tmp_path, answering, "kill -9 $$").reason)
    assert "client was ended by signal 11" in str(asked(tmp_path, answering, "kill -11 $$").reason)
    odd = tmp_path / "odd"
    odd.write_text("#!/no/such/shell\n")
    odd.chmod(0o755)
    probed = read_lldpd(Lldpd(str(odd), str(answering)))
    assert (probed.outcome, probed.reason) == (FAILED, f"{odd}: cannot be started: No such file or directory")


def is_running(process: int) -> bool:
    """Whether it is there, and no mere entry that nobody collected."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_client_without_end_is_cut_off(tmp_path: Path, answering: Path) -> None:
    probed = asked(tmp_path, answering, "exec yes", 20.0)
    assert probed.outcome == FAILED
    assert f"more than {MAX_ANSWER:,} bytes" in str(probed.reason)


def test_a_client_that_fails_or_prints_no_json_has_failed(tmp_path: Path, answering: Path) -> None:
    assert "ended with 3" in str(asked(tmp_path, answering, "exit 3").reason)
    probed = asked(tmp_path, answering, "echo Interface: eth0, via: LLDP")
    assert (probed.outcome, probed.found) == (FAILED, None)
    missing = read_lldpd(Lldpd(str(tmp_path / "nowhere"), str(answering)))
    assert missing.outcome == FAILED
    assert "nowhere is missing" in str(missing.reason)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up its rights")
def test_a_socket_without_a_right_to_it_is_a_failure_that_says_what_to_do(tmp_path: Path, answering: Path) -> None:
    answering.chmod(0o600)
    tmp_path.chmod(0o755)
    os.seteuid(65534)
    try:
        probed = read_lldpd(Lldpd(socket=str(answering)))
    finally:
        os.seteuid(0)
    assert probed.outcome == FAILED
    assert "Permission denied" in str(probed.reason)
