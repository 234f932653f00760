"""What the agent of a node reports, for people, one thing a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cli.explain.live_document import FarEnd, Report, ReportedInterface, ReportedNvLink, ReportedPort
from discovery.reports import FOUND, UP


def report_lines(report: Report) -> Iterator[str]:
    """Ports first; of the probes those that found nothing or failed, and why."""
    up = sum(port.verdict == UP for port in report.ports)
    seen = f", as of {report.heartbeat:%Y-%m-%dT%H:%M:%SZ}" if report.heartbeat else ""
    yield f"  its report: {len(report.ports):,} {'port' if len(report.ports) == 1 else 'ports'}, {up:,} up{seen}"
    yield from map(_port, report.ports)
    yield from map(_interface, report.interfaces)
    if report.nvlink is not None:
        yield _nvlink(report.nvlink)
    for probe in report.probes:
        if probe.outcome != FOUND or probe.reason:
            yield f"  probe {probe.name}: {probe.outcome} ({probe.reason or 'no reason given'})"


def _port(port: ReportedPort) -> str:
    verdict = port.verdict or "no verdict"
    if verdict != UP or port.reason:
        verdict += f" ({port.reason or 'no reason given'})"
    state = (
        "/".join(part or "?" for part in (port.state, port.physical_state))
        if _any(port.state, port.physical_state)
        else ""
    )
    rate = f"{port.width or '?'}x {port.speed or '?'}" if _any(port.width, port.speed) else ""
    last = f"last up {port.last_up:%Y-%m-%dT%H:%M:%SZ}" if port.last_up and port.verdict != UP else ""
    facts = ", ".join(part for part in (verdict, state, rate, last) if part)
    return f"  port {port.device}/{port.port}: {facts}{_far(port.far_ends)}"


def _interface(one: ReportedInterface) -> str:
    carrier = {True: "carrier", False: "no carrier", None: "carrier unknown"}[one.carrier]
    speed = f"{one.speed / 1000:g} Gb/s" if one.speed else ""
    parts = (carrier, speed, one.rdma_device and f"of {one.rdma_device}", one.bond and f"in {one.bond}")
    return f"  interface {one.name}: {', '.join(part for part in parts if part)}{_far(one.neighbours)}"


def _nvlink(found: ReportedNvLink) -> str:
    domain = f"domain {found.cluster_uuid} clique {found.clique_id}" if found.cluster_uuid else "no domain"
    parts = [domain, found.state, found.health_summary]
    for number, bad, noun in (
        (found.gpus, found.unhealthy_gpus, "GPUs"),
        (found.links, found.unhealthy_links, "links"),
    ):
        if number is not None:
            parts.append(f"{number} {noun}" + (f" ({bad} unhealthy)" if bad else ""))
    parts += [*found.bad_links, found.reason]
    return f"  NVLink: {', '.join(part for part in parts if part)}"


def _far(ends: Sequence[FarEnd]) -> str:
    told = dict.fromkeys(
        f"{end.switch or 'a neighbour without a name'} port {end.port or '?'} ({end.source})" for end in ends
    )
    return f" -> {'; '.join(told)}" if told else ""


def _any(*values: object) -> bool:
    return any(value is not None for value in values)
