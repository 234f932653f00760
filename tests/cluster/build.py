"""`python -m tests.cluster.build [NAME ...]`: build the real programs that tests run; without a name all of them.

It may be interrupted and run again: what is built is kept, and what the Go compiler has done is not done again.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tests.cluster.go import say
from tests.cluster.programs import PROGRAMS, provide


def main(names: Sequence[str]) -> int:
    """Build what is not there yet; the exit code."""
    unknown = set(names) - {program.name for program in PROGRAMS}
    if unknown:
        say(f"unknown: {', '.join(sorted(unknown))}; there are: {', '.join(program.name for program in PROGRAMS)}")
        return 2
    try:
        wanted = [program for program in PROGRAMS if not names or program.name in names]
        for number, program in enumerate(wanted, 1):
            say(f"[{number}/{len(wanted)}] {program.name} {program.version}: {provide(program)}")
    except RuntimeError as error:
        say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
