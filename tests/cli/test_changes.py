"""`changes` says what the journal holds: all of it, a part, as JSON; and a sentence where there is nothing."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from controller.journal.changes import Entry
from controller.journal.ring import Journal
from kube.client import Client
from tests.cli.conftest import Live
from tests.cli.running import run

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
NEW, MOVED = "new leaf leaf-1 with 2 nodes under row", "node n1 moved from leaf-1 to leaf-2"
RECORDED = (
    Entry(START, "HyperNodeAdded", NEW, ("leaf-1",), ("n1", "n2")),
    Entry(START + timedelta(hours=1), "NodesMoved", MOVED, ("leaf-1", "leaf-2"), ("n1",)),
    Entry(START + timedelta(hours=2), "SwitchLost", "SwitchReport sw: it belongs to leaf-2\x1b", (), (), 0, ("sw",)),
)


async def fill(client: Client) -> None:
    journal = Journal("default")
    journal.note(RECORDED)
    await journal.write(client, 1)
    assert journal.waiting == []


@pytest.fixture
def journal(live: Live) -> Live:
    """A cluster with three changes on record."""
    live.call(fill)
    return live


def lines(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    answer = run(capsys, "changes", "-n", "default", *arguments)
    assert (answer.code, answer.err) == (0, "")
    return [line[:13] for line in answer.out.splitlines()]


@pytest.mark.usefixtures("journal")
def test_all_changes_come_with_their_times_the_newest_last(capsys: pytest.CaptureFixture[str]) -> None:
    answer = run(capsys, "changes", "-n", "default")
    assert answer.out.splitlines() == [
        "2026-03-01 12:00:00Z  new leaf leaf-1 with 2 nodes under row",
        "2026-03-01 13:00:00Z  node n1 moved from leaf-1 to leaf-2",
        "2026-03-01 14:00:00Z  SwitchReport sw: it belongs to leaf-2?",
    ]


@pytest.mark.usefixtures("journal")
def test_a_part_is_chosen_by_time_and_by_whom_it_is_about(capsys: pytest.CaptureFixture[str]) -> None:
    first, second, third = "2026-03-01 12", "2026-03-01 13", "2026-03-01 14"
    assert lines(capsys, "--since", "2026-03-01T13:00:00Z") == [second, third]
    assert lines(capsys, "--since", "2026-03-01T14:30:00+01:00") == [third]
    assert lines(capsys, "--since", "99999d") == [first, second, third]
    assert lines(capsys, "--node", "n2") == [first]
    assert lines(capsys, "--hyper-node", "leaf-1") == [first, second]
    assert lines(capsys, "--hyper-node", "leaf-2", "--node", "n1") == [second]
    assert lines(capsys, "--hyper-node", "row") == [first]


@pytest.mark.usefixtures("journal")
def test_the_json_has_every_key_of_every_change(capsys: pytest.CaptureFixture[str]) -> None:
    answer = run(capsys, "changes", "-n", "default", "-o", "json", "--node", "n1", "--since", "2026-03-01 12:30")
    assert json.loads(answer.out) == {
        "namespace": "default",
        "recorded": 3,
        "oldest": "2026-03-01T12:00:00Z",
        "changes": [
            {
                "at": "2026-03-01T13:00:00Z",
                "reason": "NodesMoved",
                "what": "node n1 moved from leaf-1 to leaf-2",
                "hyperNodes": ["leaf-1", "leaf-2"],
                "nodes": ["n1"],
                "nodesLeftOut": 0,
                "switches": [],
            }
        ],
    }


@pytest.mark.usefixtures("journal")
@pytest.mark.parametrize("form", ["text", "json"])
def test_where_nothing_is_meant_a_sentence_says_what_there_is(capsys: pytest.CaptureFixture[str], form: str) -> None:
    answer = run(capsys, "changes", "-n", "default", "--node", "n9", "--since", "2026-03-01", "-o", form)
    assert answer.code == 0
    assert answer.err == (
        "hyperscout: no change of n9 is recorded since 2026-03-01 00:00:00Z; "
        "the journal holds 3 changes (at most 1000), the oldest of 2026-03-01 12:00:00Z\n"
    )
    assert (answer.out == "") == (form == "text")


@pytest.mark.usefixtures("live")
def test_a_namespace_without_a_journal_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    answer = run(capsys, "changes")
    assert (answer.code, answer.out) == (0, "")
    assert "no change is recorded in namespace hyperscout-system" in answer.err


@pytest.mark.parametrize("since", ["yesterday", "", "5 h", "2026-13-01", "999999999d"])
def test_a_time_that_is_none_is_refused(capsys: pytest.CaptureFixture[str], since: str) -> None:
    answer = run(capsys, "changes", "--since", since)
    assert answer.code == 2
    assert "is no time; give an age such as 90s" in answer.err
