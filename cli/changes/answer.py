"""Asks the journal: which changes are meant, and what to say where there is none. docs/reference/changes-json.md."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import msgspec

from cli.ending import CommandError
from controller.journal.changes import KEPT, NAMES, Entry, read_all
from controller.journal.ring import find_config_map
from kube.client import Client

_AGE = re.compile(r"([0-9]{1,9})([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class ChangeAnswer(msgspec.Struct, frozen=True, rename="camel"):
    """One change."""

    at: datetime
    reason: str
    what: str
    hyper_nodes: tuple[str, ...]
    nodes: tuple[str, ...]
    nodes_left_out: int
    switches: tuple[str, ...]


class ChangesAnswer(msgspec.Struct, frozen=True, rename="camel"):
    """The changes that were asked for, the oldest first."""

    namespace: str
    recorded: int
    oldest: datetime | None
    changes: tuple[ChangeAnswer, ...]


@dataclass(frozen=True, slots=True)
class JournalRead:
    """All that a namespace's journal holds, the oldest first."""

    namespace: str
    entries: Sequence[Entry]


async def read_journal(client: Client, namespace: str) -> JournalRead:
    """Read the journal of that namespace; one that nobody has begun is empty."""
    held = [await find_config_map(client, name, namespace) for name in NAMES]
    return JournalRead(namespace, read_all(one for one in held if one is not None))


@dataclass(frozen=True, slots=True)
class Question:
    """Which changes: later than a time, about all of the names."""

    since: datetime | None
    names: tuple[str, ...]

    @staticmethod
    def asked(since: str | None, names: Sequence[str | None], now: datetime) -> Question:
        """As it was typed; CommandError for a time that is none."""
        return Question(None if since is None else _time(since, now), tuple(name for name in names if name is not None))

    def answer(self, journal: JournalRead) -> ChangesAnswer:
        """What the journal has of it."""
        entries = journal.entries
        return ChangesAnswer(
            namespace=journal.namespace,
            recorded=len(entries),
            oldest=entries[0].at if entries else None,
            changes=tuple(_shown(entry) for entry in entries if self._means(entry)),
        )

    def nothing(self, journal: JournalRead) -> str:
        """A sentence for an answer without any change."""
        if not journal.entries:
            where = f"namespace {journal.namespace}"
            return f"no change is recorded in {where}: none happened yet, or the controller is in another one (-n)"
        about = f" of {' and '.join(self.names)}" if self.names else ""
        after = f" since {moment(self.since)}" if self.since is not None else ""
        oldest = moment(journal.entries[0].at)
        kept = f"the journal holds {len(journal.entries)} changes (at most {KEPT}), the oldest of {oldest}"
        return f"no change{about} is recorded{after}; {kept}"

    def _means(self, entry: Entry) -> bool:
        return (self.since is None or entry.at >= self.since) and all(entry.names(name) for name in self.names)


def _shown(entry: Entry) -> ChangeAnswer:
    return ChangeAnswer(
        entry.at, entry.reason, entry.what, entry.hyper_nodes, entry.nodes, entry.nodes_left_out, entry.switches
    )


def moment(at: datetime) -> str:
    """A time as it is shown: UTC, to the second."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def _time(text: str, now: datetime) -> datetime:
    """An age, or a time; one without a zone is UTC."""
    age = _AGE.fullmatch(text.strip())
    try:
        if age is not None:
            return now - timedelta(seconds=int(age[1]) * _SECONDS[age[2]])
        found = datetime.fromisoformat(text.strip())
    except (ValueError, OverflowError) as error:
        meant = "give an age such as 90s, 15m, 2h or 3d, or a time such as 2026-03-01T12:00:00Z"
        raise CommandError(f"--since {text!r} is no time; {meant}") from error
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
