"""Rows that are kept as columns: putting blocks of them together, and picking some of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from itertools import chain
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from discovery.scan import NodeColumns
from topology.synth.drawing import Cables, Places

Rows = TypeVar("Rows", NodeColumns, Places, Cables)


def stack(parts: Sequence[Rows]) -> Rows:
    """All rows of all parts (at least one), in order."""
    columns: dict[str, Any] = {}
    for field in fields(parts[0]):
        values = [getattr(part, field.name) for part in parts]
        is_text = isinstance(values[0], tuple)
        columns[field.name] = tuple(chain.from_iterable(values)) if is_text else np.concatenate(values)
    return type(parts[0])(**columns)


def pick(rows: Rows, index: NDArray[np.int64]) -> Rows:
    """The rows with these indices, in this order."""
    columns: dict[str, Any] = {}
    for field in fields(rows):
        values = getattr(rows, field.name)
        is_text = isinstance(values, tuple)
        columns[field.name] = tuple(values[row] for row in index.tolist()) if is_text else values[index]
    return type(rows)(**columns)
