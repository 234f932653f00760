"""Which tests run on the same worker: those of a file, and files that share what takes long to start."""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]  # xdist is not typed

ONE_CONTROL_PLANE = ("tests/chaos/test_s", "tests/security/")
"""Beginnings of files that share the control plane of their package."""


class FilesTogether(LoadFileScheduling):  # type: ignore[misc]  # xdist is not typed
    """By file, but for those that belong together."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(super()._split_scope(nodeid))


def scope_of(file: str) -> str:
    """What the file is one of."""
    return next((beginning for beginning in ONE_CONTROL_PLANE if file.startswith(beginning)), file)
