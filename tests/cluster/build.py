"""`python -m tests.cluster.build [NAME ...]`: build the real programs that tests run; without a name all of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tests.cluster.go import say
from tests.cluster.programs import PROGRAMS, build_into_cache, find


def main(names: Sequence[str]) -> int:
    """Build what is not there yet; the exit code."""
    unknown = set(names) - {program.name for program in PROGRAMS}
    if unknown:
        say(f"unknown: {', '.join(sorted(unknown))}; there are: {', '.join(program.name for program in PROGRAMS)}")
        return 2
    try:
        for program in PROGRAMS:
            if not names or program.name in names:
                say(f"{program.name} {program.version}: {find(program) or build_into_cache(program)}")
    except RuntimeError as error:
        say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
