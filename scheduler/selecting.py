"""Label selectors and node name patterns, evaluated; what cannot be evaluated exactly is refused by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from kube.types import LabelSelector, LabelSelectorRequirement

_PLAIN = re.compile(
    r"(?:[A-Za-z0-9_.^$|()-]|\(\?:|\\[.dw-]|\[\^?[A-Za-z0-9_.-]+\]|[*+?]|\{[0-9]{1,2}(?:,[0-9]{0,2})?\})+"
)
_NOT_PLAIN = re.compile(r"\)[*+{]|\(\?[^:]|[*+?}][*+{]")
"""A group that is repeated, a flag or a look-around, a repetition of a repetition."""
_UNBOUNDED = re.compile(r"[*+]|,\}")
MOST_UNBOUNDED = 3


class SelectorError(ValueError):
    """A selector that cannot be evaluated; the message says which part."""


def matches(selector: LabelSelector, labels: Mapping[str, str]) -> bool:
    """Whether labels satisfy all parts of a selector; an empty one matches everything. Raises SelectorError."""
    return all(labels.get(key) == value for key, value in selector.match_labels.items()) and all(
        _holds(expression, labels) for expression in selector.match_expressions
    )


def _holds(expression: LabelSelectorRequirement, labels: Mapping[str, str]) -> bool:
    match expression.operator:
        case "In":
            return labels.get(expression.key) in expression.values
        case "NotIn":
            return labels.get(expression.key) not in expression.values
        case "Exists":
            return expression.key in labels
        case "DoesNotExist":
            return expression.key not in labels
        case other:
            raise SelectorError(f"label selector operator {other!r}")


@lru_cache(maxsize=1024)
def node_pattern(pattern: str) -> re.Pattern[str]:
    """A Go RE2 pattern (searched, not anchored) as ours, where both mean the same and the search is bounded.

    Literals, classes, anchors, alternatives, groups without repetition, and at most three unbounded repetitions;
    anything else raises SelectorError.
    """
    if not _PLAIN.fullmatch(pattern) or _NOT_PLAIN.search(pattern):
        raise SelectorError(f"node name pattern {pattern!r}: only plain patterns are understood")
    if len(_UNBOUNDED.findall(pattern)) > MOST_UNBOUNDED:
        raise SelectorError(f"node name pattern {pattern!r}: more than {MOST_UNBOUNDED} unbounded repetitions")
    try:
        return re.compile(pattern)
    except re.error as error:
        raise SelectorError(f"node name pattern {pattern!r}: {error}") from error
