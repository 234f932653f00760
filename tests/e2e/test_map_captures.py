"""`map` on every capture that it was given: an answer, or a sentence where there is nothing to answer with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.main import main

SENTENCES = {"ca-only-gb200.txt": "no switches seen", "portlist-bad.txt": "not one line could be read"}


def test_only_two_captures_answer_with_a_sentence(capsys: pytest.CaptureFixture[str], shared_data: Path) -> None:
    files = sorted((shared_data / "ib").iterdir())
    assert {path.name for path in files} >= set(SENTENCES)
    for path in files:
        code = main(["map", str(path), "-o", "json"])
        captured = capsys.readouterr()
        if path.name in SENTENCES:
            assert (path.name, code, captured.out) == (path.name, 2, "")
            assert SENTENCES[path.name] in captured.err
            assert captured.err.count("\n") == 1
        else:
            assert (path.name, code) == (path.name, 0)
            assert json.loads(captured.out)["fabrics"]


def test_two_spines_with_hosts_on_one_of_them_are_spines(capsys: pytest.CaptureFixture[str], shared_data: Path) -> None:
    assert main(["map", str(shared_data / "ib" / "qdr-two-spines.topo"), "-o", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    leaves = [one for one in document["hyperNodes"] if one["tierName"] == "leaf"]
    (spine,) = [one for one in document["hyperNodes"] if one["tierName"] == "spine"]
    assert sorted(one["switches"] for one in leaves if one["switches"]) == [[f"ib{number}"] for number in range(1, 7)]
    assert spine["switches"] == ["ib7", "ib8"]
    (missing,) = [one for one in document["anomalies"] if one["kind"] == "missing-link"]
    assert sorted(end["name"] for end in missing["where"]) == ["ib1", "ib8"]
