"""Label selectors, evaluated; what cannot be evaluated exactly is refused by name."""

from __future__ import annotations

from collections.abc import Mapping

from kube.types import LabelSelector, LabelSelectorRequirement


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
