"""Recordings that are broken: whatever a file holds, a replay ends with an answer, and the other files count."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cli.output import json_text
from cli.replay.document import ReplayDocument, replay_document
from cli.replay.playing import Play
from cli.replay.text import to_text
from discovery.recording.reading import read_recording
from tests.sites.__main__ import FIXTURES

GARBAGE = ["", "\0\ud7ff\tx\n", "{" * 5000, "a\tb\tc\n-\n/\n//\t\n\t\n", "1.3.6|4x|zz\n|||\n", "gpu\t\x1b[2J\n" * 50]
FILES = [
    ("clean", "nodes/gpu-00001/host.txt"),
    ("clean", "fabrics/ib/ibnetdiscover.txt"),
    ("clean", "fabrics/ib/perfquery.txt"),
    ("clean", "fabrics/ib/ibnetdiscover.err"),
    ("clean", "nodes/gpu-00001/failed.txt"),
    ("clean", "nodes/gpu-00001/nvml.json"),
    ("clean", "nodes/gpu-00001/lldp-frames.txt"),
    ("roce-mlag", "nodes/gpu-00001/links.json"),
    ("roce-mlag", "nodes/gpu-00001/lldp.json"),
    ("roce-mlag", "fabrics/eth/snmp/roce-leaf-001-1.snmprec"),
]


def with_file(site: str, path: str, text: str) -> ReplayDocument:
    recording = read_recording(FIXTURES / site)
    changes = {0: {**recording.changes[0], path: text}}
    play = Play(replace(recording, changes=changes, manifest=replace(recording.manifest, until=120)))
    play.run()
    return replay_document(play)


@pytest.mark.parametrize(("site", "path"), FILES)
def test_garbage_in_one_file_costs_no_other(site: str, path: str) -> None:
    for garbage in GARBAGE:
        document = with_file(site, path, garbage)
        assert "\x1b[2J" not in to_text(document) + json_text(document)
        if "ibnetdiscover.txt" not in path:
            placed = {name for name, row in document.nodes.items() if row.hyper_node}
            assert {"gpu-00000", "gpu-00002", "gpu-00007"} <= placed


def test_a_probe_that_failed_is_told_with_its_reason() -> None:
    document = with_file("clean", "nodes/gpu-00001/failed.txt", "sysfs: no answer within 5 s\n")
    assert document.nodes["gpu-00001"].failed == {"sysfs": "no answer within 5 s"}
    assert {name for name, row in document.nodes.items() if row.failed} == {"gpu-00001"}
