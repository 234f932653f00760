"""`hyperscout record`: what lands in the folder, what is said of the rest, and that a replay plays it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from discovery.recording.layout import EXPECTED
from tests.cli.running import run
from tests.discovery.sysfs.adapters import adapter
from tests.sites.calm import SMALL
from tests.sites.hosts import spelled
from tests.sites.infiniband import adapters, sweep
from topology.synth.tree import draw_tree

BOOT = "3f1c2b9a-0000-4000-8000-00000000c0de"


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A sysfs and a procfs with one adapter."""
    root = tmp_path / "host"
    drawn = adapters(draw_tree(SMALL))["gpu-00000"][0]
    files = adapter(
        "mlx5_0",
        node_guid=spelled(drawn.guid),
        sys_image_guid=spelled(drawn.guid),
        ports__1__gids__0=f"fe80:0000:0000:0000:{spelled(drawn.guid)}",
        ports__1__counters__symbol_error="0",
    )
    for path, data in {
        **{f"sys/{path}": data for path, data in files.items()},
        "sys/class/net/lo/type": b"772\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    boot = root / "proc/sys/kernel/random/boot_id"
    boot.parent.mkdir(parents=True)
    boot.write_text(BOOT + "\n")
    return root


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An ibnetdiscover and a perfquery that print what is drawn."""
    folder = tmp_path / "tools"
    folder.mkdir()
    (folder / "map").write_text(sweep(draw_tree(SMALL)))
    scripts = {
        "ibnetdiscover": f'case "$1" in --version) echo "ibnetdiscover 44.0";; *) cat {folder}/map;; esac',
        "perfquery": 'echo "# Port extended counters: Lid $6 port 1 (CapMask: 0x5A00 CapMask2: 0x0)"; '
        'echo "SymbolErrorCounter:..................7"',
    }
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


def roots(host: Path) -> list[str]:
    return ["--sysfs-root", str(host / "sys"), "--proc-root", str(host / "proc"), "--limit", "10", "--listen", "0"]


def record(capsys: pytest.CaptureFixture[str], folder: Path, host: Path, *more: str) -> str:
    node = [] if "--no-host" in more else ["--node", "gpu-00000"]
    answer = run(capsys, "record", str(folder), *node, *roots(host), *more)
    assert answer.code == 0, answer.err
    return answer.out


def texts(folder: Path) -> dict[str, str]:
    return {file.relative_to(folder).as_posix(): file.read_text() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.usefixtures("tools")
def test_a_host_and_its_fabric_are_recorded_and_replayed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, host: Path
) -> None:
    folder = tmp_path / "site"
    record(capsys, folder, host, "--fabric", "--sweeper", "ib")
    found = texts(folder)
    assert "000000/nodes/gpu-00000/host.txt" in found
    assert found["000000/fabrics/ib/ibnetdiscover-mlx5_0-1.txt"] == sweep(draw_tree(SMALL))
    assert "SymbolErrorCounter" in found["000000/fabrics/ib/perfquery.txt"]
    manifest = json.loads(found["recording.json"])
    assert (manifest["format"], manifest["anonymised"], manifest["versions"]["ibnetdiscover"]) == (1, False, "44.0")
    answer = run(capsys, "replay", str(folder), "-o", "json")
    row = json.loads(answer.out)["nodes"]["gpu-00000"]
    assert (answer.code, row["placed"], row.get("ports", {})) == (0, "InHyperNode", {})


@pytest.mark.usefixtures("tools")
def test_recorded_apart_and_anonymised_with_one_key_they_are_one_site(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, host: Path
) -> None:
    key = ["--anonymise", "--key", str(tmp_path / "key")]
    record(capsys, tmp_path / "one", host, *key)
    record(capsys, tmp_path / "other", host, "--no-host", "--fabric", *key)
    everything = "\n".join(
        part for folder in ("one", "other") for item in texts(tmp_path / folder).items() for part in item
    )
    guid = next(iter(adapters(draw_tree(SMALL))["gpu-00000"])).guid
    assert [told for told in ("gpu-0", "dc-leaf", BOOT, spelled(guid), f"{guid:016x}") if told in everything] == []
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    answer = run(capsys, "replay", str(tmp_path / "one"), str(tmp_path / "other"), "-o", "json")
    (row,) = json.loads(answer.out)["nodes"].values()
    assert row["placed"] == "InHyperNode"


def test_what_cannot_be_read_is_told_and_the_rest_is_recorded(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    (host / "proc/sys/kernel/random/boot_id").unlink()
    folder = tmp_path / "site"
    answer = run(capsys, "record", str(folder), "--node", "gpu-1", *roots(host), "--fabric")
    assert (answer.code, answer.out) == (1, f"{folder}: 1 files recorded, 2 things not\n")
    assert "not recorded: boot id" in answer.err
    assert "cannot run ibnetdiscover" in answer.err
    failed = {one["what"] for one in json.loads(texts(folder)["recording.json"])["failed"]}
    assert {"boot id", "ibnetdiscover"} <= failed
    assert "mlx5_0" in texts(folder)["000000/nodes/gpu-1/host.txt"]


def test_a_host_without_an_adapter_ends_with_1_where_the_fabric_was_asked_for_and_stays_recorded(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, host: Path
) -> None:
    shutil.rmtree(host / "sys/class/infiniband")
    folder = tmp_path / "site"
    answer = run(capsys, "record", str(folder), "--node", "gpu-1", *roots(host), "--fabric")
    assert (answer.code, answer.out) == (1, f"{folder}: 1 files recorded, 1 things not\n")
    told, why = answer.err.splitlines()
    assert told.startswith("hyperscout: not recorded: ibnetdiscover: no InfiniBand port")
    assert why.startswith("hyperscout: no fabric was recorded, and --fabric asks for one; run it on a host that has ")
    assert why.endswith(f"; what else there was is in {folder}")
    assert texts(folder).keys() == {"recording.json", "000000/nodes/gpu-1/host.txt"}
    assert run(capsys, "record", str(tmp_path / "host-alone"), "--node", "gpu-1", *roots(host)).code == 0


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize(
    ("script", "code"),
    [('echo "ibpanic: cannot open a port" >&2; exit 1', 1), ("echo usage", 1), ("head -40 $0.map", 0)],
)
def test_a_tool_that_finds_no_node_has_recorded_no_fabric_and_its_words_are_kept(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, host: Path, script: str, code: int
) -> None:
    tool = tmp_path / "tools" / "ibnetdiscover"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    shutil.copy(tmp_path / "tools" / "map", f"{tool}.map")
    folder = tmp_path / "site"
    answer = run(capsys, "record", str(folder), "--no-host", *roots(host), "--fabric", "--no-counters")
    assert answer.code == code
    assert ("no fabric was recorded" in answer.err) == bool(code)
    assert "not recorded: ibnetdiscover on mlx5_0/1" in answer.err
    assert any(path.startswith("000000/fabrics/default/ibnetdiscover-mlx5_0-1.") for path in texts(folder))


def test_switches_of_which_none_answers_end_with_1(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, host: Path
) -> None:
    (tmp_path / "snmp").mkdir()
    (tmp_path / "snmp" / "community").write_text("public")
    asked = ["--switch", "no-such-name.invalid", "--credentials", str(tmp_path / "snmp")]
    answer = run(capsys, "record", str(tmp_path / "site"), "--node", "gpu-1", *roots(host), *asked)
    assert answer.code == 1
    assert "no switch was recorded, and --switch asks for some" in answer.err
    assert "000000/nodes/gpu-1/host.txt" in texts(tmp_path / "site")


def test_a_folder_with_something_in_it_is_left_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, host: Path
) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "mine").write_text("mine")
    answer = run(capsys, "record", str(tmp_path / "site"), "--node", "a", *roots(host))
    assert (answer.code, list(texts(tmp_path / "site"))) == (2, ["mine"])
    assert "holds something already" in answer.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--node", "No_Name"], "--node 'No_Name' is no name of a Node: give letters, digits, dashes and dots"),
        (["--node", ""], "--node '' is no name of a Node"),
        (["--key", "k"], "--anonymise"),
        (["--port", "mlx5_9:1"], "--port is of use with --fabric only"),
        (["--no-counters"], "--no-counters is of use with --fabric only"),
        (["--credentials", "c"], "--credentials is of use with --switch only"),
        (["--sweeper", "ib"], "--sweeper is of use with --fabric or --switch only"),
        (["--no-host", "--fabric", "--node", "a"], "--node is of use without --no-host only"),
        (["--switch", "10.0.0.1"], "--credentials"),
        (["--sweeper", "../x"], "--sweeper"),
        (["--no-host"], "--no-host leaves nothing to record; name it, too: --fabric, or --switch TARGET"),
    ],
)
def test_arguments_that_cannot_be_used_are_refused_before_anything_is_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, host: Path, arguments: list[str], said: str
) -> None:
    answer = run(capsys, "record", str(tmp_path / "new"), *roots(host), *arguments)
    assert (answer.code, (tmp_path / "new").exists()) == (2, False)
    assert said in answer.err


def test_a_host_name_that_no_node_can_have_is_named_with_the_option_that_helps(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "My_Host")
    answer = run(capsys, "record", str(tmp_path / "new"), *roots(host))
    assert (answer.code, (tmp_path / "new").exists()) == (2, False)
    assert "the host name 'My_Host' is no name of a Node: give one by --node, of letters, digits, " in answer.err


@pytest.mark.usefixtures("tools")
def test_a_sweep_that_is_cut_off_is_told_with_its_seconds_in_a_replay_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, host: Path
) -> None:
    (tmp_path / "tools" / "ibnetdiscover").write_text('#!/bin/sh\n[ "$1" = --version ] || exec sleep 60\n')
    folder = tmp_path / "site"
    places = ["1" if word == "10" else word for word in roots(host)]
    run(capsys, "record", str(folder), *places, "--node", "gpu-1", "--fabric", "--no-counters")
    file = folder / "000000/fabrics/default/ibnetdiscover-mlx5_0-1.code"
    assert file.read_text() == "cut off after 1 s\n"
    assert "the sweep was cut off after 1 s" in run(capsys, "replay", str(folder)).out
    file.write_text("cut off\n")
    answer = run(capsys, "replay", str(folder))
    assert "the sweep was cut off;" in answer.out


@pytest.mark.parametrize("stands", [False, True])
def test_a_recording_that_holds_nothing_leaves_no_folder_behind(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, host: Path, monkeypatch: pytest.MonkeyPatch, stands: bool
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    folder = tmp_path / "site"
    if stands:
        folder.mkdir()
    answer = run(capsys, "record", str(folder), *roots(host), "--no-host", "--fabric")
    assert (answer.code, folder.exists()) == (1, stands)
    assert not stands or not list(folder.iterdir())
    assert "nothing could be recorded" in answer.err


def test_a_node_that_two_recordings_tell_otherwise_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, host: Path
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    record(capsys, one, host)
    shutil.copytree(one, other)
    assert "gpu-00000" in run(capsys, "replay", str(one), str(other)).out
    file = other / "000000/nodes/gpu-00000/host.txt"
    file.write_text(file.read_text().replace("4: ACTIVE", "1: DOWN"))
    answer = run(capsys, "replay", str(one), str(other))
    assert (answer.code, answer.out) == (2, "")
    assert f"gpu-00000 is in both {one} and {other}" in answer.err


@pytest.mark.usefixtures("tools")
def test_a_replay_that_differs_from_what_is_expected_says_where(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, host: Path
) -> None:
    folder = tmp_path / "site"
    record(capsys, folder, host, "--fabric")
    assert run(capsys, "replay", str(folder), "--write-expected").code == 0
    assert "as expected" in run(capsys, "replay", str(folder)).err
    state = folder / "000000/nodes/gpu-00000/host.txt"
    state.write_text(state.read_text().replace("4: ACTIVE", "1: DOWN").replace("5: LinkUp", "2: Polling"))
    answer = run(capsys, "replay", str(folder))
    assert answer.code == 1
    assert "+ nodes gpu-00000 ports mlx5_0/1: Unprovisioned NeverUp" in answer.err
    (folder / EXPECTED).write_text("{}")
    assert run(capsys, "replay", str(folder)).code == 2


def test_a_folder_that_is_no_recording_ends_with_a_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    answer = run(capsys, "replay", str(tmp_path))
    assert (answer.code, answer.out) == (2, "")
    assert "hyperscout record" in answer.err
