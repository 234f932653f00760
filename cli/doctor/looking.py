"""All looks, one after the other; one that is refused is unknown, and hides no other."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import msgspec

from cli.doctor.accounts import look_at_accounts, look_at_policies
from cli.doctor.definitions import look_at_definitions
from cli.doctor.evidence import look_at_evidence, look_at_leaders
from cli.doctor.finding import WRONG, Finding, fine, unknown, wrong
from cli.doctor.volcano import look_at_volcano, look_at_writers
from cli.output import json_text
from cli.processes.preflight import OLDEST
from cli.uninstall.places import Places
from kube.client import Client
from kube.errors import Forbidden, NotFound

Look = Callable[[], Awaitable[list[Finding]]]


@dataclass(frozen=True, slots=True)
class Where:
    """Where things are looked for."""

    places: Places
    volcano: str


class Report(msgspec.Struct, frozen=True):
    """The answer."""

    findings: tuple[Finding, ...]

    @property
    def wrong(self) -> int:
        """How many are to be mended."""
        return sum(one.state == WRONG for one in self.findings)


async def look(client: Client, where: Where, now: datetime) -> Report:
    """Everything, in the order in which it is to be mended."""
    places = where.places
    looks: dict[str, Look] = {
        "version": partial(_version, client),
        "definitions": partial(look_at_definitions, client),
        "accounts": partial(look_at_accounts, client, places),
        "policies": partial(look_at_policies, client),
        "leaders": partial(look_at_leaders, client, places, now),
        "writers": partial(look_at_writers, client),
        "volcano": partial(look_at_volcano, client, where.volcano),
        "evidence": partial(look_at_evidence, client, places, now),
    }
    findings: list[Finding] = []
    for topic, one in looks.items():
        try:
            findings += await one()
        except (Forbidden, NotFound) as refused:
            what = f"cannot {refused.verb} {refused.target}: {refused.message}"
            findings.append(unknown(topic, what, refused.advice))
    return Report(tuple(findings))


async def _version(client: Client) -> list[Finding]:
    version = await client.version()
    read = re.match(r"v?(\d+)\.(\d+)", version)
    oldest = ".".join(map(str, OLDEST))
    if read is None or (int(read[1]), int(read[2])) < OLDEST:
        what = f"the API server is Kubernetes {version or 'of no version'}"
        return [wrong("version", what, f"{oldest} or newer is needed: upgrade the cluster")]
    return [fine("version", f"the API server is Kubernetes {version}")]


def to_text(report: Report) -> str:
    """A line each, and how many are to be mended."""
    width = max(len(one.state) for one in report.findings)
    lines = [f"{one.state:{width}}  {one.sentence}" for one in report.findings]
    count = f"{report.wrong} finding{'' if report.wrong == 1 else 's'}" if report.wrong else "nothing to mend"
    return "\n".join([*lines, count]) + "\n"


def to_json(report: Report) -> str:
    """For scripts: `findings`, each with topic, state and sentence."""
    return json_text(report)
