"""`soak versions`: every test that uses the real control plane, on each other Kubernetes that is pinned.

    python -m bench.soak_versions [VERSION ...] [-- PYTEST ARGUMENTS]

`make test` runs them on the newest one; here they run on the oldest that is supported, built from pinned modules like
the newest. A line a version; the exit code is 1 if a test fails on one of them. What cannot hold on a version is left
out here, with the reason.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
CHOICE = "TESTED_KUBERNETES"
_CONTRACT = "tests/contract/test_"
_WORDS = "the same refusal in other words, which nothing of ours reads"
LEFT_OUT: Mapping[str, Mapping[str, str]] = {
    "1.30": {
        **{
            f"{_CONTRACT}owners.py::test_a_reference_that_names_nobody_is_invalid[real-change{case}]": _WORDS
            for case in (
                "0-metadata.ownerReferences[0].uid",
                "1-metadata.ownerReferences[0].name",
                "2-metadata.ownerReferences[0].kind",
                "3-metadata.ownerReferences[0].apiVersion",
                "4-metadata.ownerReferences[0].apiVersion",
                "5-metadata.ownerReferences[0]",
            )
        },
        f"{_CONTRACT}rules.py::test_a_broken_rule_is_told_in_its_own_words[real]": _WORDS,
        f"{_CONTRACT}rules.py::test_a_field_with_a_reserved_name_is_escaped[real]": _WORDS,
        f"{_CONTRACT}rules.py::test_a_rule_about_a_change_looks_at_what_was_there[real]": _WORDS,
        f"{_CONTRACT}watching.py::test_streamed_initial_events_end_with_a_marked_bookmark[real]": (
            "streamed lists are behind a gate that is off; our client does not ask for them"
        ),
        f"{_CONTRACT}finalizers.py::test_a_definition_waits_for_what_is_held_of_its_kind[real]": (
            "a kind that goes answers 405 instead of 403 to whoever makes one more"
        ),
    }
}
"""By version the tests (a path, or a path and `::name`) that cannot hold there, and why."""

_IMPORT = re.compile(r"^\s*(?:from (tests[.\w]*) import ([^\n]+)|import (tests[.\w]+))", re.MULTILINE)
_USES = re.compile(r"\bcontrol_plane\b")


def pinned() -> list[str]:
    """The other versions."""
    return sorted(path.name.partition("-")[2] for path in (TESTS / "cluster").glob("kubernetes-*"))


def files_with_a_control_plane() -> list[str]:
    """The test files that use it: by its fixture, or through a module or a conftest that they read."""
    files = sorted(TESTS.rglob("test_*.py"))
    return [str(file.relative_to(ROOT)) for file in files if any(_uses(read) for read in _read_by(file))]


def _uses(file: Path) -> bool:
    return _USES.search(file.read_text()) is not None


def _read_by(test: Path) -> Iterator[Path]:
    """The test, the conftests above it but the topmost one, and all modules of tests that these import."""
    waiting = [test, *(folder / "conftest.py" for folder in test.parents if TESTS in folder.parents)]
    seen: set[Path] = set()
    while waiting:
        file = waiting.pop()
        if file in seen or not file.exists():
            continue
        seen.add(file)
        yield file
        waiting += _imports(file)


def _imports(file: Path) -> Iterator[Path]:
    for module, names, plain in _IMPORT.findall(file.read_text()):
        path = ROOT.joinpath(*(module or plain).split("."))
        yield path.with_suffix(".py")
        yield from (path / f"{name.strip()}.py" for name in names.split(","))


def soak(version: str, arguments: Sequence[str]) -> bool:
    """Build what is missing, run the tests, and say in a line how it went; whether all held."""
    environment = {**os.environ, CHOICE: version}
    built = subprocess.call([sys.executable, "-m", "tests.cluster.build"], cwd=ROOT, env=environment)
    if built != 0:
        return False
    left_out = LEFT_OUT.get(version, {})
    for test, reason in left_out.items():
        print(f"left out on {version}: {test}: {reason}", flush=True)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
    command += [f"--deselect={test}" for test in left_out]
    began = time.monotonic()
    code = subprocess.call([*command, *(arguments or files_with_a_control_plane())], cwd=ROOT, env=environment)
    verdict = "ok" if code == 0 else f"FAILED (pytest ended with {code})"
    print(f"Kubernetes {version:<6} {time.monotonic() - began:5.0f} s  {verdict}", flush=True)
    return code == 0


def main(arguments: list[str]) -> int:
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    versions, more = arguments[:cut] or pinned(), arguments[cut + 1 :]
    unknown = sorted(set(versions) - set(pinned()))
    if unknown:
        print(f"not pinned: {', '.join(unknown)}; there are: {', '.join(pinned())}")
        return 2
    signal.signal(signal.SIGINT, signal.default_int_handler)  # started in the background it would be ignored by all
    held = [soak(version, more) for version in versions]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
