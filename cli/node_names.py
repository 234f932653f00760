"""`--nodes FILE|REGEX`: which hosts of a fabric are nodes of the cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from cli.ending import CommandError
from discovery.descriptions import host_name
from discovery.scan import NodeKind, Scan


def node_names(choice: str | None, scans: Sequence[Scan]) -> frozenset[str] | None:
    """Names in lower case; None (every named host is a node) when nothing was chosen."""
    if choice is None:
        return None
    try:
        is_file = Path(choice).is_file()
    except (OSError, ValueError):  # longer than a path may be, or with a NUL: a regex
        is_file = False
    return _from_file(Path(choice)) if is_file else _matching(choice, scans)


def _from_file(path: Path) -> frozenset[str]:
    """One name a line; empty lines, `#` comments and the `node/` of `kubectl get nodes -o name` are left out."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"--nodes {path}: cannot be read as text ({error}); give one node name a line") from error
    words = (line.partition("#")[0].strip().removeprefix("node/").lower() for line in lines)
    names = frozenset(word for word in words if word)
    if not names:
        raise CommandError(f"--nodes {path}: holds no name; give one node name a line")
    spaced = next((name for name in sorted(names) if " " in name or "\t" in name), None)
    if spaced is not None:
        raise CommandError(f"--nodes {path}: {spaced!r} is not one name; give one node name a line")
    return names


def _matching(regex: str, scans: Sequence[Scan]) -> frozenset[str]:
    try:
        pattern = re.compile(regex, re.IGNORECASE)
    except re.error as error:
        raise CommandError(
            f"--nodes {regex!r}: there is no such file, and it is no regular expression either ({error})"
        ) from error
    hosts = set(_host_names(scans))
    chosen = frozenset(name for name in hosts if pattern.search(name))
    if not chosen:
        examples = ", ".join(sorted(hosts)[:3])
        seen = f"none of the {len(hosts):,} host names, such as {examples}" if hosts else "nothing: no host has a name"
        raise CommandError(f"--nodes {regex!r}: there is no such file, and as a regular expression it matches {seen}")
    return chosen


def _host_names(scans: Sequence[Scan]) -> Iterator[str]:
    for scan in scans:
        kinds = scan.nodes.kind.tolist()
        descriptions = {text for text, kind in zip(scan.nodes.description, kinds, strict=True) if kind == NodeKind.HOST}
        for description in descriptions:
            name = host_name(description)[0]
            if name:
                yield name.lower()
