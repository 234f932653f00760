"""Health at the edge: from samples of one port to its verdict. Pure; time comes with the samples.

`judge` takes a sample and what is remembered of the samples before it (`History`), and gives a verdict and what to
remember from now on. It knows only its own port: whether others use a port that never was up, the controller says.
"""

from discovery.health.history import History
from discovery.health.judging import judge
from discovery.health.thresholds import Thresholds
from discovery.health.verdict import (
    BOND_LEG_DOWN,
    LINK_ERROR_RECOVERY,
    LINK_FLAPPING,
    LINK_NOT_UP,
    NEVER_UP,
    NOT_READABLE,
    SYMBOL_ERRORS,
    TOO_MANY_SYMBOL_ERRORS,
    WAITING_FOR_SUBNET_MANAGER,
    Verdict,
)

__all__ = [
    "BOND_LEG_DOWN",
    "LINK_ERROR_RECOVERY",
    "LINK_FLAPPING",
    "LINK_NOT_UP",
    "NEVER_UP",
    "NOT_READABLE",
    "SYMBOL_ERRORS",
    "TOO_MANY_SYMBOL_ERRORS",
    "WAITING_FOR_SUBNET_MANAGER",
    "History",
    "Thresholds",
    "Verdict",
    "judge",
]
