"""pyroute2 as far as it is used here: its messages, and nothing that speaks.

With its root package it loads all of itself, 200 modules and 10 MB, which an agent on every node need not hold. Its
parts can be loaded without: the root is set aside by an empty package of that name and at that place. Where the whole
is loaded already, it is used as it is.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from types import ModuleType

ROOT = "pyroute2"


def set_root_aside() -> None:
    """Before the first import of a part."""
    if ROOT in sys.modules:
        return
    found = find_spec(ROOT)
    if found is not None and found.submodule_search_locations is not None:
        root = ModuleType(ROOT)
        root.__path__ = found.submodule_search_locations
        sys.modules[ROOT] = root


set_root_aside()
