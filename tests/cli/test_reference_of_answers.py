"""The reference pages of whatif, changes and explain name every key that the answers have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from cli.changes.answer import ChangesAnswer
from cli.explain.document import AdapterExplanation, HyperNodeExplanation, NodeExplanation
from cli.explain.live_document import LiveHyperNode, LiveNode
from cli.whatif.answer import WhatifAnswer
from topology.anomaly import Anomaly

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"


def structs(kind: object) -> Iterator[type[msgspec.Struct]]:
    """The structs in a type, those inside its fields too; what `map` describes is described there."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield kind
        for field in msgspec.structs.fields(kind):
            yield from structs(field.type)
    elif kind is not Anomaly:
        for inner in get_args(kind):
            yield from structs(inner)


@pytest.mark.parametrize(
    ("page", "answer"),
    [
        ("whatif-json.md", WhatifAnswer),
        ("changes-json.md", ChangesAnswer),
        ("explain-json.md", NodeExplanation),
        ("explain-json.md", HyperNodeExplanation),
        ("explain-json.md", AdapterExplanation),
        ("explain-json.md", LiveNode),
        ("explain-json.md", LiveHyperNode),
    ],
)
def test_every_key_has_its_line(page: str, answer: type[msgspec.Struct]) -> None:
    text = (REFERENCE / page).read_text()
    words = {word for quoted in re.findall(r"`([^`]+)`", text) for word in re.findall(r"[A-Za-z]+", quoted)}
    keys = {field.encode_name for one in structs(answer) for field in msgspec.structs.fields(one)}
    assert keys - words == set()
