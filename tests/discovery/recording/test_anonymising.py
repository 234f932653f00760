"""Recordings with other names: nothing of the original is left, and what is concluded has the same shape."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.replay.document import ReplayDocument, replay_document
from cli.replay.playing import Play
from discovery.recording.anonymising import anonymise
from discovery.recording.pseudonyms import Pseudonyms
from discovery.recording.reading import Recording, read_recording
from tests.sites.__main__ import FIXTURES

NAMES = Pseudonyms(b"a key of thirty-two bytes, or so.")
SITES = ["rail-swap", "compute-and-storage", "roce-mlag", "roce-hosts-only", "nvl72-unhealthy-gpu"]


def tokens(texts: Mapping[str, str]) -> set[str]:
    """Every name, GUID, MAC and UUID of an original, as it is spelled somewhere."""
    text = "\n".join((*texts, *texts.values()))
    found = set(re.findall(r"\b(?:gpu|storage|rack\d)-(?:tray)?\d+\b", text))
    found |= set(re.findall(r"\b(?:dc|sf|roce|rr|gb)-(?:leaf|spine)-[-\d]+\b", text))
    found |= set(re.findall(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", text))
    found |= set(re.findall(r"(?<![0-9a-f:])(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![0-9a-f:])", text))
    bare = set(re.findall(r"(?<=[xSH-])[0-9a-f]{16}\b|(?<=0x)[0-9a-f]{13,16}", text))
    octets = set(re.findall(r"(?<=\|4x\|)[0-9a-f]{12}$", text, re.MULTILINE))
    spelled = {":".join(one.zfill(16)[at : at + 4] for at in range(0, 16, 4)) for one in bare}
    return found | bare | octets | spelled


def anonymised(name: str) -> tuple[Recording, Recording]:
    original = read_recording(FIXTURES / name)
    first = original.changes[0]
    return replace(original, changes={0: first}), replace(original, changes={0: anonymise(first, NAMES).texts})


def replayed(recording: Recording) -> ReplayDocument:
    play = Play(replace(recording, manifest=replace(recording.manifest, until=300)))
    play.run()
    return replay_document(play)


def shape(document: ReplayDocument) -> object:
    """All that is not a name."""
    rows = document.hyper_nodes.values()
    return (
        Counter((row.tier, row.tier_name, len(row.members), row.links, tuple(row.conditions.items())) for row in rows),
        Counter((row.placed, row.fabric_healthy.split(":")[0], len(row.ports)) for row in document.nodes.values()),
        [told.split(":")[0] for told in document.anomalies],
        [told.split()[1:] for told in document.sweeps if "ib" in told or "eth" in told],
    )


@pytest.mark.parametrize("name", SITES)
def test_nothing_of_the_original_is_left_and_the_conclusion_has_the_same_shape(name: str) -> None:
    before, after = anonymised(name)
    texts = after.changes[0]
    everything = "\n".join((*texts, *texts.values())).lower()
    originals = tokens(before.changes[0])
    assert len(originals) > 20
    assert [token for token in sorted(originals) if token.lower() in everything] == []
    assert shape(replayed(after)) == shape(replayed(before))


def test_hosts_and_fabric_that_are_recorded_apart_fit_together_by_one_key() -> None:
    texts = read_recording(FIXTURES / "clean").changes[0]
    apart = [dict([item]) for item in texts.items()]
    joined = {path: text for one in apart for path, text in anonymise(one, NAMES).texts.items()}
    assert joined == dict(anonymise(texts, NAMES).texts)


def test_another_key_gives_other_names() -> None:
    texts = read_recording(FIXTURES / "clean").changes[0]
    other = anonymise(texts, Pseudonyms(b"another key of enough bytes")).texts
    assert other.keys().isdisjoint(path for path in anonymise(texts, NAMES).texts if path.startswith("nodes/"))


def test_a_file_that_is_not_understood_is_left_out_and_told() -> None:
    done = anonymise({"nodes/gpu-1/notes.txt": "call Ada at 10.0.0.7", "nodes/gpu-1/lldp-frames.txt": "eth0 00"}, NAMES)
    assert done.texts == {}
    assert set(done.left_out) == {"nodes/gpu-1/notes.txt", "nodes/gpu-1/lldp-frames.txt"}


def test_what_nvidia_smi_tells_of_serial_numbers_is_dropped() -> None:
    text = (
        "GPU 00000008:01:00.0\n    Serial Number : 1654922006536\n"
        "    GPU UUID : GPU-7b968a6d-c8aa-45e1-9e07-e1e51be99c31\n"
        "    Fabric\n        State : Completed\n        ClusterUUID : 0c5a1f0e-52d7-4b7e-8f0a-6c1f3e6b9a02\n"
        "    Platform Info\n        Chassis Serial Number : 9876\n"
    )
    (done,) = anonymise({"nodes/a/nvidia-smi-q.txt": text}, NAMES).texts.values()
    assert "State : Completed" in done
    assert not any(secret in done for secret in ("1654922006536", "9876", "7b968a6d", "0c5a1f0e"))


def test_words_of_a_tool_lose_the_names_that_the_map_knows() -> None:
    said = {
        "fabrics/ib/ibnetdiscover.txt": 'Ca\t1 "H-2c5eab0000000001"\t\t# "gpu-07 mlx5_0"\n',
        "fabrics/ib/ibnetdiscover.err": "no answer from gpu-07 (2c5eab0000000001) at 10.1.2.3\n",
    }
    done = anonymise(said, NAMES).texts["fabrics/ib/ibnetdiscover.err"]
    assert not any(secret in done for secret in ("gpu-07", "2c5eab0000000001", "10.1.2.3"))
    assert NAMES.name("gpu-07") in done


@given(st.sets(st.integers(1, 2**64 - 1), max_size=20))
def test_two_guids_stay_two_and_keep_their_kind_and_their_place_in_a_block(guids: set[int]) -> None:
    renamed = {value: NAMES.guid(value) for value in guids}
    assert len(set(renamed.values())) == len(guids)
    for value, new in renamed.items():
        assert (new >> 56 & 3, new & 0xF) == (value >> 56 & 3, value & 0xF)
    by_vendor = {value >> 40: renamed[value] >> 40 for value in guids}
    assert all(by_vendor[value >> 40] == renamed[value] >> 40 for value in guids)
    assert len(set(by_vendor.values())) == len(by_vendor)


@given(st.integers(0, 2**48 - 1).filter(lambda mac: not mac >> 40 & 1 and mac))
def test_a_guid_of_a_mac_stays_that_of_the_mac(mac: int) -> None:
    new = NAMES.mac(mac)
    for middle in (0x0300, 0xFFFE):
        for flipped in (0, 2 << 56):  # as EUI-64s made of a MAC have it
            of_it = (mac >> 24 << 40 | middle << 24 | mac & 0xFFFFFF) ^ flipped
            assert NAMES.guid(of_it) == (new >> 24 << 40 | middle << 24 | new & 0xFFFFFF) ^ flipped


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("gpu-0007", r"[a-z]{6}-0007"),
        ("DC2-LEAF-03-1", r"[A-Z]{6}2-[A-Z]{6}-03-1"),
        ("ip-10-1-2-3", r"[a-z]{6}-10-\d+-\d+-\d+"),
        ("node123456789", r"[a-z]{6}\d{9}"),
        ("b83fd2030a10", r"[0-9a-f]{11}0"),
    ],
)
def test_a_name_keeps_its_form(name: str, form: str) -> None:
    assert re.fullmatch(form, NAMES.name(name))
    assert NAMES.name(name) != name


def test_names_with_a_stem_in_common_have_one_in_common_afterwards() -> None:
    one, other = NAMES.name("leaf-001-1"), NAMES.name("leaf-001-2")
    assert one[:-1] == other[:-1]
    assert NAMES.name("GPU-1").lower() == NAMES.name("gpu-1")


def test_a_real_scan_keeps_no_name(shared_data: Path) -> None:
    text = (shared_data / "ib" / "superpod-ndr.txt").read_text("utf-8", "surrogateescape")
    (done,) = anonymise({"fabrics/ib/ibnetdiscover.txt": text}, NAMES).texts.values()
    names = set(re.findall(r'"(\S+) (?:mlx5_|HCA-)\S+"', text))
    names |= set(re.findall(r"[\w.-]*IB(?:LEAF|SPINE)[\w-]*", text))
    assert len(names) > 150
    words = set(re.findall(r"[\w.-]+", done))
    assert names & words == set()
    guids = set(re.findall(r"(?<=[SH]-)[0-9a-f]{16}", text))
    assert guids & set(re.findall(r"[0-9a-f]{16}", done)) == set()
