"""How a command ends when it does not end well: one sentence for the operator and an exit code for the script."""

from __future__ import annotations

REFUSED = 1
"""The question was understood and the answer is no: a gang that does not fit, a name that is not there."""
BAD_INPUT = 2
"""A file, an argument or an option that cannot be used."""
UNREACHABLE = 3
"""The cluster did not answer, or did not let us in."""

SIGNALLED = 128
"""Plus the number of the signal that ended it: 130 for Ctrl-C."""
LACKING = 4
"""The cluster lacks what a process needs: a kind, a permission, a new enough Kubernetes."""


class CommandError(Exception):
    """Ends the command. The sentence says what happened, where, and what to do."""

    def __init__(self, sentence: str, code: int = BAD_INPUT) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code
