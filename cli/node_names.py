"""`--nodes FILE|REGEX`: which hosts of a fabric are nodes of the cluster."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import re2

from cli.ending import CommandError
from discovery.descriptions import host_name
from discovery.scan import NodeKind, Scan
from discovery.source import STANDARD_INPUT as STDIN
from topology.hosts import match_names

MOST_BYTES = 64_000_000
"""Of a file with names: a million names of 63 characters."""
ONE_A_LINE = "give one node name a line, as kubectl get nodes -o name prints them"


def node_names(choice: str | None, scans: Sequence[Scan]) -> frozenset[str] | None:
    """Names in lower case; None (every named host is a node) when nothing was chosen.

    A file, a pipe (`<(kubectl get nodes -o name)`) or `-` for standard input holds names; anything else is a regular
    expression. CommandError where it chooses none of the hosts.
    """
    if choice is None:
        return None
    if not choice.strip():
        raise CommandError("--nodes is empty; give a file with node names or a regular expression, or leave it out")
    hosts = frozenset(_host_names(scans))
    if choice == STDIN or _holds_names(choice):
        return _from_lines(_read(choice), choice, hosts)
    return _matching(choice, hosts)


def _holds_names(choice: str) -> bool:
    """Whether there is such a file; a directory is none, and its name may well be meant as a regular expression."""
    try:
        return Path(choice).exists() and not Path(choice).is_dir()
    except (OSError, ValueError):  # longer than a path may be, with a NUL, or where nobody may look
        return False


def _read(choice: str) -> list[str]:
    try:
        if choice != STDIN:
            with Path(choice).open("rb") as file:
                data = file.read(MOST_BYTES + 1)
        elif sys.stdin is None:
            raise CommandError("--nodes -: standard input is closed; " + ONE_A_LINE)
        else:
            data = sys.stdin.buffer.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise CommandError(f"--nodes {choice}: larger than {MOST_BYTES // 1_000_000} MB; {ONE_A_LINE}")
        return data.decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"--nodes {choice}: cannot be read as text ({error}); {ONE_A_LINE}") from error


def _from_lines(lines: Sequence[str], source: str, hosts: frozenset[str]) -> frozenset[str]:
    """One name a line; empty lines, `#` comments and the `node/` of `kubectl get nodes -o name` are left out."""
    words = (line.partition("#")[0].strip().removeprefix("node/").lower() for line in lines)
    names = frozenset(word for word in words if word)
    if not names:
        raise CommandError(f"--nodes {source}: holds no name; {ONE_A_LINE}")
    several = next((name for name in sorted(names) if "," in name or len(name.split()) > 1), None)
    if several is not None:
        raise CommandError(f"--nodes {source}: {several[:120]!r} is not one name; {ONE_A_LINE}")
    if not any(match_names(sorted(hosts), names)):
        held = f"none of its {len(names):,} names, such as {_examples(names)}, is a host of the scans"
        raise CommandError(f"--nodes {source}: {held}; {_seen(hosts)}")
    return names


def _matching(regex: str, hosts: frozenset[str]) -> frozenset[str]:
    """Searched by RE2, whose time is linear in the names whatever the expression."""
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    what = _why_no_file(regex)
    try:
        pattern = re2.compile(regex, options)
    except (re2.error, UnicodeEncodeError) as error:
        raise CommandError(
            f"--nodes {regex!r}: {what}, and it is no regular expression of RE2 either ({_words(error)})"
        ) from error
    chosen = frozenset(name for name in hosts if pattern.search(name))
    if not chosen:
        raise CommandError(f"--nodes {regex!r}: {what}, and as a regular expression it matches no host; {_seen(hosts)}")
    return chosen


def _why_no_file(choice: str) -> str:
    try:
        return "it is a directory" if Path(choice).is_dir() else "there is no such file"
    except PermissionError as error:
        return f"as a file it cannot be looked at ({error.strerror})"
    except (OSError, ValueError):  # longer than a path may be, or with a NUL
        return "there is no such file"


def _seen(hosts: frozenset[str]) -> str:
    if not hosts:
        return "no host of the scans has a name (node_desc); rdma-ndd on the hosts sets it"
    return f"there are {len(hosts):,} host names, such as {_examples(hosts)}"


def _examples(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)[:3])


def _words(error: Exception) -> str:
    """RE2's message, which may come as bytes."""
    said = error.args[0] if isinstance(error, re2.error) and error.args else str(error)
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)


def _host_names(scans: Sequence[Scan]) -> Iterator[str]:
    for scan in scans:
        kinds = scan.nodes.kind.tolist()
        descriptions = {text for text, kind in zip(scan.nodes.description, kinds, strict=True) if kind == NodeKind.HOST}
        for description in descriptions:
            name = host_name(description)[0]
            if name:
                yield name.lower()
