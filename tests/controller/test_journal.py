"""The journal keeps the last thousand changes in a ring of ConfigMaps, and hinders nobody when it cannot be written."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from controller.journal.changes import BATCH, CLOSED_AT, KEPT, NAMES, Entry, of_changes, of_happening, read_all
from controller.journal.ring import MOST_WAITING, Journal, find_config_map
from controller.reasons import Happening
from kube.client import Client
from kube.connection import connect_to
from kube.embedded.server import EmbeddedServer
from kube.pace import Limits
from kube.records import ConfigMap
from kube.requests import Patch
from kube.resources import CONFIG_MAPS
from kube.types import ObjectReference
from tests.controller.cluster import NOON, QUICK, Cluster, controller
from topology.diff import Change

HERE = "default"
MEBIBYTE = 1 << 20
START = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    """A server of its own."""
    async with EmbeddedServer() as server, Client(connect_to(server.url, server.token)) as client:
        yield client


def entries(first: int, count: int) -> list[Entry]:
    return [Entry(START + timedelta(seconds=n), "NodesMoved", f"change {n}") for n in range(first, first + count)]


async def maps(client: Client) -> list[ConfigMap]:
    return list((await client.list(CONFIG_MAPS)).items)


async def told(client: Client) -> list[str]:
    return [entry.what for entry in read_all(await maps(client))]


async def test_a_change_is_kept_and_another_process_goes_on_behind_it(client: Client) -> None:
    first, second = Journal(HERE), Journal(HERE)
    first.note(entries(0, 2))
    await first.write(client, 1)
    second.note(entries(2, 1))
    await second.write(client, 1)
    assert await told(client) == ["change 0", "change 1", "change 2"]
    assert read_all(await maps(client)) == entries(0, 3)
    assert [held.metadata.name for held in await maps(client)] == [NAMES[0]]
    assert (first.waiting, second.waiting) == ([], [])


async def test_the_last_thousand_are_always_there_and_no_config_map_grows_without_bound(client: Client) -> None:
    journal, number = Journal(HERE), 0
    for size in [BATCH, 1, 99, 250] * 8:
        journal.note(entries(number, size))
        number += size
        while journal.waiting:
            await journal.write(client, 1)
        expected = [f"change {n}" for n in range(max(0, number - KEPT), number)]
        assert await told(client) == expected
    held = await maps(client)
    assert sorted(one.metadata.name for one in held) == sorted(NAMES)
    assert max(sum(text.count("\n") for text in one.data.values()) for one in held) < CLOSED_AT + BATCH


async def test_a_look_writes_one_config_map_once(client: Client) -> None:
    journal = Journal(HERE)
    journal.note(entries(0, 3 * BATCH))
    await journal.write(client, 1)
    assert await told(client) == [f"change {n}" for n in range(BATCH)]
    assert len(await maps(client)) == 1
    assert len(journal.waiting) == 2 * BATCH


def test_the_largest_changes_leave_a_config_map_well_under_its_limit() -> None:
    nodes = tuple(f"node-{number:05d}.rack.example.test" for number in range(5000))
    changes = [Change("NodesMoved", '"' * 4000 + "\x1b" * 9, ("x" * 63,) * 40, nodes) for _ in range(5)]
    (entry, *_) = of_changes(changes, START)
    size = len(msgspec.json.encode(entry))
    assert 1500 < size < 3000
    assert (CLOSED_AT + BATCH) * size < 0.9 * MEBIBYTE
    assert 0 < len(entry.nodes) == len(nodes) - entry.nodes_left_out
    assert "\x1b" not in entry.what


def test_a_whole_new_tree_is_told_in_part_and_its_rest_counted() -> None:
    changes = [Change("HyperNodeAdded", f"new leaf l{n}", (f"l{n}",)) for n in range(600)]
    listed = list(of_changes(changes, START))
    assert len(listed) < KEPT / 2
    assert listed[-1].what == f"and {600 - len(listed) + 1} more changes"


async def test_of_two_writers_the_slower_one_reads_again_and_overwrites_nothing(client: Client) -> None:
    slow, fast = Journal(HERE), Journal(HERE)
    slow.note(entries(0, 1))
    await slow.write(client, 1)
    fast.note(entries(1, 1))
    await fast.write(client, 1)
    slow.note(entries(2, 1))
    await slow.write(client, 1)
    assert await told(client) == ["change 0", "change 1"]
    assert len(slow.waiting) == 1
    slow._not_before = 0.0  # the pause is over
    await slow.write(client, 1)
    assert await told(client) == ["change 0", "change 1", "change 2"]


async def test_who_leads_again_reads_what_others_wrote_meanwhile(client: Client) -> None:
    one, other = Journal(HERE), Journal(HERE)
    one.note(entries(0, 1))
    await one.write(client, 1)
    other.note(entries(1, CLOSED_AT))
    while other.waiting:
        await other.write(client, 1)
    one.note(entries(CLOSED_AT + 1, 1))
    await one.write(client, 2)
    assert (await told(client))[-2:] == [f"change {CLOSED_AT}", f"change {CLOSED_AT + 1}"]
    assert one.waiting == []


async def test_a_write_whose_answer_was_lost_is_not_told_twice(client: Client) -> None:
    journal = Journal(HERE)
    journal.note(entries(0, 2))
    await journal.write(client, 1)
    journal.note(entries(2, 2))
    batch = [*journal.waiting]
    await journal.write(client, 1)
    assert journal._ring is not None
    journal.waiting, journal._ring = batch, None  # as after a time-out of which nobody knows how it ended
    journal._unsure = (2, "".join(msgspec.json.encode(entry).decode() + "\n" for entry in batch))
    journal.note(entries(4, 1))
    await journal.write(client, 1)
    assert await told(client) == [f"change {n}" for n in range(5)]


async def test_what_somebody_spoilt_is_passed_over(client: Client) -> None:
    journal = Journal(HERE)
    journal.note(entries(0, 1))
    await journal.write(client, 1)
    spoilt = Patch({"data": {"000000000001": "no JSON\n{}\n", "readme": "ours"}})
    await client.patch(CONFIG_MAPS, NAMES[0], spoilt, HERE)
    again = Journal(HERE)
    again.note(entries(3, 1))
    await again.write(client, 1)
    assert await told(client) == ["change 0", "change 3"]


async def test_what_cannot_be_written_waits_up_to_a_bound_and_is_counted(client: Client) -> None:
    nobody = Client(replace(client.connection, server="http://127.0.0.1:1"), Limits(attempts=1))
    journal = Journal(HERE)
    async with nobody:
        for number in range(3):
            journal.note(entries(number * 500, 500))
            await journal.write(nobody, 1)
    assert (len(journal.waiting), journal.lost) == (MOST_WAITING, 500)
    journal._not_before = 0.0  # the pause is over
    await journal.write(client, 1)
    assert (await told(client))[0] == "change 500"


async def test_the_controller_tells_what_it_changed_and_what_turned(cluster: Cluster) -> None:
    async with controller(cluster, replace(QUICK, namespace=HERE)) as watched:
        await cluster.sweep()
        await watched.swept(1)
        await watched.settled()
        cluster.now = NOON + timedelta(minutes=1)
        cluster.site.cut.add(cluster.site.host_cables("node-00000")[1])
        await cluster.sweep()
        await watched.swept(2)
        await watched.settled()
        found = read_all(await maps(cluster.client))
        before = await find_config_map(cluster.client, NAMES[0], HERE)
        await cluster.sweep()
        await watched.swept(3)
        assert await find_config_map(cluster.client, NAMES[0], HERE) == before
    assert [entry.what for entry in found[:3]] == [
        "new leaf ib-leaf-cf-leaf-001 with 3 nodes under ib-spine-cf-spine-001",
        "new leaf ib-leaf-cf-leaf-002 with 3 nodes under ib-spine-cf-spine-001",
        "new spine ib-spine-cf-spine-001 with 6 nodes",
    ]
    assert found[0].nodes == ("node-00000", "node-00001", "node-00002")
    turned = {(entry.reason, *entry.hyper_nodes, *entry.nodes) for entry in found[3:]}
    assert turned == {("LinksDown", "ib-leaf-cf-leaf-001"), ("LinksDown", "node-00000")}
    assert {entry.at for entry in found[3:]} == {NOON + timedelta(minutes=1)}


async def test_a_journal_that_cannot_be_written_keeps_no_hyper_node_from_being_written(cluster: Cluster) -> None:
    async with controller(cluster, replace(QUICK, namespace="nowhere")) as watched:
        await cluster.sweep()
        await watched.swept(1)
        await watched.settled()
    assert len(await cluster.hyper_nodes()) == 3


def test_an_event_is_told_with_whom_it_is_about() -> None:
    about = ObjectReference(kind="SwitchReport", name="sw-1")
    entry = of_happening(Happening(about, "Warning", "SwitchLost", "switch a lost 4 links; they belong to x, y"), START)
    assert entry.switches == ("sw-1",)
    assert [entry.names(name) for name in ("sw-1", "x", "y", "z")] == [True, True, True, False]
