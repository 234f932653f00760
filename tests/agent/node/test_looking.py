"""One look makes one report, no larger than a report may be."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from agent.node.looking import MAX_REPORT, NodeSources, look
from agent.node.verdicts import Standings
from agent.publishing import compact
from discovery.source import Fixture

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def adapters(count: int) -> Fixture:
    files: dict[str, bytes] = {}
    for number in range(count):
        at = f"class/infiniband/mlx5_{number}"
        files[f"{at}/node_guid"] = f"0c42:a103:00de:{number:04x}".encode()
        files[f"{at}/ports/1/state"] = b"4: ACTIVE"
        files[f"{at}/ports/1/phys_state"] = b"5: LinkUp"
        files[f"{at}/ports/1/rate"] = b"400 Gb/sec (4X NDR)"
        files[f"{at}/ports/1/link_layer"] = b"InfiniBand"
    return Fixture(files)


def size_of(count: int) -> tuple[int, int, str | None]:
    """Bytes and ports of the report of a node with so many adapters, and what the probe says."""
    report, _ = look(NodeSources(adapters(count), Fixture()), Standings(), NOON)
    return len(json.dumps(compact(report), separators=(",", ":"))), len(report.ports), report.probes[0].reason


def test_eight_adapters_fit_into_four_kilobytes() -> None:
    size, ports, reason = size_of(8)
    assert (ports, reason) == (8, None)
    assert size < 4000


def test_ports_that_do_not_fit_are_left_out_and_told() -> None:
    size, ports, reason = size_of(200)
    assert 15_500 < size <= MAX_REPORT
    assert reason == f"200 ports, of which {ports} fit into the report"
