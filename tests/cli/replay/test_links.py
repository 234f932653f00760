"""What netlink told of a host's interfaces counts in a replay, errors of drivers included."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import msgspec

from cli.replay.node import PlayedAgent
from discovery.identity import NodeName
from discovery.netlink import Link, Links
from discovery.netlink.links import Modes
from discovery.recording.anonymising import anonymise
from discovery.recording.hostfile import read_host
from discovery.recording.layout import LINKS
from discovery.recording.pseudonyms import Pseudonyms
from discovery.recording.reading import Node
from discovery.samples import Counters
from tests.sites.ethernet import stories

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MAC = "0c:42:a1:00:00:01"


def links(blocks: int) -> str:
    modes = Modes(speed=200_000, supported=(100_000, 200_000), lanes=4)
    link = Link(name="eth0", ifindex=2, mac=MAC, up=True, carrier=True, modes=modes)
    counted = replace(link, counters=Counters(uncorrectable_blocks=blocks))
    return msgspec.json.encode(Links(by_name={"eth0": counted})).decode()


def test_uncorrectable_blocks_of_a_driver_degrade_the_port_of_a_replayed_host() -> None:
    site = next(story for story in stories() if story.name == "roce-hosts-only")
    host = read_host(site.moments[0]["nodes/gpu-00000/host.txt"])
    agent = PlayedAgent(NodeName("gpu-00000"))
    for minute in range(100):
        agent.look(Node(host, {LINKS: links(5 * minute)}), NOON + timedelta(minutes=minute), 60.0 * minute)
    assert agent.report is not None
    verdicts = {port.device: (port.verdict, port.reason) for port in agent.report.ports}
    assert verdicts["mlx5_0"] == ("Degraded", "SymbolErrors")


def test_links_lose_their_macs_with_all_else() -> None:
    (text,) = anonymise({f"nodes/a/{LINKS}": links(0)}, Pseudonyms(b"k" * 32)).texts.values()
    renamed = msgspec.json.decode(text, type=Links).by_name["eth0"]
    assert renamed.mac not in (None, MAC)
    assert replace(renamed, mac=MAC) == msgspec.json.decode(links(0), type=Links).by_name["eth0"]
